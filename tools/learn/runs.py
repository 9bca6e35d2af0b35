"""Runs of `treeline learn`, matches between what they learned, and their figures: what claims.py and papers.py share."""

import concurrent.futures
import json
import math
import os
import pathlib
import platform
import random
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/campaigns"))
from campaign import core_seconds  # noqa: E402


def generations(folder: pathlib.Path) -> list[dict]:
    """What a run says of each generation."""
    if not (folder / "metrics.jsonl").exists():
        sys.exit(f"{folder}: not one generation was over; --minutes must be more")
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def prepare(binary: pathlib.Path, folder: pathlib.Path, game: str, method: str, settings):
    """Makes a run's folder, to be worked on later."""
    command = [binary, "learn", folder, "--prepare", "--game", game, "--method", method]
    for setting in settings:
        command += ["--set", setting]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def spent(folder: pathlib.Path) -> float:
    """Seconds of processor time that a run took so far, all its resumptions together."""
    file = folder / "core-seconds"
    return float(file.read_text()) if file.exists() else 0.0


def work(binary: pathlib.Path, folder: pathlib.Path, minutes: float | None = None):
    """Works until the run is over, or has taken so many minutes of processor time altogether, which other work on the machine does not
    make fewer."""
    before = spent(folder)
    if minutes is not None and before >= 60 * minutes:
        return
    part, told = folder / "core-seconds.part", False
    with open(folder / "log", "a") as log:
        run = subprocess.Popen([binary, "learn", folder], stdout=log, stderr=log)
        while run.returncode is None:
            time.sleep(0.2)
            pid, status, usage = os.wait4(run.pid, os.WNOHANG)
            used = usage.ru_utime + usage.ru_stime if pid else core_seconds(run.pid)
            part.write_text(str(before + used))
            part.replace(folder / "core-seconds")
            if pid:
                run.returncode = os.waitstatus_to_exitcode(status)
            elif not told and minutes is not None and before + used >= 60 * minutes:
                # It keeps what it knows, and ends.
                run.terminate()
                told = True
    if run.returncode != 0 and not told:
        sys.exit(f"{folder}: the run failed, see its log")


def side_by_side(count: int, work_on, jobs):
    """Does all jobs, so many at once."""
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        for done in [pool.submit(work_on, *job) for job in jobs]:
            done.result()


def publish(page: list[str], output: pathlib.Path | None):
    """Writes a page's lines, or prints them."""
    text = "\n".join(page) + "\n"
    if output:
        output.write_text(text)
    else:
        print(text)


def match(binary: pathlib.Path, place: pathlib.Path, game: str, players: list[str], results: str, *more) -> dict:
    """What came of a match of two players, played in the folder `place`; one that was broken off goes on."""
    command = [binary.resolve(), "match", *game.split(), "--json", "--results", results, *map(str, more)]
    for player in players:
        command += ["--player", player]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=place)
    if done.returncode != 0:
        sys.exit(f"{place / results}: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout)


def wilson(score: float, games: int) -> tuple[float, float]:
    z, share = 1.959964, score / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    spread = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return 100 * (middle - spread), 100 * (middle + spread)


def over_seeds(percents: list[float], seeds: int) -> tuple[float, float]:
    """The bootstrap's 95 % where networks, not games, are drawn anew: of both arms, with replacement."""
    chance = random.Random(1)
    means = []
    for _ in range(4000):
        ours, theirs = (chance.choices(range(seeds), k=seeds) for _ in range(2))
        means.append(statistics.fmean(percents[a * seeds + b] for a in ours for b in theirs))
    ends = statistics.quantiles(means, n=40)
    return ends[0], ends[-1]


def costs(runs: dict[str, list[pathlib.Path]]) -> list[str]:
    """A table of what the runs of each arm took."""
    lines = [
        "",
        "Over its runs, each:",
        "",
        "| arm | minutes of a core | games | states | evaluations, M | samples trained, M |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for arm, folders in runs.items():
        made = [generations(folder) for folder in folders]

        def spread(of, places=0, things=made):
            values = sorted(map(of, things))
            ends = (f"{values[0]:,.{places}f}", f"{values[-1]:,.{places}f}")
            return ends[0] if ends[0] == ends[1] else " to ".join(ends)

        row = [
            arm,
            spread(lambda folder: spent(folder) / 60, 1, folders),
            spread(lambda run: run[-1]["games"]),
            spread(lambda run: run[-1]["states"]),
            spread(lambda run: sum(line["evaluations"] for line in run) / 1e6, 1),
            spread(lambda run: run[-1]["samples"] / 1e6, 2),
        ]
        lines.append("| " + " | ".join(row) + " |")
    return lines


def processor() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()
