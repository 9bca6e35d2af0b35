#!/usr/bin/env python3
"""How many nodes the first search of a fresh process makes, as a part of the best of eight in that process.

    python3 tools/first-search/measure.py target/release/treeline [--games hex othello] [--searchers mcts] [--seconds 0.1 1]
                                          [--rest SECONDS] [--ready] [--threads 2] [--markdown]

Each line is one process: it is started, `reg_genmove b` is its first command, and `clear_cache` stands between the eight
searches, so that all do the same work. ``--rest` waits before the first one, as a player does before a clock starts; `--ready` says `get_ready` first, as `treeline match` does. Nodes are those of
`search_stats`; where those are none (the game's solver answered), the row says so. Needs Python 3.8 and nothing else.
"""

import argparse
import json
import subprocess
import sys
import time

GAMES = "breakthrough connect-four draughts hex kalah lines-of-action othello".split()
SEARCHERS = "auto alpha-beta mcts ubfm".split()
SEARCHES = 8
ENOUGH = 0.8


class Engine:
    def __init__(self, binary, game, searcher, options):
        command = [binary, "--game", game, "--searcher", searcher]
        for option in options:
            command += ["--set", option]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def call(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        reply = []
        while True:
            text = self.process.stdout.readline()
            if not text:
                sys.exit(f"the engine ended after {line}")
            if not text.strip():
                break
            reply.append(text.rstrip())
        if not reply or not reply[0].startswith("="):
            sys.exit(f"{line}: {reply}")
        return "\n".join(reply)[1:].strip()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def nodes_of(stats):
    # Searches that enter no positions count what they do.
    return max(stats["nodes"], stats["simulations"])


def measure(arguments, game, searcher, seconds):
    options = [f"seconds={seconds}"]
    if arguments.threads:
        options.append(f"threads={arguments.threads}")
    engine = Engine(arguments.binary, game, searcher, options)
    time.sleep(arguments.rest)
    if arguments.ready:
        engine.call("get_ready")
    counts = []
    for number in range(SEARCHES):
        if number > 0:
            engine.call("clear_cache")
        engine.call("reg_genmove b")
        counts.append(nodes_of(json.loads(engine.call("search_stats"))))
    engine.end()
    return counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--games", nargs="+", default=GAMES)
    parser.add_argument("--searchers", nargs="+", default=SEARCHERS)
    parser.add_argument("--seconds", nargs="+", default=["0.1", "1"])
    parser.add_argument("--rest", type=float, default=0.0)
    parser.add_argument("--ready", action="store_true")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--markdown", action="store_true")
    arguments = parser.parse_args()
    if arguments.markdown:
        print("| game | searcher | seconds | first search | best of eight | part |\n|---|---|---|---|---|---|")
    short = 0
    for seconds in arguments.seconds:
        for game in arguments.games:
            for searcher in arguments.searchers:
                counts = measure(arguments, game, searcher, seconds)
                part = counts[0] / max(max(counts), 1)
                short += part < ENOUGH
                row = [game, searcher, seconds, f"{counts[0]:,}", f"{max(counts):,}", f"{part:.2f}"]
                print("| " + " | ".join(row) + " |" if arguments.markdown else "\t".join(row), flush=True)
    print(f"{short} of the first searches have less than {ENOUGH:.0%}", file=sys.stderr)
    sys.exit(1 if short else 0)


if __name__ == "__main__":
    main()
