#!/usr/bin/env python3
"""Fits what a searcher's values are worth in expected score, and checks it on games that the fit did not see.

  tools/calibration/calibrate.py                            every combination of COMBINATIONS: matches, rows, tables
  tools/calibration/calibrate.py othello kalah/mcts         some games, some combinations
  tools/calibration/calibrate.py --games 0 othello          what was played before, without more games

A combination is a game, a searcher of a family and a network. It plays against itself through `treeline match`, with slightly
unequal numbers of nodes from random openings, and every move gives a pair: the value that the search showed, in (-1, 1) for the
side to move, and what that side scored in the end (a draw one half). Values of exactly 1 and -1 are results and left out.

The map is  p = 1 / (1 + exp(-(bias + scale * ln((1 + value) / (1 - value))))),  bias for player one and minus that for player two.
With scale 1 and bias 0 it is the program's plain map (1 + value) / 2. A logistic curve is the likelihood's own for results that
are won or lost; two parameters are what a few hundred games carry: their positions hang together, so that 20,000 of them are worth a
few hundred. It rises everywhere and keeps the ends. A bias is taken only where it is more than two standard errors from 0, by the
games, not their positions.

Half of the openings fit, the other half checks; the row that is printed is of the first half, too, so that the table is its own.
Games are counted in nodes, so that other work on the machine changes nothing. One at a time on one thread; run it with `nice`.
"""

import argparse
import json
import math
import pathlib
import random
import subprocess
import sys

# Game, family, what plays, nodes, random plies of an opening, games. The first of a game is what `auto` plays.
COMBINATIONS = [
    ("breakthrough", "best_first", "ubfm", 4000, 4, 200),
    ("connect-four", "best_first", "ubfm", 4000, 4, 200),
    ("draughts", "alpha_beta", "alpha-beta", 10000, 6, 200),
    ("hex", "mcts", "puct", 400, 4, 200),
    ("kalah", "best_first", "ubfm", 4000, 4, 200),
    ("lines-of-action", "best_first", "ubfm", 4000, 4, 200),
    ("othello", "best_first", "ubfm", 4000, 6, 200),
    ("breakthrough", "alpha_beta", "alpha-beta", 10000, 4, 200),
    ("connect-four", "alpha_beta", "alpha-beta", 10000, 4, 200),
    ("hex", "alpha_beta", "alpha-beta", 2000, 4, 200),
    ("kalah", "alpha_beta", "alpha-beta", 10000, 4, 200),
    ("lines-of-action", "alpha_beta", "alpha-beta", 10000, 4, 200),
    ("othello", "alpha_beta", "alpha-beta", 10000, 6, 200),
    ("kalah", "mcts", "mcts", 2000, 4, 200),
    ("connect-four", "mcts", "mcts", 2000, 4, 200),
    ("othello", "mcts", "puct", 2000, 6, 200),
    ("breakthrough", "mcts", "puct", 2000, 4, 200),
    ("draughts", "mcts", "puct", 2000, 6, 200),
    ("lines-of-action", "mcts", "puct", 2000, 4, 200),
    ("draughts", "best_first", "ubfm", 4000, 6, 200),
]
BINS = 10
BOOTSTRAPS = 1000


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wanted", nargs="*", default=[], help="GAME or GAME/FAMILY; all, if none is named")
    parser.add_argument("--treeline", default="target/release/treeline", help="the program")
    parser.add_argument("--games", type=int, help="games of a combination, instead of its own number; 0 plays none")
    parser.add_argument("--network", default="auto", help="the option network of both players [auto]")
    parser.add_argument("--seed", type=int, default=1, help="of the openings")
    parser.add_argument("--results", default="target/calibration", help="folder for the games")
    return parser.parse_args()


