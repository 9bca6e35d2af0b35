#!/usr/bin/env python3
"""How busy a cluster of many nodes would be: the schedule of learn.py with portions and trainings that sleep.

Portions last as long and weigh as much as measured ones (learn.py --figures FILE), go through Ray's object store, and are written to
disk as a run does it. What costs time here is therefore the driver's own: requests, answers, files. A node's cores are slots in a
few processes, since hundreds of real nodes do not fit on one machine; what Ray's scheduler needs for a task is measured besides.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import tempfile
import time
import zlib
from pathlib import Path

import ray


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", help="what learn.py --figures wrote")
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 8, 64, 256, 512], help="how many (default: %(default)s)")
    parser.add_argument("--cores", type=int, default=16, help="of a node (default: %(default)s)")
    parser.add_argument("--portions", type=float, default=4, help="of a generation, for each core (default: %(default)s)")
    parser.add_argument("--fixed", type=int, help="portions of a generation, whatever the cores")
    parser.add_argument("--longer", type=float, default=1, help="portions with so many times the games (default: %(default)s)")
    parser.add_argument("--training", type=float, help="seconds of a generation's training (default: as measured)")
    parser.add_argument("--generations", type=int, default=2, help="(default: %(default)s)")
    parser.add_argument("--ahead", type=float, default=2, help="pieces in the cluster for each core (default: %(default)s)")
    return parser.parse_args()


@ray.remote(num_cpus=0, max_concurrency=20000)
class Slots:
    """Cores of many nodes."""

    def __init__(self, cores):
        self.free = asyncio.Semaphore(cores)
        self.content = os.urandom(1 << 24)

    async def piece(self, files, seconds, size):
        async with self.free:
            await asyncio.sleep(seconds)
        at = random.randrange(max(1, len(self.content) - size))
        return seconds, self.content[at:at + size]


@ray.remote(num_cpus=1)
def nothing(files):
    return b""


def keep(folder, number, content):
    """As a portion reaches the run's folder: written, checked, written anew where it stays."""
    path = Path(folder, str(number))
    path.write_bytes(content)
    content = path.read_bytes()
    zlib.crc32(content)
    with open(Path(folder, f"kept-{number}"), "wb") as file:
        file.write(content)
        os.fsync(file.fileno())
    path.unlink()


def generation(slots, told, cores, portions, pieces, network, folder):
    """Plays a generation; seconds of work."""
    flying, begun, worked = [], 0, 0.0
    while begun < portions or flying:
        while begun < portions and len(flying) < max(2, told.ahead * cores):
            piece = random.choice(pieces)
            seconds, size = piece["seconds"] * told.longer, int(piece["bytes"] * told.longer)
            flying.append(slots[begun % len(slots)].piece.remote([network], seconds, size))
            begun += 1
        done, flying = ray.wait(flying, num_returns=1, timeout=0.05)
        if done and flying:
            more, flying = ray.wait(flying, num_returns=len(flying), timeout=0)
            done += more
        for number, (seconds, content) in enumerate(ray.get(done)):
            worked += seconds
            keep(folder, number, content)
    return worked


def main():
    told = arguments()
    figures = json.loads(Path(told.figures).read_text())["pieces"]
    pieces = figures["portion"]
    training = told.training if told.training is not None else statistics.mean(piece["seconds"] for piece in figures["train"])
    seconds = told.longer * statistics.mean(piece["seconds"] for piece in pieces)
    size = told.longer * statistics.mean(piece["bytes"] for piece in pieces)
    ray.init(address="local", num_cpus=2, include_dashboard=False, logging_level="warning", log_to_driver=False)
    network = ray.put(os.urandom(int(statistics.mean(piece["reads"] for piece in pieces))))
    ray.get([nothing.remote([network]) for _ in range(10)])
    begin = time.monotonic()
    ray.get([nothing.remote([network]) for _ in range(1000)])
    print(f"tasks that do nothing: {1000 / (time.monotonic() - begin):.0f} a second through Ray's scheduler")
    print(f"portions of {seconds:.1f} s and {size / 1e3:.0f} kB; a training of {training:.1f} s\n")
    print("| nodes | cores | portions | playing, s | busy while playing | busy with the training | portions a second | MB a second |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|")
    for nodes in told.nodes:
        cores = nodes * told.cores
        portions = told.fixed or int(cores * told.portions)
        processes = min(4, nodes)
        slots = [Slots.remote(cores // processes) for _ in range(processes)]
        ray.get([slot.piece.remote([network], 0, 1) for slot in slots])
        worked = played = 0.0
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(told.generations):
                begin = time.monotonic()
                worked += generation(slots, told, cores, portions, pieces, network, folder)
                played += time.monotonic() - begin
        whole = played + told.generations * training
        rate = told.generations * portions / played
        print(f"| {nodes} | {cores} | {portions} | {played / told.generations:.1f} | {worked / cores / played:.0%} | "
              f"{worked / cores / whole:.0%} | {rate:.1f} | {rate * size / 1e6:.1f} |", flush=True)
        for slot in slots:
            ray.kill(slot)


if __name__ == "__main__":
    main()
