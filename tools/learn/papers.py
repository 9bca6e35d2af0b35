#!/usr/bin/env python3
"""The papers' comparisons of ways to learn, small: runs of `treeline learn`, then the papers' tables between what they learned.

    tools/libtorch/setup.sh
    . target/libtorch.env
    cargo build --release --features torch
    python3 tools/learn/papers.py alphas --output target/alphas.md     ALPHAS Tables 3.2 (AlphaZero's players), 4.6 and 4.7
    python3 tools/learn/papers.py mpv --output target/mpv.md           MPV Figures 8.5 to 8.7

Every run has one thread and the same minutes of processor time; --jobs of them work at once. Networks are small, and those of one paper are alike. Whatever was interrupted
goes on where it was when the same command is given again. Needs Python and the program, and scipy for ANOVA and Tukey's test, which are left
out without it.
"""

import argparse
import datetime
import itertools
import math
import pathlib
import re
import shutil
import statistics
import sys
from dataclasses import dataclass

from runs import ROOT, costs, match, over_seeds, prepare, processor, publish, side_by_side, wilson, work

try:
    from scipy import stats
except ImportError:
    stats = None


@dataclass(frozen=True)
class Arm:
    """A way of learning, and who plays with what it learned."""

    method: str
    player: str
    settings: tuple[str, ...] = ()
    # Keys whose values are so many for each minute, where a run ends with its stages and not by the clock.
    each_minute: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Paper:
    title: str
    games: tuple[str, ...]
    # The network of all arms, and what they have in common.
    settings: tuple[str, ...]
    arms: dict[str, Arm]


# Games and states as AlphaZero's of the thesis, in generations of a tenth so that a short run has some.
GENERATIONS = ("play.games=100", "replay.generations=10")
ALPHAS = Paper(
    "ALPHAS, chapters 3 and 4, small",
    ("connect-four", "othello"),
    ("run.architecture=a0(2,32,64)",),
    {
        "AlphaGo": Arm(
            "alphago",
            "alphago simulations=100",
            each_minute=(("alphago.recorded", 150), ("alphago.iterations", 50), ("alphago.valued", 600)),
        ),
        "AlphaZero": Arm("alphas", "az simulations=100", GENERATIONS),
        "MuZero": Arm(
            "muzero",
            "muzero simulations=100",
            ("muzero.latent=16", "muzero.dynamics=fcgp(2,32,64)", "muzero.prediction=a0(1,32,64)", "run.architecture=fcgp(2,32,64)"),
        ),
        # More games than the preset's, since playing them costs a twentieth of what learning does.
        "DQN": Arm("dqn", "dqn", ("play.opening=6", "play.games=100", "dqn.epsilon-games=4000")),
    },
)
MPV = Paper(
    "MPV, Figures 8.5 to 8.7, small",
    ("draughts length=150 no-progress=20 progress=captures repetition=off endgame-16=off endgame-5=off",),
    ("run.architecture=a0(2,32,64)", "play.games=25", "train.passes=2"),
    {
        "baseline": Arm("mpv-baseline", "az simulations=50"),
        "three-stage": Arm("three-stage", "three-stage simulations=50", ("small.architecture=a0(1,16,32)",)),
        "mpv": Arm("mpv", "mpv simulations=90", ("small.architecture=a0(1,16,32)",)),
        "hybrid": Arm("hybrid", "hybrid simulations=90", ("small.architecture=a0(1,16,32)",)),
    },
)


