"""Speed of Treeline next to OpenSpiel's C++, in one run, on one core. README.md beside this file says how and why.

Rates are per CPU second of one thread. The two sides take turns, so that whatever else the machine does meets both;
each figure is the median of its rounds. Exits with 1 if a required ratio does not hold or a game is missing.
"""

import argparse
import datetime
import importlib.metadata
import json
import math
import os
import pathlib
import platform
import random
import shlex
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field

try:
    import pyspiel
except ImportError:
    sys.exit("pyspiel is missing: run tools/compare/setup.sh, then use target/compare-venv/bin/python")

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The constant of UCT on both sides: Treeline's default, for results in [-1, 1] as both have them.
EXPLORATION = 0.7
# Memory of a tree on both sides: what `treeline bench` allows.
TREE_MIB = 1024
# A search of the measure `playouts`: a small tree, the cheapest that is still one.
SMALL_SEARCH = 1000
# Two sides play different games if their plies (relatively) or scores are further apart, and it is not by chance.
PLIES_APART = 0.03
SCORE_APART = 0.01
ERRORS_APART = 4.0


@dataclass(frozen=True)
class Pairing:
    """One game under both engines' names."""

    treeline: str
    variant: str  # key=value words of Treeline
    openspiel: str
    required: float  # play-outs of Treeline for each of OpenSpiel
    note: str = ""  # why random games differ in length, where they do


PAIRINGS = [
    Pairing("breakthrough", "size=8x8", "breakthrough(rows=8,columns=8)", 60),
    Pairing(
        "hex",
        "size=11 swap=off",
        "hex(board_size=11)",
        60,
        "Treeline goes on until the board is full, which changes no winner, and so need not know the order of the "
        "moves: it gives each player a uniformly random share of the empty cells and looks once who has connected. "
        "The winners have the same distribution as OpenSpiel's, who plays move by move and stops at the connection; "
        "the work differs in kind. The ratio compares random results a second, and Treeline's plies are nominal.",
    ),
    Pairing("othello", "size=8", "othello", 60),
    Pairing(
        "lines-of-action",
        "size=8",
        "lines_of_action(max_game_length=1000)",
        80,
        "OpenSpiel draws a game at the first placement that was there before, whoever is to move, and keeps a set of "
        "all placements for it; it ends games at 1000 plies, and a move that connects both sides wins. Treeline's "
        "play-outs ignore repetition, end at 400 plies, and such a move draws. Repetition makes the difference: of "
        "3,000 random games of an independent program 20% come to one; they last 193.0 ± 1.3 plies if that ends them "
        "and 212.1 ± 1.3 if not.",
    ),
    Pairing("connect-four", "width=7 height=6", "connect_four", 40),
    Pairing("kalah", "houses=6 seeds=4 empty-capture=off", "mancala", 6),
]


class Treeline:
    """The binary, one process a measurement."""

    def __init__(self, path: pathlib.Path):
        self.path = path

    def ask(self, commands: str) -> list[str]:
        """The answers to GTP commands, one a command."""
        done = subprocess.run([self.path], input=commands + "\nquit\n", capture_output=True, text=True, check=True)
        return [answer.removeprefix("=").strip() for answer in done.stdout.split("\n\n")]

    def bench(self, pairing: Pairing, searcher: str, seconds: float) -> dict:
        """One measurement of about `seconds`."""
        command = [self.path, "bench", "--game", pairing.treeline, "--searcher", searcher, "--work", str(seconds)]
        done = subprocess.run(command + pairing.variant.split(), capture_output=True, text=True, check=False)
        lines = done.stdout.splitlines()
        if done.returncode or len(lines) != 1:
            sys.exit(f"treeline bench {pairing.treeline} {pairing.variant}: {done.stderr.strip() or lines}")
        return json.loads(lines[0])


