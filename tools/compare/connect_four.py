"""Does Treeline play Connect Four perfectly? An independent solver, BitBully from PyPI, judges its moves.

    tools/compare/setup.sh
    target/compare-venv/bin/python tools/compare/connect_four.py --output target/connect-four.md

    … --contested --no-solve --searcher puct --set network=FILE --set simulations=600 --set seconds=off

Positions come from random games in which nobody overlooks a win or an open line of three, spread evenly over plies 0 to
41; the seed fixes them; with --contested only those count whose moves differ in value, and with --distinct each only once,
however it was reached and whether mirrored or not. BitBully scores every move of each. Treeline then names its move, and
`solve` the result; a move that turns a win into a draw or worse, or a draw into a loss, is an error. Exits with 1 if there was
one, or if `solve` contradicted BitBully.
"""

import argparse
import datetime
import importlib.metadata
import pathlib
import platform
import random
import sys
import time
from dataclasses import dataclass, field

from gtp import Engine

try:
    from bitbully import BitBully, Board
except ImportError:
    sys.exit("bitbully is missing: run tools/compare/setup.sh, then use target/compare-venv/bin/python")

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = "abcdefg"
PLIES = 42
# How often a position that was not seen before is looked for.
TRIES = 200


def sensible_move(board: Board, source: random.Random) -> int:
    """A random move that does not let a game end at once."""

    def wins(board: Board) -> list[int]:
        return [m for m in board.legal_moves() if board.play_on_copy(m).has_win()]

    legal = board.legal_moves()
    quiet = [m for m in legal if not board.play_on_copy(m).has_win()]
    safe = [m for m in quiet if not wins(board.play_on_copy(m))]
    return source.choice(safe or quiet or legal)


def position(plies: int, source: random.Random) -> list[int]:
    """The moves to an unfinished position."""
    while True:
        board, moves = Board(), []
        while len(moves) < plies and not board.is_game_over():
            move = sensible_move(board, source)
            board.play(move)
            moves.append(move)
        if not board.is_game_over():
            return moves


def squares(moves: list[int]) -> tuple[str, ...]:
    """The columns' discs from below, the lesser of a board and its mirror image."""
    columns = [""] * len(COLUMNS)
    for at, move in enumerate(moves):
        columns[move] += "xo"[at % 2]
    return min(tuple(columns), tuple(columns[::-1]))


def sign(score: int) -> int:
    return (score > 0) - (score < 0)


class Treeline(Engine):
    """The binary."""

    def __init__(self, path: pathlib.Path, searcher: str, seconds: float, settings: list[str]):
        super().__init__([path])
        self.ask("set_game connect-four")
        if searcher:
            self.ask(f"set_searcher {searcher}")
        self.ask(f"set_option seconds {seconds}")
        for setting in settings:
            self.ask("set_option " + setting.replace("=", " ", 1))
        self.seconds = seconds

    def set_up(self, moves: list[int]):
        self.ask("clear_board")
        self.ask("clear_cache")
        for at, move in enumerate(moves):
            self.ask(f"play {'bw'[at % 2]} {COLUMNS[move]}")

    def move(self, moves: list[int]) -> int:
        self.set_up(moves)
        return COLUMNS.index(self.ask(f"genmove {'bw'[len(moves) % 2]}").lower()[0])

    def result(self, moves: list[int]) -> int | None:
        """1, 0 or -1 for the side to move; None if it does not know in time."""
        self.set_up(moves)
        words = self.ask(f"solve {self.seconds}").split()
        return {"win": 1, "draw": 0, "loss": -1}.get(words[0].lower() if words else "")


@dataclass
class Band:
    """What happened on some plies."""

    positions: int = 0
    contested: int = 0  # more than one value among the moves
    errors: int = 0
    solved: int = 0
    wrong: int = 0
    slowest: float = 0.0
    texts: list[str] = field(default_factory=list)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/treeline")
    parser.add_argument("--searcher", default="auto", help="the searcher whose moves are judged (default: auto)")
    parser.add_argument("--seconds", type=float, default=1.0, help="time for each move")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="an option of the session")
    parser.add_argument("--contested", action="store_true", help="only positions whose moves differ in value")
    parser.add_argument("--distinct", action="store_true", help="no position twice; fewer where a ply has fewer")
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plies", default=f"0-{PLIES - 1}", help="first and last ply, as 0-41")
    parser.add_argument("--no-genmove", action="store_true", help="only check the results that `solve` names")
    parser.add_argument("--no-solve", action="store_true", help="only judge moves")
    parser.add_argument("--output", type=pathlib.Path, help="a Markdown page; otherwise standard output")
    return parser.parse_args()