class Comparison:
    """What the command line asks for."""

    def __init__(self, args: argparse.Namespace, paper: Paper):
        self.args, self.paper = args, paper
        self.seeds = range(1, args.seeds + 1)

    # Learning.

    def place(self, game: str) -> pathlib.Path:
        """Where a game's matches are played, with the networks in it, so that players' names are short."""
        return self.args.folder / game.split()[0]

    def run(self, game: str, arm: str, seed: int) -> pathlib.Path:
        return self.place(game) / "runs" / f"{arm}-{seed}"

    def learn(self, game: str, name: str, seed: int):
        """Learns in equal parts of its minutes, and keeps what there is after each."""
        arm, folder, minutes = self.paper.arms[name], self.run(game, name, seed), self.args.minutes
        if not (folder / "learn.toml").exists():
            own = [f"{key}={max(1, round(count * minutes))}" for key, count in arm.each_minute]
            common = (f"run.seed={seed}", "run.threads=1", "watch.minutes=off", "stop.minutes=off")
            prepare(self.args.binary, folder, game, arm.method, [*self.paper.settings, *arm.settings, *own, *common])
        parts = [1.0] if arm.each_minute else [(part + 1) / self.args.parts for part in range(self.args.parts)]
        for part, share in enumerate(parts, 1 + self.args.parts - len(parts)):
            kept = self.place(game) / self.learned(name, seed, part).parent
            if kept.is_dir():
                continue
            work(self.args.binary, folder, None if arm.each_minute else minutes * share)
            if not any(folder.glob("network*")):
                sys.exit(f"{folder}: not one generation was over; --minutes must be more")
            half = kept.with_name(kept.name + ".part")
            shutil.rmtree(half, ignore_errors=True)
            half.mkdir(parents=True)
            for file in folder.glob("network*"):
                if file.is_file():
                    shutil.copy(file, half)
            half.rename(kept)
            print(f"{game.split()[0]}, {name} {seed}: part {part} of {self.args.parts}", file=sys.stderr)

    def learned(self, name: str, seed: int, part: int) -> pathlib.Path:
        """The file to play with after so many parts, as seen from the matches' folder."""
        several = self.paper.arms[name].method in ("alphago", "muzero", "three-stage", "mpv", "hybrid")
        return pathlib.Path(f"{name}-{seed}-{part}") / ("network.toml" if several else "network.safetensors")

    def learn_all(self, game: str):
        jobs = list(itertools.product([game], self.paper.arms, self.seeds))
        side_by_side(self.args.jobs, self.learn, jobs)

    # Playing.

    def player(self, name: str, seed: int, part: int | None = None, player: str | None = None) -> str:
        network = self.learned(name, seed, part or self.args.parts)
        return f"{player or self.paper.arms[name].player} network={network}"

    def match(self, game: str, name: str, players: list[str]) -> dict:
        place = self.place(game)
        place.mkdir(parents=True, exist_ok=True)
        results = "results/" + re.sub(r"[^A-Za-z0-9-]+", "-", name)
        more = ("--games", self.args.games, "--seconds", "off", "--concurrency", self.args.jobs)
        return match(self.args.binary, place, game, players, results, *more)

    def parts(self, name: str) -> range:
        """After which parts there is something to play with."""
        return range(self.args.parts if self.paper.arms[name].each_minute else 1, self.args.parts + 1)

    def against(self, game: str, name: str, opponent: str, part: int) -> list[float]:
        """Per cent of each seed's network after a part."""
        rows = [
            self.match(game, f"{name} {seed} {part} {opponent}", [self.player(name, seed, part), opponent]) for seed in self.seeds
        ]
        return [row["a_percent"] for row in rows]

    # Tables.

    def pairs(self, game: str) -> list[str]:
        """Every way of learning against every other, each network of one against each of the other."""
        lines = ["", "| first | second | games | first % | Wilson 95 % | over seeds | of each pair of networks, % |", "|---|---|--:|--:|--:|--:|---|"]
        for ours, theirs in itertools.combinations(self.paper.arms, 2):
            rows = []
            for a, b in itertools.product(self.seeds, self.seeds):
                players = [self.player(ours, a), self.player(theirs, b)]
                rows.append(self.match(game, f"{ours} {a} {theirs} {b}", players))
            games = sum(row["counted"] for row in rows)
            score = sum(row["a_wins"] + row["draws"] / 2 for row in rows)
            percents = [row["a_percent"] for row in rows]
            (low, high), (least, most) = wilson(score, games), over_seeds(percents, self.args.seeds)
            each = ", ".join(f"{percent:.0f}" for percent in percents)
            middle = f"{100 * score / games:.1f} | {low:.1f} to {high:.1f} | {least:.0f} to {most:.0f}"
            lines.append(f"| {ours} | {theirs} | {games} | {middle} | {each} |")
        return lines

    def by_seat(self, game: str) -> list[str]:
        """Each network against itself: who wins from which seat, and after how many plies."""
        lines = ["", "| | games | wins of the first | of the second | ties | plies a game |", "|---|--:|--:|--:|--:|--:|"]
        for name in self.paper.arms:
            first = second = ties = 0.0
            plies, games = [], 0
            for seed in self.seeds:
                one = self.player(name, seed)
                # The same player by another name: engines of a match must differ in theirs.
                words = one.split()
                row = self.match(game, f"{name} {seed} itself", [one, " ".join([words[0], *reversed(words[1:]), "seed=2"])])
                wins = row["counted"] * row["player_one_percent"] / 100 - row["draws"] / 2
                first, ties = first + wins, ties + row["draws"]
                second, games = second + row["counted"] - wins - row["draws"], games + row["counted"]
                plies.append(row["mean_plies"])
            lines.append(f"| {name} | {games} | {first:.0f} | {second:.0f} | {ties:.0f} | {statistics.fmean(plies):.1f} |")
        return lines

    def curves(self, game: str, opponents: list[str]) -> list[str]:
        """Strength over time: per cent against opponents, mean of the seeds and how far they lie apart, after each part."""
        each = self.args.minutes / self.args.parts
        lines = ["", "| | minutes | " + " | ".join(f"against {name} %" for name in opponents) + " |", "|---|--:|" + "--:|" * len(opponents)]
        for name in self.paper.arms:
            for part in self.parts(name):
                cells = [spread(self.against(game, name, opponent, part)) for opponent in opponents]
                lines.append(f"| {name} | {each * part:g} | " + " | ".join(cells) + " |")
        return lines


