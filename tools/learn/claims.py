#!/usr/bin/env python3
"""The papers' claims about learning, measured small: runs of `treeline learn`, then matches between their networks.

    tools/libtorch/setup.sh
    . target/libtorch.env
    cargo build --release --features torch
    python3 tools/learn/claims.py --folder target/claims --output target/claims.md

Every run has one core and the same minutes; --jobs of them work at once. Descent's own variants have an incrementally updated
network, which sees the most games; beside AlphaZero, which needs a policy, both have the same convolution. Whatever was interrupted goes on
where it was when the same command is given again. Needs nothing but Python and the program.
"""

import argparse
import datetime
import itertools
import pathlib
import shutil
import sys
from dataclasses import dataclass

from runs import ROOT, costs, generations, match, over_seeds, prepare, processor, publish, side_by_side, wilson, work

SMALL, WITH_POLICY = "inc(64)", "a0(2,16)"
# A game's own states are few: they are kept and shown as AlphaZero's are, not as those of whole trees (of which 4 % suffice).
FEW_STATES = ("play.games=64", "replay.generations=20", "train.passes=1")


@dataclass(frozen=True)
class Arm:
    """A way of learning, and who plays with what it learned."""

    method: str
    settings: tuple[str, ...]
    player: str
    # Its evaluations are those of this arm, and not its minutes those of all.
    as_much_as: str = ""
    architecture: str = SMALL


