#!/usr/bin/env python3
"""What two threads and what reports cost `treeline analyze`.

    cargo build --release
    python3 tools/compare/analyze.py threads      1,000 positions of seven games by one thread and by two
    python3 tools/compare/analyze.py reports      nodes of a search that reports as often as the page asks, and of one that does not

`threads` prints what one thread took over what two took on the clock, and in the same run what two programs of one thread took for half of the positions
each: what the machine has to give. `reports` gives each search the same time on one processor, so that what writes and sends reports counts, too.
Needs nothing but Python, the program and two processors that are otherwise idle.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import threading
import time

from gtp import Engine

ROOT = pathlib.Path(__file__).resolve().parents[2]
GAMES = ["breakthrough", "connect-four", "draughts", "hex", "kalah", "lines-of-action", "othello"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", choices=["threads", "reports"])
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/treeline")
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--nodes", type=int, default=20_000, help="of each position, for `threads`")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each search, for `reports`")
    parser.add_argument("--every", type=float, default=0.15, help="seconds between two reports")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--games", default=",".join(GAMES))
    return parser.parse_args()


def positions(said, count):
    """The moves of games of `auto level=3`, cut at plies from 2 on, the games in turn."""
    games, lines = said.games.split(","), []
    each = -(-count // len(games))
    for game in games:
        engine = Engine([said.binary, "--game", game, "--searcher", "auto level=3", "--set", "seed=1"])
        found = []
        while len(found) < each:
            engine.ask("clear_board")
            moves = []
            while len(moves) < 60 and engine.ask("game_result") == "none":
                moves.append(engine.ask(f"genmove {engine.ask('side_to_move')}"))
            found += [moves[:ply] for ply in range(2, len(moves) - 2, 3)]
        # What it holds in memory is not to stand beside what is measured.
        engine.ask("quit")
        engine.process.wait()
        lines += [{"game": game, "moves": moves} for moves in found[:each]]
    # Round robin, so that each half of the list has all games.
    lines = [line for at in range(each) for line in lines[at::each]]
    return lines[:count]


def analyze(said, requests, threads, prefix=()):
    """Starts the program and writes the requests; the answers are to be read."""
    command = [*prefix, said.binary, "analyze", "--threads", str(threads)]
    running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    return running, "".join(json.dumps({"id": str(at), **request}) + "\n" for at, request in enumerate(requests))


def finish(started):
    """Their last answers. The programs run beside each other."""
    answers = [None] * len(started)

    def one(at):
        running, text = started[at]
        answers[at] = running.communicate(text)[0]

    workers = [threading.Thread(target=one, args=(at,)) for at in range(len(started))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    rows = [json.loads(line) for text in answers for line in text.splitlines()]
    for row in rows:
        if "error" in row:
            sys.exit(f"refused: {row}")
    return rows


def threads(said):
    lines = [{**line, "nodes": said.nodes, "seed": 1} for line in positions(said, said.positions)]
    print(f"{len(lines)} positions, {said.nodes} nodes each", file=sys.stderr)
    print("| one thread, s | two threads, s | two programs with half each, s | two threads are | two programs are |")
    print("|---|---|---|---|---|")
    ratios = []
    for _ in range(said.rounds):
        took = []
        for parts, count in ([lines], 1), ([lines], 2), ([lines[::2], lines[1::2]], 1):
            begin = time.monotonic()
            rows = finish([analyze(said, part, count) for part in parts])
            took.append(time.monotonic() - begin)
            if len(rows) != len(lines):
                sys.exit(f"{len(rows)} answers to {len(lines)} requests")
        ratios.append(took[0] / took[1])
        print("| {:.2f} | {:.2f} | {:.2f} | {:.2f} times as fast | {:.2f} |".format(*took, took[0] / took[1], took[0] / took[2]), flush=True)
    print(f"\nmedian: {statistics.median(ratios):.2f}")


def reports(said):
    print("| game | nodes without reports | with | reports | with / without |")
    print("|---|---|---|---|---|")
    processor = sorted(os.sched_getaffinity(0))[-1]
    prefix = ["taskset", "-c", str(processor)]
    for game in said.games.split(","):
        nodes, seen = {False: [], True: []}, 0
        for _ in range(said.rounds):
            for told in False, True:
                # The first search of a process makes its memory ready; the second counts.
                request = {"game": game, "seconds": said.seconds}
                if told:
                    request["reportDuringSearchEvery"] = said.every
                rows = finish([analyze(said, [request, {**request, "moves": []}], 1, prefix)])
                last = [row for row in rows if row["id"] == "1"]
                nodes[told].append(last[-1]["rootInfo"]["nodes"])
                seen += sum(row["isDuringSearch"] for row in last)
        before, after = (statistics.median(nodes[told]) for told in (False, True))
        print(f"| {game} | {before:,.0f} | {after:,.0f} | {seen / said.rounds:.1f} | {after / before:.4f} |", flush=True)


if __name__ == "__main__":
    said = arguments()
    {"threads": threads, "reports": reports}[said.work](said)