def spread(percents: list[float]) -> str:
    text = f"{statistics.fmean(percents):.0f}"
    return text if len(percents) == 1 else f"{text} ({min(percents):.0f} to {max(percents):.0f})"


def elo(percent: float, games: int) -> float:
    """The difference that a score stands for; half a game short of all or nothing at most."""
    share = min(max(percent / 100, 0.5 / games), 1 - 0.5 / games)
    return 400 * math.log10(share / (1 - share))


def tests(groups: dict[str, list[float]]) -> list[str]:
    """One-way ANOVA and Tukey's test between groups whose members are networks."""
    if stats is None or min(map(len, groups.values())) < 2:
        return ["", "ANOVA and Tukey's test need scipy, and two seeds or more."]
    samples = list(groups.values())
    if len({value for sample in samples for value in sample}) < 2:
        return ["", "All networks score the same."]
    found = stats.f_oneway(*samples)
    tukey = stats.tukey_hsd(*samples)
    pairs = itertools.combinations(range(len(samples)), 2)
    names = list(groups)
    each = "; ".join(f"{names[a]} and {names[b]} {tukey.pvalue[a][b]:.3f}" for a, b in pairs)
    anova = f"F = {found.statistic:.2f}, p = {found.pvalue:.3f}"
    return ["", f"ANOVA between them, networks as repetitions: {anova}. Tukey: {each}."]


def alphas(ask: Comparison, game: str) -> list[str]:
    lines = ["", "Against each other:", *ask.pairs(game)]
    lines += ["", "Against itself (Tables 4.6 and 4.7):", *ask.by_seat(game)]
    lines += ["", "Over time:", *ask.curves(game, ["greedy", "random"])]
    # Table 3.2.
    opponents = ["greedy", "random", "alpha-beta-depth-5"]
    lines += ["", "AlphaZero's players with its networks, % against greedy / random / minimax (Table 3.2; minimax is `alpha-beta-depth-5`):"]
    lines += ["", "| player | 10 simulations | 100 simulations |", "|---|--:|--:|"]
    means: dict[str, list[float]] = {}
    for name in ("az", "az-uct", "az-la", "az-all"):
        cells, all_percents = [], [[] for _ in ask.seeds]
        for simulations in (10, 100):
            percents = []
            for opponent in opponents:
                rows = []
                for at, seed in enumerate(ask.seeds):
                    one = ask.player("AlphaZero", seed, player=f"{name} simulations={simulations}")
                    rows.append(ask.match(game, f"{name} {seed} {simulations} {opponent}", [one, opponent])["a_percent"])
                    all_percents[at].append(rows[-1])
                percents.append(statistics.fmean(rows))
            cells.append(" / ".join(f"{percent:.1f}" for percent in percents))
        means[name] = [statistics.fmean(percents) for percents in all_percents]
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return lines + tests(means)


