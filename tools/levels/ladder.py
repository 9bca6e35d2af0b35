#!/usr/bin/env python3
"""Measures how far the levels of a game lie apart, and proposes parameters for them.

  tools/levels/ladder.py measure kalah               plays each level 100 times against the next; a table of docs/results/levels.md
  tools/levels/ladder.py fit kalah                   prints the rows of games/kalah/src/levels.rs

A fit goes down from level 10, which is `auto` with the time of --seconds, along a curve: fewer nodes, more doubt. It looks for the
point against which the level above scores --share per cent, and goes on from there. All matches together then say how strong the
points of the curve are, and levels are taken from it at equal distances.
Games are played one at a time on one thread; run it with `nice`.
"""

import argparse
import hashlib
import json
import math
import pathlib
import subprocess
import sys

GAMES = ["breakthrough", "connect-four", "draughts", "hex", "kalah", "lines-of-action", "othello"]
LEVELS = 10
# The wanted share of the stronger of two neighbours.
LEAST, MOST = 65.0, 85.0
# Of a fit: what is close enough, in per cent, and matches for a level at most.
CLOSE, PROBES = 3.0, 6
STRAIGHT = 2e-5


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", choices=["measure", "fit"])
    parser.add_argument("games", nargs="*", default=[], help="all seven, if none is named")
    parser.add_argument("--treeline", default="target/release/treeline", help="the program")
    parser.add_argument("--count", type=int, default=100, help="games of a pair [100]")
    parser.add_argument("--pairs", default="", help="the lower levels of the pairs to measure, such as 1,2,9 [all nine]")
    parser.add_argument("--seconds", type=float, default=0.1, help="time for a move of level 10")
    parser.add_argument("--seed", type=int, default=1, help="of the openings")
    parser.add_argument("--share", type=float, default=75.0, help="what a level of a fit is to score against the one below, in per cent")
    parser.add_argument("--ninth", default="", help="level 9 as NODES,DOUBT instead of finding it by slow games of level 10")
    parser.add_argument("--doubt", type=float, default=5.0, help="doubt of the weakest")
    parser.add_argument("--nodes", default="10,50000", help="nodes of the weakest and of the strongest")
    parser.add_argument("--results", default="target/levels", help="folder for the games")
    return parser.parse_args()


def match(said, game, stronger, weaker, name, seed):
    """Won, drawn and lost games of the stronger."""
    # Another program may have other levels, and other openings are another match: neither goes on with these games.
    build = hashlib.sha256(pathlib.Path(said.treeline).read_bytes()).hexdigest()[:8]
    folder = pathlib.Path(said.results) / build / game / f"{name}-seed-{seed}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    command = [said.treeline, "match", game, "--games", str(said.count), "--concurrency", "1"]
    command += ["--seed", str(seed), "--json", "--results", str(folder)]
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


def level(number, seconds):
    # Lower levels are limited by their nodes.
    return f"auto level={number} seconds={seconds if number == LEVELS else 'off'}"


def measure(said, game):
    print("| game | levels | won | drawn | lost | % | 95 % | |\n|---|---|---|---|---|---|---|---|", flush=True)
    pairs = [int(pair) for pair in said.pairs.split(",") if pair] or range(1, LEVELS)
    for lower in pairs:
        name = f"{lower + 1}-{lower}"
        result = match(said, game, level(lower + 1, said.seconds), level(lower, said.seconds), name, said.seed)
        share, least, most = wilson(*result)
        note = "" if LEAST <= share <= MOST else "outside"
        won, drawn, lost = result
        print(f"| {game} | {lower + 1} : {lower} | {won} | {drawn} | {lost} | {share:.1f} | {least:.1f} to {most:.1f} | {note} |", flush=True)


def on_curve(said, part):
    """(nodes, doubt) from the weakest, 0, to the strongest, 1: nodes by a constant factor, doubt falling faster than a line to nothing."""
    first, last = (float(word) for word in said.nodes.split(","))
    return round(first * (last / first) ** part), round(said.doubt * (1 - part) ** 1.5, 2)


