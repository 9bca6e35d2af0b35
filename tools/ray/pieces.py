"""Pieces of a run on a Ray cluster: what a task does on its node, and what the driver keeps in the object store.

A piece is a line of JSON for `treeline learn worker` and the files that it reads. The worker lives in a folder of its own on the
node, in which those files lie as they lie in the run's folder, so the line is passed on as it is. It stays from task to task, with
its network.
"""

import atexit
import json
import os
import shutil
import socket
import subprocess
import tempfile

import ray


class Refused(Exception):
    """A node's program is another one."""


class Worker:
    """`treeline learn worker` with its folder, for the tasks of one Ray process."""

    def __init__(self, program, wanted, devices):
        self.key = (program, wanted, devices)
        self.folder = tempfile.mkdtemp(prefix="treeline-pieces-")
        self.there, self.heard = {}, 0
        self.log = self.path("stderr")
        environment = dict(os.environ)
        # Ray's, one thread a task; the run's settings say how many there are.
        environment.pop("OMP_NUM_THREADS", None)
        try:
            self.process = subprocess.Popen(
                [program, "learn", "worker"],
                cwd=self.folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=open(self.log, "wb"),
                env=environment,
            )
        except OSError as error:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise RuntimeError(f"{program} does not start: {error}") from None
        atexit.register(self.close)
        hello = self.process.stdout.readline()
        found = json.loads(hello)["program"] if hello else "a program that says nothing"
        if found != wanted:
            self.close()
            raise Refused(f"{where()} has '{found}' as {program}, and the run is worked on by '{wanted}'")

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, inside):
        path = os.path.normpath(os.path.join(self.folder, inside))
        if not path.startswith(self.folder + os.sep):
            raise ValueError(f"{inside} lies outside of the run's folder")
        return path

    def lay(self, files):
        """Puts exactly these files, references by their paths, into the folder; those that are there stay."""
        for inside in set(self.there) - set(files):
            os.unlink(self.path(inside))
            del self.there[inside]
        fresh = [inside for inside, ref in files.items() if self.there.get(inside) != ref.hex()]
        for inside, content in zip(fresh, ray.get([files[inside] for inside in fresh])):
            path = self.path(inside)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)
            self.there[inside] = files[inside].hex()

    def said(self):
        """The lines that it said on its standard error since the last call."""
        with open(self.log, errors="replace") as log:
            log.seek(self.heard)
            text = log.read()
            self.heard = log.tell()
        return text.splitlines()

    def do(self, line):
        """The answer to a request, and the files that it speaks of."""
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            code = self.process.wait()
            raise RuntimeError("; ".join([f"treeline learn worker ended with {code}", *self.said()[-3:]]))
        answer = json.loads(answer)
        answer["said"] = self.said()
        made = {}
        for file in (answer.get("receipt") or {}).get("files", []):
            with open(self.path(file["path"]), "rb") as content:
                made[file["path"]] = content.read()
            os.unlink(self.path(file["path"]))
        return answer, made


WORKER = None


def found(program):
    """A program's whole path: it is started in other folders, and on other nodes under the same path."""
    path = shutil.which(program)
    if path is None:
        raise SystemExit(f"{program}: there is no such program; cargo build --release makes it, --program names another")
    return os.path.abspath(path)


def where():
    """This node, for messages."""
    return f"{socket.gethostname()} ({ray.get_runtime_context().get_node_id()[:8]})"


def do(program, wanted, line, files):
    """A task: does a piece; its answer, the files that it made, and the node. What fails is an answer, too."""
    global WORKER
    key = (program, wanted, os.environ.get("CUDA_VISIBLE_DEVICES"))
    try:
        if WORKER is None or WORKER.key != key or WORKER.process.poll() is not None:
            if WORKER is not None:
                WORKER.close()
                WORKER = None
            WORKER = Worker(*key)
        WORKER.lay(files)
        answer, made = WORKER.do(line)
    except Refused as error:
        return {"refused": str(error)}, {}
    except ray.exceptions.RayError:
        # A lost file: the driver's matter.
        raise
    except Exception as error:
        if WORKER is not None:
            WORKER.close()
            WORKER = None
        answer, made = {"id": json.loads(line)["id"], "error": str(error)}, {}
    answer["by"] = where()
    return answer, made


class Store:
    """Files of the run's folder in the object store, each version once."""

    def __init__(self, folder):
        self.folder = folder
        self.held = {}
        self.bytes = 0

    def ref(self, inside):
        path = os.path.join(self.folder, inside)
        stat = os.stat(path)
        version = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        held = self.held.get(inside)
        if held is None or held[0] != version:
            with open(path, "rb") as file:
                content = file.read()
            self.bytes += len(content)
            held = self.held[inside] = (version, ray.put(content))
        return held[1]

    def refs(self, reads):
        return {inside: self.ref(inside) for inside in reads}

    def keep_only(self, reads):
        """Lets go of all files but these; tasks that wait for one keep it."""
        self.held = {inside: held for inside, held in self.held.items() if inside in reads}
