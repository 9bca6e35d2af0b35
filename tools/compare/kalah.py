"""Does Treeline give anything away in Kalah? What its own solver proves with more time judges the moves of a searcher.

    cargo build --release
    python3 tools/compare/kalah.py --positions 2000 --output target/kalah.md

Positions come from random games, of one ply after the other and over again; the seed fixes them. A second process of the same binary
solves each, and the position after the searcher's move, within --judge seconds; a position that it does not decide is counted
and left out. A move that turns a win into a draw or worse, or a draw into a loss, is an error. Exits with 1 if there was one.
Interrupted, it reports the positions so far.
"""

import argparse
import datetime
import os
import pathlib
import platform
import random
import signal
import sys
from dataclasses import dataclass, field

from gtp import Engine

ROOT = pathlib.Path(__file__).resolve().parents[2]
VALUES = {"win": 1, "draw": 0, "loss": -1}


class Kalah(Engine):
    """The binary."""

    def __init__(self, binary: pathlib.Path, variant: list[str], settings: list[str]):
        super().__init__([binary])
        self.ask(" ".join(["set_game kalah", *variant]))
        for setting in settings:
            self.ask("set_option " + setting.replace("=", " ", 1))

    def random_position(self, plies: int, source: random.Random) -> str | None:
        """A position after so many random moves; None where the game ended before."""
        self.ask("clear_board")
        for _ in range(plies):
            moves = self.ask("legal_moves").split()
            if not moves:
                return None
            self.ask(f"play {self.ask('side_to_move')} {source.choice(moves)}")
        return self.ask("position") if self.ask("legal_moves") else None

    def value(self, side: str, seconds: float) -> int | None:
        """1, 0 or -1 for a side of the position on the board; None if that is not known in time."""
        turn = self.ask("side_to_move")
        if turn == "none":
            return {side: 1, "draw": 0}.get(self.ask("game_result"), -1)
        value = VALUES.get(self.ask(f"solve {seconds}").split()[0])
        return value if value is None or turn == side else -value

    def move(self, position: str) -> str:
        self.ask(f"set_position {position}")
        self.ask("clear_cache")
        return self.ask(f"reg_genmove {position.split()[-1]}")


def seeds(position: str) -> int:
    """Seeds in houses."""
    sides = [side.split(":")[0] for side in position.split()[:2]]
    return sum(int(count) for side in sides for count in side.split(","))


@dataclass
class Band:
    """Positions with about as many seeds in houses."""

    positions: int = 0
    decided: int = 0
    errors: int = 0
    texts: list[str] = field(default_factory=list)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/treeline")
    parser.add_argument("--judged", type=pathlib.Path, help="the binary whose moves are judged (default: the same)")
    parser.add_argument("--searcher", default="auto", help="the searcher whose moves are judged (default: auto)")
    parser.add_argument("--seconds", type=float, default=1.0, help="time for each move")
    parser.add_argument("--judge", type=float, default=60.0, help="seconds to solve a position")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="an option of the judged session")
    parser.add_argument("--variant", action="append", default=[], metavar="KEY=VALUE", help="such as empty-capture=on")
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plies", default="0-35", help="first and last ply")
    parser.add_argument("--output", type=pathlib.Path, help="a Markdown page; otherwise standard output")
    return parser.parse_args()


def look(judge: Kalah, judged: Kalah, position: str, seconds: float, bands: dict[int, Band]):
    """Counts the position on the judge's board, and whether the judged move keeps its value."""
    side = position.split()[-1]
    before = judge.value(side, seconds)
    after = None
    if before is not None:
        move = judged.move(position)
        judge.ask(f"play {side} {move}")
        after = judge.value(side, seconds)
    band = bands.setdefault(seeds(position) // 6, Band())
    band.positions += 1
    if before is None or after is None:
        return
    band.decided += 1
    if after < before:
        band.errors += 1
        band.texts.append(f"{position}: {move} is worth {after}, not {before}")


def main():
    args = arguments()
    for kind in (signal.SIGINT, signal.SIGTERM):  # In the background it would not hear the first.
        signal.signal(kind, signal.default_int_handler)
    source = random.Random(args.seed)
    first, last = map(int, args.plies.split("-"))
    judge = Kalah(args.binary, args.variant, [])
    judged = Kalah(args.judged or args.binary, args.variant, [f"seconds={args.seconds}", *args.set])
    judged.ask(f"set_searcher {args.searcher}")
    bands: dict[int, Band] = {}
    try:
        for number in range(args.positions):
            ply = first + number % (last - first + 1)
            while (position := judge.random_position(ply, source)) is None:
                pass
            look(judge, judged, position, args.judge, bands)
            print(f"\r{number + 1} of {args.positions}", end="", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        pass
    print(file=sys.stderr)
    page = report(args, bands)
    if args.output:
        args.output.write_text(page)
    else:
        print(page)
    sys.exit(any(band.errors for band in bands.values()))


def report(args: argparse.Namespace, bands: dict[int, Band]) -> str:
    cpu = platform.processor() or platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            cpu = line.split(":")[1].strip()
            break
    total = Band()
    for band in bands.values():
        total.positions += band.positions
        total.decided += band.decided
        total.errors += band.errors
    kept = 100 * (total.decided - total.errors) / max(total.decided, 1)
    lines = [
        "# Kalah, judged by its solver",
        "",
        f"- {datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC, {cpu}, load {os.getloadavg()[0]:.0f}",
        f"- `{' '.join([args.searcher, *args.set])}` at {args.seconds:g} s a move, {' '.join(['kalah', *args.variant])}, "
        f"seed {args.seed}, plies {args.plies}, {args.judge:g} s to judge",
        "",
        f"The value was kept in {total.decided - total.errors} of {total.decided} positions, {kept:.1f} %.",
        "",
        "| seeds in houses | positions | decided | errors |",
        "| :-- | --: | --: | --: |",
    ]
    for number, band in sorted(bands.items()):
        lines.append(f"| {6 * number}–{6 * number + 5} | {band.positions} | {band.decided} | {band.errors} |")
    texts = [text for _, band in sorted(bands.items()) for text in band.texts]
    if texts:
        lines += ["", *(f"- {text}" for text in texts)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
