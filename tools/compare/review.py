#!/usr/bin/env python3
"""Does `treeline review` find the moves that change the result? An exact solver looks at the same games of Connect Four.

    tools/compare/setup.sh
    target/compare-venv/bin/python tools/compare/review.py
    … --judge solve --games 20

Plays games between auto and a weak player, reviews them, and counts the moves that changed the result with best play: found,
missed, and found where nothing changed. The judge is BitBully from PyPI, or the engine's own `solve` over GTP. Exits with 1 if
a move is missed or wrong.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

from gtp import Engine

COLUMNS = "abcdefg"
NUMBERS = ["games", "moves", "changed", "found", "missed", "wrong", "unproven"]


class Bully:
    """BitBully."""

    def __init__(self, _):
        try:
            import bitbully
        except ImportError:
            sys.exit("bitbully is missing: run tools/compare/setup.sh, then use target/compare-venv/bin/python")
        self.board, self.judge = bitbully.Board, bitbully.BitBully()

    def changes(self, moves):
        """Whether each move made the result worse for who made it."""
        for at, (_, text) in enumerate(moves):
            before = self.board([COLUMNS.index(text) for _, text in moves[:at]])
            scores = self.judge.score_all_moves(before)
            signs = {move: (score > 0) - (score < 0) for move, score in scores.items()}
            yield signs[COLUMNS.index(text)] != max(signs.values())


class Solve(Engine):
    """The engine's own solver."""

    def __init__(self, options):
        command = [options.program, "--game", "connect-four", "--set", f"memory={options.memory}", "--set", "threads=1"]
        super().__init__(command)

    def value(self):
        """b, w or draw: who wins the position with best play."""
        result = self.ask("game_result")
        if result != "none":
            return result
        turn = self.ask("side_to_move")
        word = self.ask("solve 600").split()[0]
        if word not in ("win", "loss", "draw"):
            raise RuntimeError(f"solve says {word}")
        other = "w" if turn == "b" else "b"
        return {"win": turn, "loss": other, "draw": word}[word]

    def changes(self, moves):
        """Whether each move made the result worse for who made it."""
        self.ask("clear_board")
        before = self.value()
        for player, text in moves:
            self.ask(f"play {player} {text}")
            after = self.value()
            yield before != after
            before = after


def check(options, lines):
    """Reviews the games of these lines of games.jsonl and judges their moves; what there was to find and was found."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as games:
        games.write("\n".join(lines) + "\n")
        games.flush()
        reviewed = subprocess.run(
            [options.program, "review", games.name, "--all", "--json", "--seconds", options.seconds, "--threads", "1",
             "--set", f"memory={options.memory}"],
            check=True, stdout=subprocess.PIPE, text=True,
        ).stdout
    judge = {"bitbully": Bully, "solve": Solve}[options.judge](options)
    count = collections.Counter()
    for line in reviewed.splitlines():
        review = json.loads(line)
        count["games"] += 1
        changes = judge.changes([(ply["player"], ply["move"]) for ply in review["moves"]])
        for ply, changed in zip(review["moves"], changes, strict=True):
            count["moves"] += 1
            count["unproven"] += ply["provenBefore"] is None or ply["provenAfter"] is None
            if changed:
                count["changed by " + review[ply["player"]]["name"]] += 1
                count["changed"] += 1
                count["found" if ply["proven"] else "missed"] += 1
            elif ply["proven"]:
                count["wrong"] += 1
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="target/release/treeline")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--weak", default="greedy", help="the weak player's searcher")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", default="10", help="for a position in the review")
    parser.add_argument("--memory", type=int, default=128, help="MiB, of each review and each solver")
    parser.add_argument("--judge", choices=["bitbully", "solve"], default="bitbully")
    parser.add_argument("--match", help="the results folder of a match to look at, instead of playing one")
    parser.add_argument("--jobs", type=int, default=1, help="parts of the games that are checked at once")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if not options.match:
            players = ["--player", "auto", "--player", options.weak, "--seconds", "0.2", "--seed", str(options.seed)]
            subprocess.run(
                [options.program, "match", "connect-four", *players, "--games", str(options.games), "--results", folder],
                check=True, stdout=sys.stderr,
            )
        _, *games = (pathlib.Path(options.match or folder) / "games.jsonl").read_text().splitlines()
    parts = [games[job::options.jobs] for job in range(options.jobs)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        counts = pool.map(lambda part: check(options, part), filter(None, parts))
        count = sum(counts, collections.Counter())
    print(json.dumps({**dict.fromkeys(NUMBERS, 0), **count}))
    sys.exit(1 if count["missed"] or count["wrong"] else 0)


if __name__ == "__main__":
    main()