class OpenSpiel:
    """One game of OpenSpiel's. Clocks run only while C++ searches: not while bots are made nor trees freed."""

    def __init__(self, name: str):
        self.game = pyspiel.load_game(name)
        self.start = self.game.new_initial_state()
        self.seed = 0
        self.reward = 0.0
        self.rollouts_done = 0

    def _search(self, simulations: int, rollouts: int):
        self.seed += 1
        evaluator = pyspiel.RandomRolloutEvaluator(rollouts, self.seed)
        bot = pyspiel.MCTSBot(
            self.game, evaluator, EXPLORATION, simulations, TREE_MIB, solve=False, seed=self.seed, verbose=False
        )
        begin = time.process_time()
        root = bot.mcts_search(self.start)
        return root, time.process_time() - begin

    def rollouts(self, count: int) -> float:
        """Seconds for `count` random games and nothing else: a search of one simulation only evaluates its root."""
        root, seconds = self._search(1, count)
        assert root.explore_count == 1 and not root.children
        self.reward += root.total_reward * count
        self.rollouts_done += count
        return seconds

    def simulations(self, count: int, search: int) -> float:
        """Seconds for `count` simulations with one random game each, in searches of `search` from the start."""
        total = 0.0
        for _ in range(max(1, round(count / search))):
            root, seconds = self._search(search, 1)
            assert root.explore_count == search
            total += seconds
        return total

    def random_games(self, count: int) -> tuple[float, float]:
        """Mean plies of `count` random games, played from Python, and the standard error of that mean."""
        rng = random.Random(1)
        plies = []
        for _ in range(count):
            state = self.start.clone()
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
            plies.append(state.move_number())
        return statistics.mean(plies), statistics.stdev(plies) / math.sqrt(count)

    def score(self) -> tuple[float, float]:
        """Player one's mean score (1 a win, 1/2 a draw) over all roll-outs, and a bound on its standard error."""
        return 0.5 + self.reward / self.rollouts_done / 2, 0.5 / math.sqrt(self.rollouts_done)


def work_for(seconds: float, measure) -> int:
    """The power of two for which `measure`, given a count and answering seconds, takes up to `seconds`."""
    count, took = 32, 0.0
    while took < seconds / 10:
        count *= 2
        took = measure(count)
    return 1 << max(0, math.floor(math.log2(count * seconds / took)))


@dataclass
class Rates:
    """What was counted a second, a round each."""

    rounds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    @property
    def spread(self) -> float:
        return (max(self.rounds) - min(self.rounds)) / self.median


def number(rate: float) -> str:
    return f"{rate:,.0f}"


