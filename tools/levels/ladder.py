#!/usr/bin/env python3
"""Measures how far the levels of a game lie apart, and proposes parameters for them.

  tools/levels/ladder.py measure kalah               plays each level 100 times against the next; a table of docs/results/levels.md
  tools/levels/ladder.py fit kalah                   prints the rows of games/kalah/src/levels.rs

A fit goes from the weakest to the strongest along a curve: more nodes, less doubt. It plays neighbours on the curve, adds up
their differences in Elo, and takes nine points at equal distances, not farther apart than a stronger one
wins 80 % of. Level 10 is `auto` with the time of --seconds.
Games are played one at a time on one thread; run it with `nice`.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys

GAMES = ["breakthrough", "connect-four", "draughts", "hex", "kalah", "lines-of-action", "othello"]
LEVELS = 10
# The wanted share of the stronger of two neighbours.
LEAST, MOST = 65.0, 85.0
# In Elo: 80 %.
LARGEST_STEP = 241.0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", choices=["measure", "fit"])
    parser.add_argument("games", nargs="*", default=[], help="all seven, if none is named")
    parser.add_argument("--treeline", default="target/release/treeline", help="the program")
    parser.add_argument("--count", type=int, default=0, help="games of a pair [100 to measure, 60 to fit]")
    parser.add_argument("--pairs", default="", help="the lower levels of the pairs to measure, such as 1,2,9 [all nine]")
    parser.add_argument("--seconds", type=float, default=0.1, help="time for a move of level 10")
    parser.add_argument("--seed", type=int, default=1, help="of the openings")
    parser.add_argument("--points", type=int, default=13, help="points on the curve of a fit")
    parser.add_argument("--doubt", type=float, default=4.0, help="doubt of the weakest")
    parser.add_argument("--nodes", default="30,3000", help="nodes of the weakest and of the strongest")
    parser.add_argument("--results", default="target/levels", help="folder for the games")
    return parser.parse_args()


def match(said, game, stronger, weaker, name):
    """Won, drawn and lost games of the stronger."""
    folder = pathlib.Path(said.results) / game / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    command = [said.treeline, "match", game, "--games", str(said.count), "--concurrency", "1"]
    command += ["--seed", str(said.seed), "--json", "--results", str(folder)]
    for player in (stronger, weaker):
        command += ["--player", f"{player} memory=64"]
    done = subprocess.run(command, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and "a_wins" in row:
            won, drawn, lost = row["a_wins"], row["draws"], row["b_wins"]
            return (won, drawn, lost) if row["a"].startswith(stronger) else (lost, drawn, won)
    sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def wilson(won, drawn, lost):
    """Share and 95 % interval, in per cent, a draw counting half."""
    count = won + drawn + lost
    share, z = (won + drawn / 2) / count, 1.96
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return 100 * share, 100 * (middle - half), 100 * (middle + half)


def elo(won, drawn, lost):
    """With half a game for each side, so that a shut-out is finite."""
    share = (won + drawn / 2 + 0.5) / (won + drawn + lost + 1)
    return 400 * math.log10(share / (1 - share))


def level(number, seconds):
    # Lower levels are limited by their nodes.
    return f"auto level={number} seconds={seconds if number == LEVELS else 'off'}"


def measure(said, game):
    print("| game | levels | won | drawn | lost | % | 95 % | |\n|---|---|---|---|---|---|---|---|", flush=True)
    pairs = [int(pair) for pair in said.pairs.split(",") if pair] or range(1, LEVELS)
    for lower in pairs:
        name = f"{lower + 1}-{lower}"
        result = match(said, game, level(lower + 1, said.seconds), level(lower, said.seconds), name)
        share, least, most = wilson(*result)
        note = "" if LEAST <= share <= MOST else "outside"
        won, drawn, lost = result
        print(f"| {game} | {lower + 1} : {lower} | {won} | {drawn} | {lost} | {share:.1f} | {least:.1f} to {most:.1f} | {note} |", flush=True)


def curve(said):
    """(nodes, doubt), the weakest first: nodes by a constant factor, doubt falling faster than a line to nothing."""
    first, last = (float(word) for word in said.nodes.split(","))
    parts = [i / (said.points - 1) for i in range(said.points)]
    return [(round(first * (last / first) ** part), round(said.doubt * (1 - part) ** 1.5, 3)) for part in parts]


def between(points, ratings, wanted):
    """The point on the curve with this rating."""
    for (low, high), (below, above) in zip(zip(points, points[1:]), zip(ratings, ratings[1:])):
        if wanted <= above:
            part = (wanted - below) / max(above - below, 1e-9)
            part = min(max(part, 0.0), 1.0)
            nodes = low[0] * (high[0] / low[0]) ** part
            return round(nodes), round(low[1] + (high[1] - low[1]) * part, 2)
    return points[-1]


def fit(said, game):
    points, ratings = curve(said), [0.0]
    players = [f"auto doubt={doubt} nodes={nodes} seconds=off" for nodes, doubt in points]
    players.append(f"auto seconds={said.seconds}")
    for i, (weaker, stronger) in enumerate(zip(players, players[1:])):
        result = match(said, game, stronger, weaker, f"fit {weaker}, {stronger}".replace(" ", "_"))
        # Nobody is weaker for seeing more; what says so is luck.
        ratings.append(ratings[-1] + max(elo(*result), 1.0))
        print(f"# {game} {i}: {weaker} loses {result} to {stronger}: {ratings[-1]:.0f}", flush=True)
    # Where the curve is too long for nine such steps, its weak end is left out.
    step = min(ratings[-1] / (LEVELS - 1), LARGEST_STEP)
    print(f"# {game}: {step:.0f} Elo a level; 65 to 85 % is 108 to 301")
    for number in range(LEVELS - 1):
        nodes, doubt = between(points, ratings, ratings[-1] - step * (LEVELS - 1 - number))
        print(f"    ({nodes}, {doubt}),", flush=True)


def main():
    said = arguments()
    said.count = said.count or {"measure": 100, "fit": 60}[said.work]
    for game in said.games or GAMES:
        {"measure": measure, "fit": fit}[said.work](said, game)


if __name__ == "__main__":
    main()
