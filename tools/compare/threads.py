#!/usr/bin/env python3
"""What a second search thread is worth: the same number of simulations by one thread, by each of two programs at once, and by two threads.

    cargo build --release
    python3 tools/compare/threads.py --game breakthrough --searcher mcts --simulations 2000000
    python3 tools/compare/threads.py --searcher nim-alpha --set network=FILE --set precision=int8 --simulations 50000

Rounds go by turns, since other programs may use the machine. The ratio is twice what one thread took over what two took, in CPU
seconds: how many simulations a second two threads make for each of one, if each has a processor to itself. Two programs at once
share nothing but the machine, so the ratio to one of them is the search's alone. Loading is not counted. Needs nothing but Linux,
Python, the program and two processors.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/treeline")
    parser.add_argument("--game", default="breakthrough")
    parser.add_argument("--searcher", default="mcts")
    parser.add_argument("--simulations", type=int, default=2_000_000)
    parser.add_argument("--memory", type=int, default=2000, help="MiB; the tree must fit, or recycling is measured, too")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="an option of the session")
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


def run(args: argparse.Namespace, threads: int, programs: int) -> tuple[float, float]:
    """CPU seconds of each program, and seconds on the clock."""
    command = [args.binary, "--game", args.game, "--searcher", args.searcher]
    options = [
        f"simulations={args.simulations}",
        "seconds=off",
        f"memory={args.memory}",
        "seed=1",
        "linger=100000",
        f"threads={threads}",
        *args.set,
    ]
    for option in options:
        command += ["--set", option]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    running = [subprocess.Popen(command, **pipes) for _ in range(programs)]

    def ask(line: str):
        for program in running:
            program.stdin.write(f"{line}\n")
            program.stdin.flush()
        for program in running:
            if not program.stdout.readline().startswith("=") or program.stdout.readline() != "\n":
                sys.exit(f"{' '.join(map(str, command))}: {line} failed")

    # What is loaded, and rounded to bytes, is no part of the search.
    ask("get_ready")
    before, begin = sum(map(cpu_seconds, running)), time.monotonic()
    ask("genmove b")
    used, clock = sum(map(cpu_seconds, running)) - before, time.monotonic() - begin
    for program in running:
        program.communicate("quit\n")
    return used / programs, clock


def cpu_seconds(program: subprocess.Popen) -> float:
    """Of a program that still runs, as Linux says."""
    fields = pathlib.Path(f"/proc/{program.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    args = arguments()
    print("| round | one thread, CPU s | beside another | two threads | clock, one over two |")
    print("|---|---|---|---|---|")
    rounds = []
    for number in range(1, args.rounds + 1):
        (one, alone), (beside, _), (two, together) = run(args, 1, 1), run(args, 1, 2), run(args, 2, 1)
        rounds.append((one, beside, two, alone / together))
        print(f"| {number} | {one:.2f} | {beside:.2f} | {two:.2f} | {alone / together:.2f} |", flush=True)
    one, beside, two, clock = (statistics.median(column) for column in zip(*rounds))
    print(f"| median | {one:.2f} | {beside:.2f} | {two:.2f} | {clock:.2f} |")
    print(f"\nTwo threads make {2 * one / two:.2f} times the simulations of one alone, {2 * beside / two:.2f} of one beside another.")


if __name__ == "__main__":
    main()