def mpv(ask: Comparison, game: str) -> list[str]:
    opponents = ["random", "alpha-beta-classic plies=2"]
    lines = ["", "Over time (Figures 8.5 and 8.6):", *ask.curves(game, opponents)]
    lines += ["", "Against the baseline's network of the same seed and time (Figure 8.7):", ""]
    lines += ["| | minutes | % | Elo |", "|---|--:|--:|--:|"]
    each, last = ask.args.minutes / ask.args.parts, {}
    for name in list(ask.paper.arms)[1:]:
        for part in ask.parts(name):
            rows = []
            for seed in ask.seeds:
                players = [ask.player(name, seed, part), ask.player("baseline", seed, part)]
                rows.append(ask.match(game, f"{name} {seed} {part} baseline", players)["a_percent"])
            difference = elo(statistics.fmean(rows), ask.args.games * len(rows))
            lines.append(f"| {name} | {each * part:g} | {spread(rows)} | {difference:+.0f} |")
    for name in ask.paper.arms:
        last[name] = ask.against(game, name, opponents[-1], ask.args.parts)
    return lines + ["", f"In the end, against `{opponents[-1]}`:", *tests(last)]


PAPERS = {"alphas": (ALPHAS, alphas), "mpv": (MPV, mpv)}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paper", choices=list(PAPERS))
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/treeline")
    parser.add_argument("--folder", type=pathlib.Path, help="runs and matches (target/papers-PAPER)")
    parser.add_argument("--minutes", type=float, default=12.0, help="of processor time for each run")
    parser.add_argument("--parts", type=int, default=3, help="equal parts of those, after each of which strength is measured")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each kind")
    parser.add_argument("--games", type=int, default=40, help="of each match between two players")
    parser.add_argument("--jobs", type=int, default=2, help="runs, and games, at once")
    parser.add_argument("--game", action="append", help="only this game of the paper; may be repeated")
    parser.add_argument("--output", type=pathlib.Path, help="a Markdown page; otherwise standard output")
    args = parser.parse_args()
    args.folder = args.folder or ROOT / f"target/papers-{args.paper}"
    return args


def main():
    args = arguments()
    paper, tables = PAPERS[args.paper]
    known = {game.split()[0]: game for game in paper.games}
    unknown = [game for game in args.game or [] if game not in known]
    if unknown:
        sys.exit(f"papers.py: {unknown[0]} is none of the paper's games: {', '.join(known)}")
    ask = Comparison(args, paper)
    page = [
        f"# {paper.title}",
        "",
        f"- {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}, {processor()}; `tools/learn/papers.py {args.paper}`",
        f"- {args.minutes:g} minutes of processor time for each run, {args.seeds} seeds, {args.jobs} runs at once; for all: "
        + " ".join(f"`{setting}`" for setting in paper.settings),
        f"- {args.games} games of each match, openings of two random plies from both seats",
        "",
        "| | method | its keys, beside the method's | plays with |",
        "|---|---|---|---|",
    ]
    for name, arm in paper.arms.items():
        own = (*arm.settings, *(f"{key}={round(count * args.minutes)}" for key, count in arm.each_minute))
        page.append(f"| {name} | `{arm.method}` | {' '.join(f'`{key}`' for key in own)} | `{arm.player}` |")
    for name in args.game or known:
        game = known[name]
        ask.learn_all(game)
        runs = {arm: [ask.run(game, arm, seed) for seed in ask.seeds] for arm in paper.arms}
        page += ["", f"## {name}", *tables(ask, game), *costs(runs)]
    publish(page, args.output)


if __name__ == "__main__":
    main()
