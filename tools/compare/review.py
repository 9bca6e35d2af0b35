#!/usr/bin/env python3
"""What `treeline review` finds in games of Connect Four, next to what `solve` says of every position.

Plays games between auto and a weak player, reviews them, solves every position over GTP, and counts the moves that changed the
result with best play: found, missed, and found where nothing changed. Exit status 1 if any is missed or wrong.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

WINNERS = {"win": 0, "loss": 1}


class Engine:
    """A session of the engine over GTP."""

    def __init__(self, program, memory):
        command = [program, "--game", "connect-four", "--set", f"memory={memory}", "--set", "threads=1"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        reply = []
        while (text := self.process.stdout.readline()) not in ("\n", ""):
            reply.append(text.rstrip("\n"))
        reply = "\n".join(reply)
        if not reply.startswith("="):
            raise RuntimeError(f"{line}: {reply}")
        return reply[1:].strip()

    def value(self):
        """b, w or draw: who wins the position with best play."""
        result = self.ask("game_result")
        if result != "none":
            return result
        turn = self.ask("side_to_move")
        word = self.ask("solve 600").split()[0]
        if word == "draw":
            return word
        return "bw"["bw".index(turn) ^ WINNERS[word]]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="target/release/treeline")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--weak", default="greedy", help="the weak player's searcher")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", default="10", help="for a position in the review")
    parser.add_argument("--memory", type=int, default=128, help="MiB, of the review and of the solver")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        players = ["--player", "auto", "--player", options.weak, "--seconds", "0.2", "--seed", str(options.seed)]
        subprocess.run(
            [options.program, "match", "connect-four", *players, "--games", str(options.games), "--results", folder],
            check=True, stdout=sys.stderr,
        )
        games = pathlib.Path(folder) / "games.jsonl"
        reviewed = subprocess.run(
            [options.program, "review", str(games), "--all", "--json", "--seconds", options.seconds, "--threads", "1",
             "--set", f"memory={options.memory}"],
            check=True, stdout=subprocess.PIPE, text=True,
        ).stdout
    engine = Engine(options.program, options.memory)
    count = dict.fromkeys(["games", "moves", "changed", "found", "missed", "wrong", "unproven"], 0)
    by_player = {}
    for line in reviewed.splitlines():
        review = json.loads(line)
        count["games"] += 1
        engine.ask("clear_board")
        before = engine.value()
        for ply in review["moves"]:
            engine.ask(f"play {ply['player']} {ply['move']}")
            after = engine.value()
            count["moves"] += 1
            count["unproven"] += ply["provenBefore"] is None or ply["provenAfter"] is None
            if before != after:
                name = review[ply["player"]]["name"]
                by_player[name] = by_player.get(name, 0) + 1
                count["changed"] += 1
                count["found" if ply["proven"] else "missed"] += 1
            elif ply["proven"]:
                count["wrong"] += 1
            before = after
    print(json.dumps({**count, "changed_by": by_player}))
    sys.exit(1 if count["missed"] or count["wrong"] else 0)


if __name__ == "__main__":
    main()
