#!/usr/bin/env python3
"""A learning run whose portions, trainings and matches are done by a Ray cluster.

`treeline learn RUN --elsewhere` decides what is done, checks what comes, and keeps the run's folder as on one machine; this
program carries its requests to the nodes and the files back. Either may be killed at any time; the same command goes on.
docs/ray.md says how to start a cluster.
"""

import argparse
import collections
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

import pieces

ROOT = Path(__file__).resolve().parents[2]


def arguments():
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    own, begin = words[:split], words[split + 1:]
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="learn.py RUN [OPTIONS] [-- ARGUMENTS OF treeline learn FOR A FRESH RUN, SUCH AS --game hex]",
    )
    parser.add_argument("run", metavar="RUN", help="a run's folder; one that is not there is begun with the arguments after --")
    parser.add_argument("--address", help="of the cluster, such as auto or 10.0.0.1:6379; by default Ray is started on this machine")
    parser.add_argument("--program", default=str(ROOT / "target/release/treeline"), help="treeline's path on every node (default: %(default)s)")
    parser.add_argument("--ahead", type=float, default=2, metavar="N", help="pieces in the cluster for each of its cores (default: %(default)s)")
    parser.add_argument("--portion-gpus", type=float, default=0, metavar="SHARE", help="of a GPU for each portion, for networks that play on one (default: none)")
    parser.add_argument("--figures", metavar="FILE", help="write seconds and bytes of all pieces there, for simulate.py")
    told = parser.parse_args(own)
    told.begin = begin
    told.program = pieces.found(told.program)
    return told


class Cluster:
    """The nodes as they are, looked at every few seconds."""

    def __init__(self, line):
        self.line = line
        self.seen = 0.0
        self.nodes = {}

    def look(self):
        if time.monotonic() - self.seen < 2:
            return
        self.seen = time.monotonic()
        alive = {node["NodeID"]: node for node in ray.nodes() if node["Alive"]}
        for gone in set(self.nodes) - set(alive):
            name = self.nodes[gone]["NodeManagerHostname"]
            self.line(f"the node {name} ({gone[:8]}) is gone: what it did is done again elsewhere")
        self.nodes = alive

    def cores(self):
        return sum(node["Resources"].get("CPU", 0) for node in self.nodes.values())

    def trainer(self):
        """The node that trains: with a GPU, or with most cores."""
        def strength(node):
            return (node["Resources"].get("GPU", 0), node["Resources"].get("CPU", 0), node["NodeID"])
        return max(self.nodes.values(), key=strength, default=None)

    def options(self, kind, portion_gpus):
        options = {"num_cpus": 1}
        trainer = self.trainer()
        if kind == "portion" or trainer is None:
            options["num_gpus"] = portion_gpus
        elif kind == "train":
            options["num_gpus"] = min(1, trainer["Resources"].get("GPU", 0))
            options["scheduling_strategy"] = NodeAffinitySchedulingStrategy(trainer["NodeID"], soft=True)
        else:
            # A match is at equal time: not beside a training, where there is another node.
            others = [node for node in self.nodes.values() if node is not trainer] or [trainer]
            most = max(others, key=lambda node: node["Resources"].get("CPU", 0))
            options["scheduling_strategy"] = NodeAffinitySchedulingStrategy(most["NodeID"], soft=True)
        return options