ARMS = {
    "tree": Arm("descent", (), "ubfm"),
    "root": Arm("descent", ("data.states=root", *FEW_STATES), "ubfm"),
    "terminal": Arm("descent", ("data.states=terminal", *FEW_STATES), "ubfm"),
    "depth": Arm("descent", ("play.searcher=descent ends=depth",), "ubfm ends=depth"),
    "score": Arm("descent", ("play.searcher=descent ends=score",), "ubfm ends=score"),
    # As much of its time for training as AlphaZero gives.
    "descent": Arm("descent", ("play.nodes=100", "train.passes=0.2"), "ubfm", architecture=WITH_POLICY),
    "alphazero, equal time": Arm("alphazero", (), "puct", architecture=WITH_POLICY),
    "alphazero, equal evaluations": Arm("alphazero", (), "puct", "descent", WITH_POLICY),
}
CLAIMS = {
    "breakthrough size=6x6": [
        ("tree", "root"),
        ("tree", "terminal"),
        ("root", "terminal"),
        ("depth", "tree"),
        ("descent", "alphazero, equal time"),
        ("descent", "alphazero, equal evaluations"),
    ],
    "othello size=6": [
        ("tree", "root"),
        ("tree", "terminal"),
        ("root", "terminal"),
        ("depth", "tree"),
        ("score", "tree"),
        ("score", "depth"),
        ("descent", "alphazero, equal time"),
        ("descent", "alphazero, equal evaluations"),
    ],
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/treeline")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "target/claims", help="runs and matches")
    parser.add_argument("--minutes", type=float, default=12.0, help="of work for each run")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each kind")
    parser.add_argument("--games", type=int, default=40, help="between each two networks that are compared")
    parser.add_argument("--seconds", type=float, default=0.05, help="for a move in them")
    parser.add_argument("--jobs", type=int, default=2, help="runs, and games, at once")
    parser.add_argument("--game", action="append", choices=list(CLAIMS), help="only this game; may be repeated")
    parser.add_argument("--output", type=pathlib.Path, help="a Markdown page; otherwise standard output")
    return parser.parse_args()


def run_folder(args: argparse.Namespace, game: str, arm: str, seed: int) -> pathlib.Path:
    words = f"{game} {arm} {seed}".replace(",", "").replace("=", "-").split()
    return args.folder / "-".join(words)


def short(arm: str, seed: int) -> str:
    return "-".join(arm.replace(",", "").split()) + f"-{seed}"


def learn(args: argparse.Namespace, game: str, name: str, seed: int):
    """Makes the run's folder, if it is not there, and works until the run is over."""
    arm, folder = ARMS[name], run_folder(args, game, name, seed)
    if not (folder / "learn.toml").exists():
        minutes = args.minutes
        settings = [f"run.architecture={arm.architecture}", f"run.seed={seed}", "run.threads=1", "watch.minutes=off"]
        if arm.as_much_as:
            other = generations(run_folder(args, game, arm.as_much_as, seed))
            settings += [f"stop.evaluations={sum(line['evaluations'] for line in other)}", "stop.minutes=off"]
        else:
            settings.append(f"stop.minutes={minutes}")
        prepare(args.binary, folder, game, arm.method, itertools.chain(settings, arm.settings))
    elif not arm.as_much_as and f"\nminutes = {float(args.minutes)}\n" not in (folder / "learn.toml").read_text():
        sys.exit(f"{folder}: it was begun with other --minutes; remove it, or give another --folder")
    work(args.binary, folder)
    print(f"{folder.name}: done", file=sys.stderr)


def play(args: argparse.Namespace, game: str, ours: str, theirs: str) -> list[dict]:
    """Each network of one arm against each of the other."""
    rows = []
    seeds = range(1, args.seeds + 1)
    for a, b in itertools.product(seeds, seeds):
        place = args.folder / "matches" / game.replace(" ", "-")
        place.mkdir(parents=True, exist_ok=True)
        players, results = [], "-against-".join(short(arm, seed) for arm, seed in ((ours, a), (theirs, b)))
        for arm, seed in ((ours, a), (theirs, b)):
            # Players are called by what they are, and names are short.
            network = short(arm, seed) + ".safetensors"
            shutil.copy(run_folder(args, game, arm, seed) / "network.safetensors", place / network)
            players.append(f"{ARMS[arm].player} network={network}")
        more = ("--games", args.games, "--seconds", args.seconds, "--concurrency", args.jobs)
        rows.append(match(args.binary, place, game, players, results, *more))
    return rows


def claims(args: argparse.Namespace, game: str) -> list[str]:
    lines = [
        "",
        "| claim | games | win % | Wilson 95 % | over seeds | of each pair of networks, % |",
        "|---|--:|--:|--:|--:|---|",
    ]
    for ours, theirs in CLAIMS[game]:
        rows = play(args, game, ours, theirs)
        games = sum(row["counted"] for row in rows)
        score = sum(row["a_wins"] + row["draws"] / 2 for row in rows)
        low, high = wilson(score, games)
        percents = [row["a_percent"] for row in rows]
        least, most = over_seeds(percents, args.seeds)
        each = ", ".join(f"{percent:.0f}" for percent in percents)
        name = f"{ours} against {theirs}"
        lines.append(f"| {name} | {games} | {100 * score / games:.1f} | {low:.1f}–{high:.1f} | {least:.0f}–{most:.0f} | {each} |")
    return lines


def arms_of(game: str) -> list[str]:
    return sorted({arm for claim in CLAIMS[game] for arm in claim}, key=list(ARMS).index)


def kinds(games: list[str]) -> list[str]:
    lines = ["", "| arm | method | its keys, beside the method's | network | plays with |", "|---|---|---|---|---|"]
    for name, arm in ARMS.items():
        if any(name in arms_of(game) for game in games):
            keys = " ".join(f"`{key}`" for key in arm.settings)
            lines.append(f"| {name} | `{arm.method}` | {keys} | `{arm.architecture}` | `{arm.player}` |")
    return lines


def main():
    args = arguments()
    page = [
        "# The papers' claims about learning, small",
        "",
        f"- {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}, {processor()}; `tools/learn/claims.py`",
        f"- `{SMALL}`, beside AlphaZero `{WITH_POLICY}`; {args.minutes:g} minutes of one core for each run, {args.seeds} seeds,"
        f" {args.jobs} runs at once",
        f"- matches: {args.games} games for each of the {args.seeds ** 2} pairs of networks, {args.seconds:g} s a move",
        "- Wilson's interval takes games as independent; *over seeds* draws networks anew instead (bootstrap)",
        *kinds(args.game or list(CLAIMS)),
    ]
    for game in args.game or CLAIMS:
        arms = arms_of(game)
        seeds = range(1, args.seeds + 1)
        # Those that are to spend as much as others come after them.
        for later in (False, True):
            jobs = [(arm, seed) for seed in seeds for arm in arms if bool(ARMS[arm].as_much_as) == later]
            side_by_side(args.jobs, learn, [(args, game, *job) for job in jobs])
        runs = {arm: [run_folder(args, game, arm, seed) for seed in seeds] for arm in arms}
        page += ["", f"## {game}", *claims(args, game), *costs(runs)]
    publish(page, args.output)


if __name__ == "__main__":
    main()