def fit(said, game):
    upper, above, top = f"auto seconds={said.seconds}", None, 1.0
    start = LEVELS - 1
    if said.ninth:
        nodes, doubt = said.ninth.split(",")
        upper, above, start = f"auto doubt={doubt} nodes={nodes} seconds=off", place(said, float(doubt)), LEVELS - 2
        top = above
    matches = []
    for number in range(start, 0, -1):
        low, high, tried = 0.0, 1.0 if above is None else above, []
        for probe in range(PROBES):
            part = (low + high) / 2 if probe or above is not None else high
            nodes, doubt = on_curve(said, part)
            lower = f"auto doubt={doubt} nodes={nodes} seconds=off"
            if lower == upper:
                print(f"# {game} {number}: the curve ends above it; a larger --doubt goes on", flush=True)
                break
            # Other openings than those that are measured.
            name = f"fit-{number}-{nodes}-{doubt}"
            result = match(said, game, upper, lower, name, said.seed + 1000 * number + probe)
            share = wilson(*result)[0]
            tried.append((abs(share - said.share), part, lower))
            if above is not None:
                matches.append((above, part, result))
            print(f"# {game} {number}: ({nodes}, {doubt}) loses {result}, {share:.1f} %", flush=True)
            if tried[-1][0] <= CLOSE:
                break
            low, high = (part, high) if share > said.share else (low, part)
        if not tried:
            break
        _, above, upper = min(tried)
        top = above if number == LEVELS - 1 else top
    for nodes, doubt in spread(said, matches, top):
        print(f"    ({nodes}, {doubt}),", flush=True)


def place(said, doubt):
    """Where this doubt is on the curve."""
    return 1 - (doubt / said.doubt) ** (2 / 3)


def spread(said, matches, top):
    """Levels 1 to 9 at equal distances, as far apart as --share says or as the curve is long, by the ratings that fit all matches
    best: they lie on straight lines between eleven points of the curve, and never fall."""
    knots, scale = 11, math.log(10) / 400
    ratings = [100.0 * i for i in range(knots)]

    def shares(part):
        at = min(int(part * (knots - 1)), knots - 2)
        return (at, 1 - (part * (knots - 1) - at)), (at + 1, part * (knots - 1) - at)

    def rating(part):
        return sum(ratings[at] * share for at, share in shares(part))

    # Newton's steps for each rating by itself; a weak wish for straightness decides where no match does.
    for _ in range(20_000):
        slope, bend = [0.0] * knots, [1e-9] * knots
        for above, below, (won, drawn, lost) in matches:
            count, points = won + drawn + lost, won + drawn / 2
            expected = 1 / (1 + math.exp(scale * (rating(below) - rating(above))))
            for sign, part in ((1, above), (-1, below)):
                for at, share in shares(part):
                    slope[at] += sign * share * scale * (points - count * expected)
                    bend[at] += share * share * scale * scale * count * expected * (1 - expected)
        for at in range(1, knots - 1):
            curvature = ratings[at - 1] - 2 * ratings[at] + ratings[at + 1]
            for near, factor in ((at - 1, 1), (at, -2), (at + 1, 1)):
                slope[near] -= STRAIGHT * factor * curvature
                bend[near] += STRAIGHT * factor * factor
        for at in range(knots):
            ratings[at] += 0.3 * slope[at] / bend[at]
            if at:
                ratings[at] = max(ratings[at], ratings[at - 1] + 1)
    lowest = rating(0.0)
    step = min((rating(top) - lowest) / (LEVELS - 2), 400 * math.log10(said.share / (100 - said.share)))
    print(f"# {step:.0f} Elo a level; 65 to 85 % are 108 to 301", flush=True)
    parts = [i / 2000 * top for i in range(2001)]
    for number in range(LEVELS - 1):
        wanted = rating(top) - step * (LEVELS - 2 - number)
        yield on_curve(said, min(parts, key=lambda part: abs(rating(part) - wanted)))


def main():
    said = arguments()
    for game in said.games or GAMES:
        {"measure": measure, "fit": fit}[said.work](said, game)


if __name__ == "__main__":
    main()
