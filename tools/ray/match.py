#!/usr/bin/env python3
"""A match whose parts are played by a Ray cluster, and joined: the same games as `treeline match FILE.toml` plays.

Parts that are over are kept in FILE.parts/, or beside the match's `results`; the same command goes on with those that are missing. The match file goes to the nodes
with the openings, engine files and networks that it names; programs of other engines have to be on the nodes.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

import ray

import pieces

ROOT = Path(__file__).resolve().parents[2]
TRIES = 4


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="a match file")
    parser.add_argument("--address", help="of the cluster, such as auto or 10.0.0.1:6379; by default Ray is started on this machine")
    parser.add_argument("--program", default=str(ROOT / "target/release/treeline"), help="treeline's path on every node (default: %(default)s)")
    parser.add_argument("--parts", type=int, metavar="N", help="parts of the match (default: four for each core of the cluster)")
    parser.add_argument("--cores", type=float, default=1, metavar="N", help="of each part, which plays one game at a time (default: %(default)s)")
    told = parser.parse_args()
    told.program = pieces.found(told.program)
    return told


def most_parts(match):
    """Both games from an opening are in one part: there are no more parts than openings."""
    engines = len(match.get("engine", []))
    pairs = engines - 1 if match.get("pairing") == "first-against-all" else engines * (engines - 1) // 2
    games = match.get("game", "")
    return -(-match.get("games", 100) // 2) * (len(games) if isinstance(games, list) else 1) * pairs


def network_files(path):
    """A network's file, or a bundle with the networks that it names; none for a network that the program brings along."""
    if not path.is_file():
        return []
    if path.suffix != ".toml":
        return [path]
    named = tomllib.loads(path.read_text()).values()
    return [path] + [path.parent / name for name in named if isinstance(name, str) and name.endswith(".safetensors")]


def files_of(file):
    """The match file and the files that it names, absolute paths."""
    match = tomllib.loads(file.read_text())
    found = [file]
    openings = match.get("openings", {}).get("file")
    if openings:
        found.append(file.parent / openings)
    for engine in match.get("engine", []):
        said = [engine]
        if "file" in engine:
            path = file.parent / engine["file"]
            found.append(path)
            said.append(tomllib.loads(path.read_text()))
        for table in said:
            # As the searcher finds it: from where the command is given.
            for name in re.findall(r"network=(\S+)", table.get("searcher", "")):
                found += network_files(Path(name))
    return match, [Path(os.path.normpath(path.absolute())) for path in found]


def program_of(program):
    """What a program calls itself: two that are called alike play the same games."""
    hello = subprocess.run([program, "learn", "worker"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True).stdout
    return json.loads(hello.splitlines()[0])["program"]


def play(program, wanted, part, file, here, files):
    """A task: plays a part in a folder where all files lie as they lie on the driver's machine. Its games, or why there are none."""
    found = program_of(program)
    if found != wanted:
        return {"refused": f"{pieces.where()} has '{found}' as {program}, and the match is played by '{wanted}'"}
    with tempfile.TemporaryDirectory(prefix="treeline-part-") as folder:
        def inside(path):
            return os.path.join(folder, str(path).lstrip("/"))

        for path, content in zip(files, ray.get(list(files.values()))):
            os.makedirs(os.path.dirname(inside(path)), exist_ok=True)
            Path(inside(path)).write_bytes(content)
        os.makedirs(inside(here), exist_ok=True)
        results = os.path.join(folder, "results")
        command = [program, "match", inside(file), "--part", part, "--results", results, "--concurrency", "1"]
        done = subprocess.run(command, cwd=inside(here), stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"]
            return {"error": f"{pieces.where()}: {lines[-1]}"}
        return {"games": Path(results, "games.jsonl").read_bytes(), "by": pieces.where()}


class Match:
    def __init__(self, told):
        self.told = told
        self.file = Path(told.file).absolute()
        match, files = files_of(self.file)
        cores = ray.cluster_resources().get("CPU", 1)
        self.of = max(1, min(told.parts or int(4 * cores), most_parts(match)))
        self.refs = {str(path): ray.put(path.read_bytes()) for path in files}
        self.program = program_of(told.program)
        # Lost tasks are done again by Ray, as often as it takes.
        self.task = ray.remote(max_retries=-1, num_cpus=told.cores)(play)
        results = match.get("results")
        self.folder = Path(f"{self.file.parent / results}.parts") if results else self.file.with_suffix(".parts")

    def kept(self, number):
        return self.folder / f"{number}-of-{self.of}"

    def submit(self, number):
        part = f"{number}/{self.of}"
        return self.task.remote(self.told.program, self.program, part, str(self.file), os.getcwd(), self.refs)

    def keep(self, number, games):
        """A part is there as a whole or not at all."""
        half = self.folder / f"{number}-of-{self.of}.half"
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir(parents=True)
        (half / "games.jsonl").write_bytes(games)
        half.rename(self.kept(number))

    def play(self):
        missing = [number for number in range(1, self.of + 1) if not self.kept(number).is_dir()]
        print(f"{self.of - len(missing)} of {self.of} parts are there", file=sys.stderr)
        flying, tries, shown = {self.submit(number): number for number in missing}, dict.fromkeys(missing, 1), time.monotonic()
        while flying:
            done, _ = ray.wait(list(flying), num_returns=1, timeout=1)
            for ref in done:
                number = flying.pop(ref)
                try:
                    came = ray.get(ref)
                except ray.exceptions.RayError as error:
                    came = {"error": str(error).strip().splitlines()[-1]}
                if "refused" in came:
                    sys.exit(f"{came['refused']}: put the same file of the program on all machines; nothing is lost")
                if "games" in came:
                    self.keep(number, came["games"])
                    continue
                if tries[number] == TRIES:
                    sys.exit(f"part {number}/{self.of} failed {TRIES} times, at last since: {came['error']}; the others are kept")
                tries[number] += 1
                print(f"part {number}/{self.of} is played again: {came['error']}", file=sys.stderr)
                flying[self.submit(number)] = number
            if time.monotonic() - shown > (1 if sys.stderr.isatty() else 60):
                shown = time.monotonic()
                end = "\r" if sys.stderr.isatty() else "\n"
                print(f"{self.of - len(flying)} of {self.of} parts are over", end=end, file=sys.stderr, flush=True)

    def join(self):
        parts = [str(self.kept(number)) for number in range(1, self.of + 1)]
        return subprocess.run([self.told.program, "match", str(self.file), "--join", *parts]).returncode


def main():
    told = arguments()
    ray.cloudpickle.register_pickle_by_value(pieces)
    ray.init(address=told.address or "local", include_dashboard=None if told.address else False, log_to_driver=False, logging_level="warning")
    match = Match(told)
    match.play()
    sys.exit(match.join())


if __name__ == "__main__":
    main()