def table(head: list[str], rows: list[list[str]]) -> str:
    """Markdown, first column to the left."""
    lines = [head, [":--"] + ["--:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


class Playouts:
    """The measure `playouts`: random games a second, against the faster of OpenSpiel's two ways."""

    title = "Random play-outs next to OpenSpiel"
    head = ["Game", "Treeline, batch /s", "Treeline, single /s", "OpenSpiel /s", "its way"]
    head += ["ratio", "required", "holds"]

    def __init__(self, treeline: Treeline, pairing: Pairing, arguments):
        self.pairing = pairing
        seconds = arguments.seconds
        peer = OpenSpiel(pairing.openspiel)
        rollouts = work_for(seconds, peer.rollouts)
        simulations = work_for(seconds, lambda count: peer.simulations(count, min(count, SMALL_SEARCH)))
        self.batch, self.single, self.peer_rollouts, self.peer_tree = Rates(), Rates(), Rates(), Rates()
        for _ in range(arguments.rounds):
            found = treeline.bench(pairing, "playouts", seconds)
            self.batch.rounds.append(found["playouts_per_second"])
            self.single.rounds.append(found["single_playouts_per_second"])
            self.peer_rollouts.rounds.append(rollouts / peer.rollouts(rollouts))
            search = min(simulations, SMALL_SEARCH)
            searches = max(1, round(simulations / search))
            self.peer_tree.rounds.append(searches * search / peer.simulations(simulations, search))
        self.way, self.peer = max(
            ("roll-outs", self.peer_rollouts), ("tree", self.peer_tree), key=lambda way: way[1].median
        )
        self.ratio = self.batch.median / self.peer.median
        self.holds = self.ratio >= pairing.required
        self.compare_games(found, peer, arguments.check_games)

    def compare_games(self, found: dict, peer: OpenSpiel, count: int):
        """Whether both sides' random games look like the same game."""
        games = found["playouts"]
        self.plies = found["plies"] / games
        self.score = (found["wins"][0] + found["draws"] / 2) / games if "wins" in found else None
        self.peer_plies, self.plies_error = peer.random_games(count)
        self.peer_score, self.score_error = peer.score()
        apart = abs(self.plies - self.peer_plies)
        self.same_plies = apart <= max(PLIES_APART * self.peer_plies, ERRORS_APART * self.plies_error)
        error = math.hypot(self.score_error, 0.5 / math.sqrt(games))
        enough = max(SCORE_APART, ERRORS_APART * error)
        self.same_score = self.score is None or abs(self.score - self.peer_score) <= enough

    def row(self) -> list[str]:
        holds = "yes" if self.holds else "**no**"
        rates = [number(self.batch.median), number(self.single.median), number(self.peer.median)]
        return [self.pairing.treeline, *rates, self.way, f"{self.ratio:.1f}", f"{self.pairing.required:g}", holds]

    def line(self) -> str:
        return f"{number(self.batch.median)} against {number(self.peer.median)} a second, ratio {self.ratio:.1f}"

    @staticmethod
    def missing(pairing: Pairing) -> list[str]:
        return [pairing.treeline, *["missing"] * 5, f"{pairing.required:g}", "**no**"]

    @staticmethod
    def details(done: list["Playouts"]) -> str:
        """Both of OpenSpiel's ways, how steady the rounds were, and whether both sides play the same game."""
        ways = table(
            ["Game", "roll-outs /s", "tree /s", "spread: batch", "single", "roll-outs", "tree"],
            [
                [d.pairing.treeline, number(d.peer_rollouts.median), number(d.peer_tree.median)]
                + [f"{rates.spread:.0%}" for rates in (d.batch, d.single, d.peer_rollouts, d.peer_tree)]
                for d in done
            ],
        )
        games = table(
            ["Game", "Treeline, plies", "OpenSpiel, plies", "Treeline, score", "OpenSpiel, score", "alike"],
            [
                [
                    d.pairing.treeline,
                    f"{d.plies:.2f}",
                    f"{d.peer_plies:.2f} ± {d.plies_error:.2f}",
                    "-" if d.score is None else f"{d.score:.4f}",
                    f"{d.peer_score:.4f} ± {d.score_error:.4f}",
                    "yes" if d.same_plies and d.same_score else "**no**, see notes",
                ]
                for d in done
            ],
        )
        return f"""\
*Roll-outs*: one C++ call that plays random games from the start and does nothing else. *Tree*: simulations of its C++
`MCTSBot` with one random roll-out each, in searches of {number(SMALL_SEARCH)}; this figure includes its tree,
and its roll-outs begin below the root. The table above takes the faster. Spread: highest less lowest
round, in parts of the median.

{ways}

## The same game?

Mean plies of a random game, and player one's mean score (a win 1, a draw 1/2). OpenSpiel's plies are of fewer games,
played from Python; ± is one standard error.

{games}
"""

    def notes(self) -> list[str]:
        """What a reader must know of this game."""
        notes = [f"{self.pairing.treeline}: {self.pairing.note}"] if self.pairing.note else []
        if not self.same_score or not self.same_plies and not self.pairing.note:
            notes.append(f"{self.pairing.treeline}: **the games are not alike, and this page does not know why.**")
        return notes


class Simulations:
    """The measure `mcts`: UCT simulations a second of one search from the start, trees of equal memory."""

    title = "UCT simulations next to OpenSpiel"
    head = ["Game", "Treeline /s", "OpenSpiel /s", "ratio", "Treeline, a search", "OpenSpiel, a search"]
    holds = True

    def __init__(self, treeline: Treeline, pairing: Pairing, arguments):
        self.pairing = pairing
        peer = OpenSpiel(pairing.openspiel)
        self.work = work_for(arguments.seconds, lambda count: peer.simulations(count, count))
        self.ours, self.peer = Rates(), Rates()
        for _ in range(arguments.rounds):
            found = treeline.bench(pairing, "mcts", arguments.seconds)
            self.ours.rounds.append(found["simulations_per_second"])
            self.peer.rounds.append(self.work / peer.simulations(self.work, self.work))
        self.own_work = found["simulations"]
        self.ratio = self.ours.median / self.peer.median

    def row(self) -> list[str]:
        rates = [number(self.ours.median), number(self.peer.median), f"{self.ratio:.1f}"]
        return [self.pairing.treeline, *rates, number(self.own_work), number(self.work)]

    def line(self) -> str:
        return f"{number(self.ours.median)} against {number(self.peer.median)} a second, ratio {self.ratio:.1f}"

    @staticmethod
    def missing(pairing: Pairing) -> list[str]:
        return [pairing.treeline, *["missing"] * 5]

    @staticmethod
    def details(done: list["Simulations"]) -> str:
        """How steady the rounds were."""
        spread = table(
            ["Game", "spread: Treeline", "OpenSpiel"],
            [[d.pairing.treeline, f"{d.ours.spread:.0%}", f"{d.peer.spread:.0%}"] for d in done],
        )
        return f"""\
One search from the start on one thread, an empty tree at first, one random play-out a simulation, C = {EXPLORATION:g},
{TREE_MIB:,} MiB of tree at most. Searches take about the same CPU time on both sides, so Treeline's tree is the
larger one by the ratio. Spread: highest less lowest round, in parts of the median.

{spread}
"""

    def notes(self) -> list[str]:
        return [f"{self.pairing.treeline}: {self.pairing.note}"] if self.pairing.note else []


MEASURES = {"playouts": Playouts, "mcts": Simulations}


def git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def stale(binary: pathlib.Path) -> str | None:
    """A source newer than the binary, if there is one: the binary is then not the commit that the page names."""
    sources = [ROOT / "Cargo.toml", ROOT / "Cargo.lock"]
    for folder in ("src", "protocol/src", "nets/src"):
        sources += (ROOT / folder).rglob("*.rs")
    built = binary.stat().st_mtime
    newer = [path for path in sources if path.stat().st_mtime > built]
    return str(newer[0].relative_to(ROOT)) if newer else None


def machine(treeline: Treeline) -> str:
    """Where, when and with what: a Markdown list."""
    try:
        info = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
        models = [line.split(":", 1)[1].strip() for line in info.splitlines() if line.startswith("model name")]
    except OSError:
        models = []
    model = models[0] if models else platform.processor() or "unknown processor"
    load = f", load {os.getloadavg()[0]:.1f} before" if hasattr(os, "getloadavg") else ""
    commit = f"{git('describe', '--tags', '--always', '--dirty')}, commit {git('rev-parse', 'HEAD')}"
    return "\n".join(
        [
            f"- Date: {datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC",
            f"- Processor: {model}, {os.cpu_count()} cores, of which each side uses one{load}",
            f"- Treeline {treeline.ask('version')[0]}: {commit}",
            f"- OpenSpiel {importlib.metadata.version('open_spiel')} from PyPI, Python {platform.python_version()}",
        ]
    )


def page(measure, arguments, about: str, rows: list[list[str]], done: list) -> str:
    notes = [note for one in done for note in one.notes()]
    command = shlex.join(["target/compare-venv/bin/python", "tools/compare/openspiel.py", *sys.argv[1:]])
    parts = [
        f"# {measure.title}",
        f"```sh\ncargo build --release && tools/compare/setup.sh\n{command}\n```",
        about,
        f"Per CPU second of one thread, both sides in turn; medians of {arguments.rounds} rounds of about "
        f"{arguments.seconds:g} s for each measurement.",
        table(measure.head, rows),
    ]
    if done:
        parts.append(measure.details(done).strip())
    if notes:
        parts.append("## Notes\n\n" + "\n".join(f"- {note}" for note in notes))
    return "\n\n".join(parts) + "\n"


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [pairing.treeline for pairing in PAIRINGS]
    parser.add_argument("--measure", choices=MEASURES, default="playouts")
    parser.add_argument("--game", action="append", choices=names, help="only this game; may be repeated")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU seconds of one measurement, roughly")
    parser.add_argument("--check-games", type=int, default=1000, help="random games to compare rules by")
    parser.add_argument("--treeline", type=pathlib.Path, default=ROOT / "target/release/treeline")
    parser.add_argument("--output", type=pathlib.Path, help="write the page here, too")
    arguments = parser.parse_args()
    if arguments.rounds < 1 or arguments.seconds <= 0 or arguments.check_games < 2:
        parser.error("at least one round, a time above zero and two games, please")
    return arguments


def main() -> int:
    arguments = parse()
    if not arguments.treeline.is_file():
        sys.exit(f"{arguments.treeline} is missing: cargo build --release")
    newer = stale(arguments.treeline)
    if newer:
        warning = f"{newer} is newer than {arguments.treeline.name}: cargo build --release"
        if arguments.output:
            sys.exit(warning)
        print("WARNING:", warning, file=sys.stderr)
    treeline = Treeline(arguments.treeline)
    about = machine(treeline)
    known = treeline.ask("list_games")[0].split()
    measure = MEASURES[arguments.measure]
    done, rows = [], []
    for pairing in PAIRINGS:
        if arguments.game and pairing.treeline not in arguments.game:
            continue
        if pairing.treeline not in known:
            print(f"MISSING: this treeline does not know {pairing.treeline}; SKIPPED", file=sys.stderr)
            rows.append(measure.missing(pairing))
            continue
        one = measure(treeline, pairing, arguments)
        print(f"{pairing.treeline}: {one.line()}", file=sys.stderr)
        rows.append(one.row())
        done.append(one)
    text = page(measure, arguments, about, rows, done)
    print(text, end="")
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(text, encoding="utf-8")
    return 0 if len(done) == len(rows) and all(one.holds for one in done) else 1


if __name__ == "__main__":
    sys.exit(main())