def main():
    args = arguments()
    source = random.Random(args.seed)
    first, last = map(int, args.plies.split("-"))
    # Of the last squares hardly any leave a choice.
    plies = range(first, min(last, PLIES - 6 if args.contested else PLIES - 1) + 1)
    judge = BitBully()
    engine = Treeline(args.binary, args.searcher, args.seconds, args.set)
    bands: dict[int, Band] = {}
    seen: set[tuple[str, ...]] = set()
    for number in range(args.positions):
        ply = plies[number * len(plies) // args.positions]
        for _ in range(TRIES):
            moves, scores = judged(ply, source, judge, args.contested)
            if not args.distinct or squares(moves) not in seen:
                break
        else:
            continue
        seen.add(squares(moves))
        value = max(scores.values())
        band = bands.setdefault(ply // 6, Band())
        band.positions += 1
        band.contested += len(set(scores.values())) > 1
        text = "".join(COLUMNS[m] for m in moves) or "start"
        if not args.no_genmove:
            begin = time.monotonic()
            move = engine.move(moves)
            band.slowest = max(band.slowest, time.monotonic() - begin)
            if scores[move] != value:
                band.errors += 1
                band.texts.append(f"{text}: {COLUMNS[move]} is worth {scores[move]}, not {value}")
        if not args.no_solve:
            result = engine.result(moves)
            band.solved += result is not None
            if result is not None and result != value:
                band.wrong += 1
                band.texts.append(f"{text}: solved as {result}, not {value}")
    page = report(args, bands)
    if args.output:
        args.output.write_text(page)
    else:
        print(page)
    sys.exit(any(band.errors or band.wrong for band in bands.values()))


def judged(
    ply: int, source: random.Random, judge: BitBully, contested: bool
) -> tuple[list[int], dict[int, int]]:
    """The moves to a position, and what each next one is worth."""
    while True:
        moves = position(ply, source)
        scores = {m: sign(s) for m, s in judge.score_all_moves(Board(moves)).items()}
        if not contested or len(set(scores.values())) > 1:
            return moves, scores


def report(args: argparse.Namespace, bands: dict[int, Band]) -> str:
    cpu = platform.processor() or platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            cpu = line.split(":")[1].strip()
            break
    contested = sum(band.contested for band in bands.values())
    wrong = sum(band.errors for band in bands.values())
    lines = [
        "# Connect Four next to BitBully",
        "",
        f"- {datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC, {cpu}",
        f"- BitBully {importlib.metadata.version('bitbully')}, Python {platform.python_version()}",
        f"- `{' '.join([args.searcher, *args.set])}` at {args.seconds:g} s a move, "
        f"{sum(band.positions for band in bands.values())}{' distinct' if args.distinct else ''} positions, seed {args.seed}",
        "",
        f"Errors: {wrong} of {contested} contested positions, {100 * wrong / max(contested, 1):.2f} %.",
        "",
        "Contested: not all moves have the same value. Errors: moves that give value away.",
        "",
        "| plies | positions | contested | errors | slowest, s | solved | solved wrongly |",
        "| :-- | --: | --: | --: | --: | --: | --: |",
    ]
    for number, band in sorted(bands.items()):
        row = [
            f"{6 * number}–{6 * number + 5}",
            band.positions,
            band.contested,
            "–" if args.no_genmove else band.errors,
            "–" if args.no_genmove else f"{band.slowest:.2f}",
            "–" if args.no_solve else band.solved,
            "–" if args.no_solve else band.wrong,
        ]
        lines.append("| " + " | ".join(map(str, row)) + " |")
    texts = [text for _, band in sorted(bands.items()) for text in band.texts]
    if texts:
        lines += ["", *(f"- {text}" for text in texts)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
