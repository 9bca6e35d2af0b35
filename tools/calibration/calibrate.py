#!/usr/bin/env python3
"""Fits what a searcher's values are worth in expected score, and checks it on games that the fit did not see.

  tools/calibration/calibrate.py                        every combination of COMBINATIONS: matches, rows, tables
  tools/calibration/calibrate.py othello kalah/mcts     some games, some combinations
  tools/calibration/calibrate.py --games 0 othello      what was played before, without more games

A combination is a game, a searcher, which stands for its family, and the network that it takes by itself. It plays against itself
through `treeline match`, with slightly unequal numbers of nodes from random openings, and every move gives a pair: the value that the
search showed, in (-1, 1) for the side to move, and what that side scored in the end, a draw one half. Values of exactly 1 and -1 are
results and left out.

The map is  p = 1 / (1 + exp(-(bias + scale * ln((1 + value) / (1 - value))))).  With scale 1 and bias 0 it is the program's plain
map (1 + value) / 2. It rises everywhere and keeps the ends, and it is fitted by the likelihood that such results have. There are two
parameters, since the positions of a game hang together: 10,000 of them say no more than their few hundred games. The bias is that of
the side to move: a search that ends with the opponent's move sees too little for it, and percentages jump from move to move. A
parameter that is no more than two standard errors (by games) from the plain map's keeps the plain map's number.

The row is fitted on all games. It is checked by five fits, each on four fifths of the openings, whose scores for the last fifth are put
together. Games are counted in nodes, so that other work on the machine changes nothing; one at a time, on one thread; run it with `nice`.
"""

import argparse
import json
import math
import pathlib
import random
import subprocess
import sys

