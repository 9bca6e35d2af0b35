#!/usr/bin/env python3
"""What Ray costs on one machine: games a second, and CPU seconds a game, of the same run with and without it, in turn.

Prints a line a run and the ratio of each pair. Games a second are those of the run's own clock while it plays; CPU seconds are those
of all processes from the first game to the end, Ray's own included, without its start. Linux only.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TICK = os.sysconf("SC_CLK_TCK")


class Clock(threading.Thread):
    """CPU seconds of all processes that carry a mark in their environment, from when the run has begun."""

    def __init__(self, mark, run):
        super().__init__(daemon=True)
        self.mark, self.run_folder = f"TREELINE_MARK={mark}".encode(), run
        self.known, self.before, self.over = {}, {}, False
        self.ours = {}

    def look(self):
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                # A process that is about to become another program does not have the mark yet.
                looks, ours = self.ours.get(entry, (0, False))
                if not ours and looks < 20:
                    ours = self.mark in Path("/proc", entry, "environ").read_bytes()
                    self.ours[entry] = (looks + 1, ours)
                if ours:
                    fields = Path("/proc", entry, "stat").read_text().rsplit(")", 1)[1].split()
                    self.known[entry] = (int(fields[11]) + int(fields[12])) / TICK
            except OSError:
                continue

    def run(self):
        while not self.over:
            self.look()
            if not self.before and (self.run_folder / "checkpoints").is_dir():
                self.before = dict(self.known) or {"none": 0.0}
            time.sleep(0.1)

    def seconds(self):
        self.over = True
        self.join()
        return sum(self.known.values()) - sum(self.before.values())


def measure(command, run, settings, program):
    pairs = [word for pair in settings for word in ("--set", pair)]
    subprocess.run([program, "learn", run, "--prepare", "--game", "othello", "--method", "treestrap", *pairs], check=True, stdout=subprocess.DEVNULL)
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    clock = Clock(mark, run)
    clock.start()
    subprocess.run(command, check=True, env={**os.environ, "TREELINE_MARK": mark}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds = clock.seconds()
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    games = lines[-1]["games"]
    return games / sum(line["playing"] for line in lines), seconds / games


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--set", action="append", default=[], help="more of the run's keys")
    told = parser.parse_args()
    settings = ["run.architecture=patterns(2)", "run.threads=2", "stop.minutes=off", "stop.generations=3", "watch.minutes=off", "play.games=400",
                "play.first-games=off", "play.portion=20", "play.nodes=2000", "train.passes=1", "train.rate=0.02", *told.set]
    ratios = []
    for number in range(told.pairs):
        with tempfile.TemporaryDirectory() as folder:
            plain, ray = Path(folder, "plain"), Path(folder, "ray")
            ways = {
                "plain": lambda: measure([told.program, "learn", plain], plain, settings, told.program),
                "ray": lambda: measure([sys.executable, HERE / "learn.py", ray, "--program", told.program], ray, settings, told.program),
            }
            order = ["plain", "ray"] if number % 2 == 0 else ["ray", "plain"]
            found = {way: ways[way]() for way in order}
            for way in order:
                print(f"{way}: {found[way][0]:.2f} games a second, {found[way][1]:.4f} CPU seconds a game", flush=True)
            ratios.append((found["ray"][0] / found["plain"][0], found["plain"][1] / found["ray"][1]))
            print(f"Ray plays {ratios[-1][0]:.1%} of the games a second, and {ratios[-1][1]:.1%} of the games a CPU second", flush=True)
            same = (plain / "network.safetensors").read_bytes() == (ray / "network.safetensors").read_bytes()
            print(f"the networks are {'the same' if same else 'not the same (several threads trained them)'}", flush=True)
    print("medians: " + ", ".join(f"{statistics.median(column):.1%}" for column in zip(*ratios)))


if __name__ == "__main__":
    main()