def play(said, folder, game, searcher, nodes, plies, count):
    """Plays until the folder has so many games."""
    command = [said.treeline, "match", game, "--games", str(count), "--concurrency", "1", "--opening", str(plies)]
    command += ["--seed", str(said.seed), "--json", "--results", str(folder), "--memory", "64"]
    for seed, share in ((1, 1.0), (2, 0.8)):
        limits = f"nodes={round(nodes * share)} seconds=off threads=1 seed={seed} network={said.network}"
        command += ["--player", f"{searcher} {limits}"]
    folder.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def read(folder):
    """A list of games, each with its opening and its positions as (logit for the mover, sign of the mover, score of the mover)."""
    games = []
    for line in (folder / "games.jsonl").read_text().splitlines()[1:]:
        record = json.loads(line)
        if record.get("end", {}).get("cause") != "rules":
            continue
        winner = record.get("winner")
        movers, searches = record["movers"], record["searches"]
        first = {None: 0.5, "a": 1.0 if record["a_first"] else 0.0, "b": 0.0 if record["a_first"] else 1.0}[winner]
        positions = []
        for mover, search in zip(movers[len(movers) - len(searches):], searches):
            value = search.get("value")
            if value is None or abs(value) >= 1:
                continue
            sign = 1 if mover == "b" else -1
            positions.append((math.log((1 + value) / (1 - value)), sign, first if sign == 1 else 1 - first))
        games.append((record["number"] // 2, positions))
    return games


def chance(row, logit, sign):
    scale, bias = row
    return 1 / (1 + math.exp(-max(-500.0, min(500.0, scale * logit + sign * bias))))


def fit(games, biased):
    """(scale, bias) of the greatest likelihood, and the bias' standard error with games as units."""
    scale, bias = 1.0, 0.0
    for _ in range(50):
        slope, bend = [0.0, 0.0], [[1e-9, 0.0], [0.0, 1e-9]]
        for _, positions in games:
            for logit, sign, score in positions:
                p = chance((scale, bias), logit, sign)
                x = (logit, sign if biased else 0)
                for i in range(2):
                    slope[i] += x[i] * (score - p)
                    for j in range(2):
                        bend[i][j] += x[i] * x[j] * p * (1 - p)
        (a, b), (_, d) = bend
        over = a * d - b * b
        steps = ((d * slope[0] - b * slope[1]) / over, (a * slope[1] - b * slope[0]) / over)
        scale, bias = max(scale + steps[0], 1e-3), bias + (steps[1] if biased else 0)
        if abs(steps[0]) + abs(steps[1]) < 1e-9:
            break
    middle = 0.0
    for _, positions in games:
        gradient = [0.0, 0.0]
        for logit, sign, score in positions:
            error = score - chance((scale, bias), logit, sign)
            gradient = [gradient[0] + logit * error, gradient[1] + sign * error]
        middle += ((a * gradient[1] - b * gradient[0]) / over) ** 2
    return (scale, bias), math.sqrt(middle)


def losses(games, row):
    """Mean log-loss and mean squared error."""
    log, square, count = 0.0, 0.0, 0
    for _, positions in games:
        for logit, sign, score in positions:
            p = chance(row, logit, sign)
            near = min(max(p, 1e-6), 1 - 1e-6)
            log -= score * math.log(near) + (1 - score) * math.log(1 - near)
            square += (score - p) ** 2
            count += 1
    return log / count, square / count


def reliability(games, row):
    """For each bin of the shown score: mean shown, mean observed, count, and its 95 % interval with games as units."""
    sums = []
    for _, positions in games:
        own = {}
        for logit, sign, score in positions:
            p = chance(row, logit, sign)
            bin_ = own.setdefault(min(int(p * BINS), BINS - 1), [0, 0.0, 0.0])
            bin_[0] += 1
            bin_[1] += p
            bin_[2] += score
        sums.append(own)
    rng = random.Random(1)
    for number in range(BINS):
        having = [own[number] for own in sums if number in own]
        count = sum(bin_[0] for bin_ in having)
        if not count:
            continue
        shown, observed = (sum(bin_[i] for bin_ in having) / count for i in (1, 2))
        means = []
        for _ in range(BOOTSTRAPS):
            drawn = rng.choices(having, k=len(having))
            means.append(sum(bin_[2] for bin_ in drawn) / sum(bin_[0] for bin_ in drawn))
        means.sort()
        yield number, shown, observed, count, len(having), means[int(0.025 * BOOTSTRAPS)], means[int(0.975 * BOOTSTRAPS) - 1]


def network_of(said, game, searcher):
    """The network that judges in this searcher, if one does."""
    commands = f"set_option network {said.network}\nset_searcher {searcher}\nset_option nodes 50\nset_option seconds off\n"
    commands += "genmove b\nsearch_stats\nquit\n"
    done = subprocess.run([said.treeline, "--game", game], input=commands, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        if line.startswith("= {"):
            return json.loads(line[2:])["network"]
    sys.exit(f"no search of {searcher} in {game}\n{done.stdout}{done.stderr}")


def work(said, game, family, searcher, nodes, plies, count):
    network = network_of(said, game, searcher)
    folder = pathlib.Path(said.results) / game / f"{family}-{network or 'none'}"
    count = count if said.games is None else said.games
    if count:
        play(said, folder, game, searcher, nodes, plies, count)
    if not (folder / "games.jsonl").exists():
        return
    games = read(folder)
    seen = [game for game in games if game[0] % 2 == 0]
    held = [game for game in games if game[0] % 2 == 1]
    row, error = fit(seen, True)
    if abs(row[1]) < 2 * error:
        row, _ = fit(seen, False)
    row = (round(row[0], 3), round(row[1], 3))
    named = f'Some("{network}")' if network else "None"
    print(f"\n### {game}, {family}, {network or 'no network'}\n")
    print(f"`{searcher}`, {nodes} and {round(0.8 * nodes)} nodes a move, {len(games)} games, {plies} random plies first.\n")
    print(f'Row: `Calibration::row("{family}", {named}, {row[0]}, {row[1]})`; bias\' standard error {error:.3f}.\n')
    before, after = losses(held, (1.0, 0.0)), losses(held, row)
    print(f"Log-loss on the held-out games {before[0]:.3f} by the plain map, {after[0]:.3f} by the row; squared error {before[1]:.3f}, {after[1]:.3f}.\n")
    print("| shown | plain: mean | observed | 95 % | positions (games) | row: mean | observed | 95 % | positions (games) |")
    print("|---|---|---|---|---|---|---|---|---|")
    plain = {line[0]: line for line in reliability(held, (1.0, 0.0))}
    fitted = {line[0]: line for line in reliability(held, row)}
    for number in range(BINS):
        cells = []
        for table in (plain, fitted):
            if number in table:
                _, shown, observed, positions, own, least, most = table[number]
                cells += [f"{shown:.3f}", f"{observed:.3f}", f"{least:.3f} to {most:.3f}", f"{positions} ({own})"]
            else:
                cells += ["", "", "", ""]
        if any(cells):
            print(f"| {number / BINS:.1f} to {(number + 1) / BINS:.1f} | {' | '.join(cells)} |")
    sys.stdout.flush()


def main():
    said = arguments()
    for combination in COMBINATIONS:
        game, family = combination[:2]
        if not said.wanted or game in said.wanted or f"{game}/{family}" in said.wanted:
            work(said, *combination)


if __name__ == "__main__":
    main()