# Game, searcher, nodes, random plies of an opening, games. The first of a game is what `auto` plays.
COMBINATIONS = [
    ("breakthrough", "ubfm", 4000, 4, 200),
    ("connect-four", "ubfm", 4000, 4, 200),
    ("draughts", "alpha-beta", 10000, 6, 200),
    ("hex", "puct", 400, 4, 200),
    ("kalah", "ubfm", 4000, 4, 200),
    ("lines-of-action", "ubfm", 4000, 4, 200),
    ("othello", "ubfm", 4000, 6, 200),
    ("breakthrough", "alpha-beta", 10000, 4, 200),
    ("connect-four", "alpha-beta", 10000, 4, 200),
    ("hex", "alpha-beta", 500, 4, 200),
    ("kalah", "alpha-beta", 10000, 4, 200),
    ("lines-of-action", "alpha-beta", 10000, 4, 200),
    ("othello", "alpha-beta", 10000, 6, 200),
    ("kalah", "mcts", 2000, 4, 200),
    ("connect-four", "mcts", 2000, 4, 200),
    ("othello", "puct", 2000, 6, 200),
    ("breakthrough", "puct", 2000, 4, 200),
    ("draughts", "puct", 2000, 6, 200),
    ("lines-of-action", "puct", 2000, 4, 200),
    ("draughts", "ubfm", 4000, 6, 200),
]
BINS = 10
BOOTSTRAPS = 1000
FOLDS = 5


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wanted", nargs="*", default=[], help="GAME or GAME/SEARCHER; all, if none is named")
    parser.add_argument("--treeline", default="target/release/treeline", help="the program")
    parser.add_argument("--games", type=int, help="games of a combination, instead of its own number; 0 plays none")
    parser.add_argument("--nodes", type=int, help="nodes a move, instead of a combination's own number")
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
    """A list of games, each with its opening and its positions as (logit of the value, score), both the mover's."""
    games = []
    for line in (folder / "games.jsonl").read_text().splitlines()[1:]:
        record = json.loads(line)
        if record.get("end", {}).get("cause") != "rules":
            continue
        movers, searches = record["movers"], record["searches"]
        first = {None: 0.5, "a": 1.0 if record["a_first"] else 0.0, "b": 0.0 if record["a_first"] else 1.0}[record.get("winner")]
        positions = []
        for mover, search in zip(movers[len(movers) - len(searches):], searches):
            value = search.get("value")
            if value is not None and abs(value) < 1:
                positions.append((math.log((1 + value) / (1 - value)), first if mover == "b" else 1 - first))
        games.append((record["number"] // 2, positions))
    return games


def chance(row, logit):
    scale, bias = row
    return 1 / (1 + math.exp(-max(-500.0, min(500.0, scale * logit + bias))))


def likeliest(games, free):
    """(scale, bias) of the greatest likelihood, of which `free` says which are fitted, and their standard errors with games as units."""
    row = [1.0, 0.0]
    for _ in range(50):
        slope, bend = [0.0, 0.0], [[1e-9, 0.0], [0.0, 1e-9]]
        for _, positions in games:
            for logit, score in positions:
                p = chance(row, logit)
                x = (logit if free[0] else 0.0, 1.0 if free[1] else 0.0)
                for i in range(2):
                    slope[i] += x[i] * (score - p)
                    for j in range(2):
                        bend[i][j] += x[i] * x[j] * p * (1 - p)
        inverse = inverted(bend)
        steps = [sum(inverse[i][j] * slope[j] for j in range(2)) for i in range(2)]
        row = [max(row[0] + steps[0], 1e-3), row[1] + steps[1]]
        if max(map(abs, steps)) < 1e-9:
            break
    # The sandwich: what each game adds to the slope is one observation.
    middle = [0.0, 0.0]
    for _, positions in games:
        own = [0.0, 0.0]
        for logit, score in positions:
            error = score - chance(row, logit)
            own = [own[0] + (logit * error if free[0] else 0), own[1] + (error if free[1] else 0)]
        for i in range(2):
            middle[i] += sum(inverse[i][j] * own[j] for j in range(2)) ** 2
    return tuple(row), tuple(map(math.sqrt, middle))


def inverted(matrix):
    (a, b), (c, d) = matrix
    over = a * d - b * c
    return [[d / over, -b / over], [-c / over, a / over]]


def fit(games):
    """The row, rounded, with standard errors of both parameters where both are free."""
    row, errors = likeliest(games, (True, True))
    free = [abs(row[0] - 1) > 2 * errors[0], abs(row[1]) > 2 * errors[1]]
    row = likeliest(games, free)[0] if any(free) else (1.0, 0.0)
    return (round(row[0], 2), round(row[1], 2)), errors


def shown(games):
    """Each game with the plain map's and the row's expected scores of its positions, the row fitted without its opening."""
    scored = []
    for fold in range(FOLDS):
        row, _ = fit([game for game in games if game[0] % FOLDS != fold])
        for opening, positions in games:
            if opening % FOLDS == fold:
                scored.append([(chance((1.0, 0.0), logit), chance(row, logit), score) for logit, score in positions])
    return scored


def losses(scored, which):
    """Mean log-loss and mean squared error."""
    log, square, count = 0.0, 0.0, 0
    for positions in scored:
        for position in positions:
            p, score = position[which], position[2]
            near = min(max(p, 1e-6), 1 - 1e-6)
            log -= score * math.log(near) + (1 - score) * math.log(1 - near)
            square += (score - p) ** 2
            count += 1
    return log / count, square / count


def reliability(scored, which):
    """For each bin of the shown score: its mean, the mean observed, positions, games, and the 95 % interval with games as units."""
    sums = []
    for positions in scored:
        own = {}
        for position in positions:
            bin_ = own.setdefault(min(int(position[which] * BINS), BINS - 1), [0, 0.0, 0.0])
            bin_[0] += 1
            bin_[1] += position[which]
            bin_[2] += position[2]
        sums.append(own)
    rng = random.Random(1)
    for number in range(BINS):
        having = [own[number] for own in sums if number in own]
        count = sum(bin_[0] for bin_ in having)
        if not count:
            continue
        mean, observed = (sum(bin_[i] for bin_ in having) / count for i in (1, 2))
        means = []
        for _ in range(BOOTSTRAPS):
            drawn = rng.choices(having, k=len(having))
            means.append(sum(bin_[2] for bin_ in drawn) / sum(bin_[0] for bin_ in drawn))
        means.sort()
        yield number, mean, observed, count, len(having), means[int(0.025 * BOOTSTRAPS)], means[int(0.975 * BOOTSTRAPS) - 1]


def distance(scored, which):
    """The mean difference between shown and observed scores, over the positions' bins."""
    rows = list(reliability(scored, which))
    return sum(abs(mean - observed) * count for _, mean, observed, count, *_ in rows) / sum(row[3] for row in rows)


def network_of(said, game, searcher):
    """The network that judges in this searcher, if one does."""
    commands = f"set_option network {said.network}\nset_searcher {searcher}\nset_option nodes 50\nset_option seconds off\n"
    commands += "genmove b\nsearch_stats\nquit\n"
    done = subprocess.run([said.treeline, "--game", game], input=commands, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        if line.startswith("= {"):
            return json.loads(line[2:])["network"]
    sys.exit(f"no search of {searcher} in {game}\n{done.stdout}{done.stderr}")


def work(said, game, searcher, nodes, plies, count):
    network = network_of(said, game, searcher)
    name = f"{searcher}-{network or 'none'}" + (f"-{said.nodes}" if said.nodes else "")
    folder, nodes = pathlib.Path(said.results) / game / name, said.nodes or nodes
    count = count if said.games is None else said.games
    if count:
        play(said, folder, game, searcher, nodes, plies, count)
    if not (folder / "games.jsonl").exists():
        return
    games = read(folder)
    (scale, bias), errors = fit(games)
    scored = shown(games)
    named = f'Some("{network}")' if network else "None"
    print(f"\n### {game}, {searcher}, {network or 'no network'}\n")
    print(f"{len(games)} games, {nodes} and {round(0.8 * nodes)} nodes a move, {plies} random plies first.")
    print(f'Row: `Calibration::row("{searcher}", {named}, {scale}, {bias})`; standard errors {errors[0]:.2f} and {errors[1]:.2f}.')
    before, after = losses(scored, 0), losses(scored, 1)
    far = distance(scored, 0), distance(scored, 1)
    print(f"Log-loss {before[0]:.4f} by the plain map, {after[0]:.4f} by the row; squared error {before[1]:.4f}, {after[1]:.4f};")
    print(f"mean distance of shown and observed scores {far[0]:.3f}, {far[1]:.3f}.\n")
    print("| shown | plain | observed | 95 % | positions (games) | row | observed | 95 % | positions (games) |")
    print("|---|---|---|---|---|---|---|---|---|")
    tables = [{line[0]: line for line in reliability(scored, which)} for which in (0, 1)]
    for number in range(BINS):
        cells = []
        for table in tables:
            if number in table:
                _, mean, observed, positions, own, least, most = table[number]
                cells += [f"{mean:.2f}", f"{observed:.2f}", f"{least:.2f} to {most:.2f}", f"{positions} ({own})"]
            else:
                cells += ["", "", "", ""]
        if any(cells):
            print(f"| {number / BINS:.1f} to {(number + 1) / BINS:.1f} | {' | '.join(cells)} |")
    sys.stdout.flush()


def main():
    said = arguments()
    for combination in COMBINATIONS:
        game, searcher = combination[:2]
        if not said.wanted or game in said.wanted or f"{game}/{searcher}" in said.wanted:
            work(said, *combination)


if __name__ == "__main__":
    main()
