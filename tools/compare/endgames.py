#!/usr/bin/env python3
"""Scores of Othello endgames, positions and CPU time, next to Edax if it is there.

    python3 tools/compare/endgames.py --binary target/release/treeline --obf EDAX/problem/fforum-40-59.obf --last 11 --edax EDAX

FILE.obf has a position a line as Edax' sources do: 64 letters of X, O and -, who moves, and after a semicolon the moves with their
scores, the best first. Each of our positions has a process of its own. Edax (abulmo/edax-reversi) solves all of them in one; its folder
has bin/ and data/eval.dat. Where the weights are not to be had, --zeros writes a file of zeros there, and Edax goes by what else it
knows. Needs nothing but Python and the programs.
"""

import argparse
import pathlib
import re
import resource
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/treeline")
    parser.add_argument("--obf", type=pathlib.Path, required=True, help="positions")
    parser.add_argument("--first", type=int, default=0, help="lines of the file before the first")
    parser.add_argument("--last", type=int, help="lines of the file, up to the last")
    parser.add_argument("--memory", type=int, default=400, help="MiB")
    parser.add_argument("--network", default="auto", help="what advises the solver; none for nothing")
    parser.add_argument("--edax", type=pathlib.Path, help="where Edax was built")
    parser.add_argument("--program", default="lEdax-x86-64-v3", help="its program in bin/")
    parser.add_argument("--zeros", action="store_true", help="give Edax weights of 0, if it has none")
    return parser.parse_args()


def position(line: str) -> tuple[str, int]:
    """In our notation, and its score as the file has it."""
    board, rest = line.split(" ", 1)
    score = re.search(r":([+-]\d+)", rest)
    if len(board) != 64 or rest.strip()[0] not in "XO" or not score:
        sys.exit(f"no position with a score: {line}")
    letters = board.upper().replace("O", "w").replace("X", "b")
    rows = "/".join(letters[row : row + 8] for row in range(0, 64, 8))
    rows = re.sub("-+", lambda empty: str(len(empty.group())), rows)
    return f"{rows} {'b' if rest.strip()[0] == 'X' else 'w'}", int(score.group(1))


def solve(args: argparse.Namespace, text: str) -> tuple[int, int, float]:
    """The score, positions and CPU seconds."""
    options = ["--margin", "--memory", str(args.memory), "--network", args.network, "--position", text]
    done = subprocess.run([args.binary, "solve", "--game", "othello", *options], capture_output=True, text=True)
    found = re.match(r"\w+ ([+-]\d+) .*\n(\d+) positions, \d+ expansions, ([\d.]+) CPU", done.stdout)
    if not found:
        sys.exit(f"{text}: {done.stdout}{done.stderr}")
    score, nodes, seconds = found.groups()
    return int(score), int(nodes), float(seconds)


def edax(args: argparse.Namespace, lines: list[str]) -> None:
    folder = args.edax.resolve()
    weights = folder / "data/eval.dat"
    if args.zeros and not weights.exists():
        weights.parent.mkdir(exist_ok=True)
        # "EDAX" and "EVAL", version, release, build, date; 61 plies of 114,364 numbers of two bytes.
        header = struct.pack("<IIIIId", 0x45444158, 0x4556414C, 4, 5, 0, 0.0)
        weights.write_bytes(header + bytes(2 * 61 * 114364))
    problems = ROOT / "target/endgames.obf"
    problems.parent.mkdir(exist_ok=True)
    problems.write_text("".join(lines))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Below that level it is only nearly sure of positions with 25 empty squares and more.
    exactly = ["-level", "60", "-n-tasks", "1", "-book-usage", "off", "-verbose", "1"]
    command = [folder / "bin" / args.program, "-solve", problems, *exactly]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{done.stdout}{done.stderr}\nEdax: {seconds:.2f} CPU s")


def main() -> None:
    args = arguments()
    lines = args.obf.read_text().splitlines(keepends=True)[args.first : args.last]
    nodes, seconds, wrong = 0, 0.0, 0
    print("| line | empty | score | wanted | positions | CPU s |\n|--:|--:|--:|--:|--:|--:|")
    for at, line in enumerate(lines, args.first + 1):
        text, wanted = position(line)
        found = solve(args, text)
        wrong += found[0] != wanted
        nodes, seconds = nodes + found[1], seconds + found[2]
        print(f"| {at} | {line[:64].count('-')} | {found[0]:+} | {wanted:+} | {found[1]:,} | {found[2]:.2f} |", flush=True)
    print(f"\n{len(lines)} positions, {wrong} of them with another score; {nodes:,} positions searched in {seconds:.2f} CPU s")
    if args.edax:
        edax(args, lines)


if __name__ == "__main__":
    main()