class Run:
    def __init__(self, told):
        self.told = told
        self.terminal = sys.stderr.isatty()
        self.cluster = Cluster(self.line)
        # Lost tasks are done again by Ray, as often as it takes.
        self.task = ray.remote(max_retries=-1)(pieces.do)
        self.waiting = collections.deque()
        self.flying = {}
        self.status, self.shown = None, 0.0
        self.figures = collections.defaultdict(list)
        self.received = 0
        command = [told.program, "learn", told.run, "--elsewhere", *told.begin]
        # Ctrl-C is ours to pass on; where we are killed, its stdin ends.
        self.driver = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.program = None
        self.store = pieces.Store(told.run)

    def read(self):
        for line in self.driver.stdout:
            self.lines.put(line.decode())
        self.lines.put(None)

    def line(self, text):
        if self.terminal:
            sys.stderr.write("\r\x1b[K")
        print(text, file=sys.stderr, flush=True)

    def hear(self):
        """Takes what the run says; false when it has ended."""
        while True:
            try:
                line = self.lines.get(timeout=0 if self.flying else 0.05)
            except queue.Empty:
                return True
            if line is None:
                return False
            said = json.loads(line)
            if "id" in said:
                self.waiting.append((said, line.rstrip("\n")))
            elif "drop" in said:
                self.drop(set(said["drop"]))
            elif "status" in said:
                self.status = said["status"]
            else:
                self.program = said["program"]

    def drop(self, ids):
        self.waiting = collections.deque(one for one in self.waiting if one[0]["id"] not in ids)
        for ref, said in list(self.flying.items()):
            if said["id"] in ids:
                ray.cancel(ref, force=True)
                del self.flying[ref]

    def send(self):
        """Gives the cluster as much as it can soon begin with."""
        self.cluster.look()
        most = max(2, self.told.ahead * self.cluster.cores())
        while self.waiting and len(self.flying) < most:
            said, line = self.waiting.popleft()
            try:
                files = self.store.refs(said["reads"])
            except FileNotFoundError:
                if self.driver.poll() is None:
                    raise
                return
            if said["piece"] == "train":
                needed = set(said["reads"]).union(*(other["reads"] for other in self.flying.values()))
                self.store.keep_only(needed)
            options = self.cluster.options(said["piece"], self.told.portion_gpus)
            ref = self.task.options(**options).remote(self.told.program, self.program, line, files)
            self.flying[ref] = said

    def take(self):
        """Brings back what is done."""
        if not self.flying:
            return
        done, rest = ray.wait(list(self.flying), num_returns=1, timeout=0.05)
        if done and rest:
            done += ray.wait(rest, num_returns=len(rest), timeout=0)[0]
        for ref in done:
            said = self.flying.pop(ref)
            try:
                answer, made = ray.get(ref)
            except ray.exceptions.RayError as error:
                # Beyond what Ray repairs by itself; the run asks again.
                answer, made = {"id": said["id"], "error": str(error).strip().splitlines()[-1]}, {}
            if "refused" in answer:
                self.driver.send_signal(signal.SIGINT)
                raise SystemExit(f"{answer['refused']}: put the same file of the program on all machines; nothing is lost")
            for inside, content in made.items():
                path = Path(self.told.run, inside)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
                self.received += len(content)
            for line in answer.pop("said", []):
                self.line(f"{answer['by']}: {line}")
            self.note(said, answer, made)
            try:
                self.driver.stdin.write(json.dumps(answer).encode() + b"\n")
                self.driver.stdin.flush()
            except BrokenPipeError:
                return

    def note(self, said, answer, made):
        receipt = answer.get("receipt")
        if receipt:
            self.figures[said["piece"]].append({
                "seconds": receipt["seconds"],
                "bytes": sum(map(len, made.values())),
                "games": receipt["games"],
                "reads": sum(os.path.getsize(Path(self.told.run, path)) for path in said["reads"] if Path(self.told.run, path).exists()),
                "samples": (receipt.get("trained") or {}).get("shown", 0),
                "by": answer.get("by"),
            })

    def show(self):
        """The live line: over and over on a terminal, else once a minute."""
        every = 0.5 if self.terminal else 60
        if self.status is None or time.monotonic() - self.shown < every:
            return
        self.shown = time.monotonic()
        status, cluster = self.status, self.cluster
        what = "training" if status["training"] else f"playing, game {status['done']}/{status['of']}"
        seconds = int(status["seconds"])
        text = (f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02} · generation {status['generation']} {what} · "
                f"{status['games']} games, {status['states']} states · loss {status['loss']:.4f} · "
                f"{len(cluster.nodes)} nodes, {cluster.cores():.0f} cores · {len(self.flying)} pieces there, {len(self.waiting)} wait")
        if self.terminal:
            sys.stderr.write("\r\x1b[K" + text)
            sys.stderr.flush()
        else:
            print(text, file=sys.stderr, flush=True)

    def work(self):
        while self.hear():
            self.send()
            self.take()
            self.show()
        code = self.driver.wait()
        if self.terminal:
            sys.stderr.write("\r\x1b[K")
        if self.told.figures:
            figures = {"pieces": self.figures, "sent": self.store.bytes, "received": self.received}
            Path(self.told.figures).write_text(json.dumps(figures))
        return code

    def end(self):
        """Whatever happens, nobody is left working on the run."""
        self.driver.stdin.close()
        try:
            self.driver.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.driver.kill()


def main():
    told = arguments()
    # Tasks find the module without a copy of it on the nodes.
    ray.cloudpickle.register_pickle_by_value(pieces)
    ray.init(address=told.address or "local", include_dashboard=None if told.address else False, log_to_driver=False, logging_level="warning")
    run = Run(told)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: run.driver.send_signal(signal.SIGINT))
    try:
        code = run.work()
    finally:
        run.end()
    sys.exit(code)


if __name__ == "__main__":
    main()
