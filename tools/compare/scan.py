"""Nodes a second of alpha-beta in international draughts, next to Scan, in one run.

    cargo build --release
    python3 tools/compare/scan.py --scan DIR [--output FILE]

DIR is a build of Scan 3.1 (https://github.com/rhalbersma/scan), with the binary `scan` and its `data` folder. Both search the
same positions on one thread with 256 MiB of table, no book and no bitbases, to a depth that takes seconds; the sides take
turns. Rates are per CPU second (user and system) of the process. A node is a move made in the tree, quiescence included,
on both sides: Scan adds one where it makes a move in `search` and in `qs`, Treeline where it does, each once though the
move may be searched again with another window. Exits with 1 if Treeline is slower over all.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import random
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TICKS = os.sysconf("SC_CLK_TCK")


class Process:
    """An engine on pipes."""

    def __init__(self, command: list, **more):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **more)

    def send(self, line: str):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read(self) -> str:
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.process.args[0]} ended")
        return line.rstrip("\n")

    def until(self, word: str) -> list[str]:
        lines = []
        while not (lines and lines[-1].startswith(word)):
            lines.append(self.read())
            if lines[-1].startswith("error"):
                sys.exit(f"{self.process.args[0]}: {lines[-1]}")
        return lines

    def cpu(self) -> float:
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


class Scan(Process):
    """Hub protocol 2."""

    def __init__(self, folder: pathlib.Path):
        super().__init__([str(folder.resolve() / "scan"), "hub"], cwd=folder)
        self.send("hub")
        self.name = next(line for line in self.until("wait") if line.startswith("id"))
        # 2^24 entries of 16 bytes.
        for setting in ["book value=false", "bb-size value=0", "threads value=1", "tt-size value=24"]:
            self.send(f"set-param name={setting}")
        self.send("init")
        self.until("ready")

    def search(self, fen: str, depth: int) -> tuple[int, float]:
        """Nodes and CPU seconds."""
        self.send("new-game")
        self.send(f"pos pos={squares(fen)}")
        self.send(f"level depth={depth}")
        begin = self.cpu()
        self.send("go think")
        lines = self.until("done")
        nodes = [int(found[1]) for line in lines if (found := re.search(r"nodes=(\d+)", line))]
        return nodes[-1], self.cpu() - begin


class Treeline(Process):
    """GTP."""

    def __init__(self, binary: pathlib.Path):
        options = ["threads=1", "seconds=off", "memory=256", "linger=600"]
        sets = [word for option in options for word in ("--set", option)]
        super().__init__([str(binary), "--game", "draughts", "--searcher", "alpha-beta", *sets])

    def ask(self, command: str) -> str:
        self.send(command)
        lines = [self.read()]
        while lines[-1]:
            lines.append(self.read())
        if not lines[0].startswith("="):
            sys.exit(f"{command}: {lines[0]}")
        return "\n".join(lines)[1:].strip()

    def search(self, fen: str, depth: int) -> tuple[int, float]:
        self.ask("clear_cache")
        self.ask(f"set_position {fen}")
        self.ask(f"set_option depth {depth}")
        begin = self.cpu()
        self.ask("reg_genmove " + ("b" if fen.startswith("W") else "w"))
        return json.loads(self.ask("search_stats"))["nodes"], self.cpu() - begin


def squares(fen: str) -> str:
    """A position as Scan writes it: the side to move and the fifty squares."""
    board = ["e"] * 51
    # What follows the pieces counts plies.
    for side in fen.split(":")[1:3]:
        colour = side[0].lower()
        for piece in side[1:].split(","):
            if piece:
                king = piece[0] == "K"
                board[int(piece.lstrip("K"))] = colour.upper() if king else colour
    return fen[0] + "".join(board[1:])


def positions(engine: Treeline, count: int) -> list[str]:
    """The start, and where random moves from it lead that leave nothing to take."""
    found, source = [], random.Random(1)
    while len(found) < count:
        engine.ask("clear_board")
        for ply in range(0 if not found else 4 * len(found)):
            moves = engine.ask("legal_moves").split()
            engine.ask(f"play {'bw'[ply % 2]} {source.choice(moves)}")
        if len(engine.ask("legal_moves").split()) >= 6:
            found.append(engine.ask("position"))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scan", type=pathlib.Path, required=True, help="folder of a build of Scan 3.1")
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/treeline")
    parser.add_argument("--positions", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--depth", type=int, default=19, help="of Treeline")
    parser.add_argument("--scan-depth", type=int, default=19)
    parser.add_argument("--output", type=pathlib.Path, help="a Markdown page; otherwise standard output")
    args = parser.parse_args()
    ours, theirs = Treeline(args.binary), Scan(args.scan)
    places = positions(ours, args.positions)
    rows, totals = [], [[0, 0.0], [0, 0.0]]
    for fen in places:
        rates = [[], []]
        for _ in range(args.rounds):
            for side, (engine, depth) in enumerate([(ours, args.depth), (theirs, args.scan_depth)]):
                nodes, seconds = engine.search(fen, depth)
                rates[side].append(nodes / max(seconds, 1 / TICKS))
                totals[side][0] += nodes
                totals[side][1] += seconds
        a, b = map(statistics.median, rates)
        rows.append(f"| `{fen}` | {a / 1e6:.2f} | {b / 1e6:.2f} | {a / b:.2f} |")
        print(rows[-1], file=sys.stderr)
    a, b = (nodes / seconds for nodes, seconds in totals)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    text = [
        "# Draughts: nodes a second next to Scan",
        "",
        "```sh",
        "python3 tools/compare/scan.py --scan DIR",
        "```",
        "",
        f"- Date: {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC",
        f"- Processor: {model[1] if model else platform.processor()}, {os.cpu_count()} cores, of which each side uses one, "
        f"load {os.getloadavg()[0]:.1f}",
        f"- Treeline commit {commit}, depth {args.depth}; Scan: {theirs.name}, depth {args.scan_depth}",
        "",
        "Millions of nodes a CPU second, medians of " + f"{args.rounds} rounds in turns.",
        "",
        "| position | Treeline | Scan | ratio |",
        "|---|--:|--:|--:|",
        *rows,
        f"| all | {a / 1e6:.2f} | {b / 1e6:.2f} | {a / b:.2f} |",
        "",
        "A node is a move made in the tree, quiescence included, once on both sides even if the move is searched again with another",
        "window. Both have 256 MiB of table, one thread, no book and no bitbases.",
        "",
    ]
    if args.output:
        args.output.write_text("\n".join(text))
    else:
        print("\n".join(text))
    for engine in (ours, theirs):
        engine.send("quit")
    sys.exit(a < b)


if __name__ == "__main__":
    main()
