"""Speed from Python next to OpenSpiel's, in one process on one core: random games in batches, and single calls.

    python bench/speed.py --rounds 5

Rates are per CPU second. The two sides take turns, so that whatever else the machine does meets both; figures are medians of the
rounds. OpenSpiel's random games are the faster of two ways: its C++ roll-outs, many by one call, and games played from Python.
"""

import argparse
import importlib.metadata
import math
import os
import platform
import random
import statistics
import subprocess
import sys
import time

import pyspiel
from treeline import openspiel

GAMES = [
    "breakthrough(rows=8,columns=8)",
    "hex(board_size=11)",
    "othello",
    "connect_four(rows=6,columns=7)",
    "lines_of_action",
    "mancala",
]
# Random games whose states and moves the single calls are measured with.
LINES = 20


def seconds(work):
    """CPU seconds of a call."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def enough(work, wanted):
    """A count for which `work(count)` takes about `wanted` seconds."""
    count = 1
    while seconds(lambda: work(count)) < wanted / 4:
        count *= 2
    return count * 2


def roll_outs(game):
    """Plays OpenSpiel's random games from the start: a search of one simulation only evaluates its root."""
    state = game.new_initial_state()

    def work(count):
        evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=count, seed=1)
        pyspiel.MCTSBot(game, evaluator, 1.0, 1, 1, False, 1, False).step(state)

    return work


def games_by_python(game):
    """Plays OpenSpiel's random games move by move."""
    choose = random.Random(1).choice

    def work(count):
        for _ in range(count):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(choose(state.legal_actions()))

    return work


def batches(game):
    """Plays our random games by one call."""
    batch = game.new_batch(1)
    # The first makes tables.
    batch.playouts(1, seed=1)
    return lambda count: batch.playouts(count, seed=1)


def lines(ours, theirs):
    """The same random games on both sides, as lists of actions; as far as neither is over."""
    rng, pairs = random.Random(1), []
    for _ in range(LINES):
        own, other, line = ours.new_initial_state(), theirs.new_initial_state(), ([], [])
        while not (own.is_terminal() or other.is_terminal()):
            both = openspiel.action_map(own, other)
            action = rng.choice(list(both))
            line[0].append(action)
            line[1].append(both[action])
            own.apply_action(action)
            other.apply_action(both[action])
        pairs.append(line)
    return [line[0] for line in pairs], [line[1] for line in pairs]


def single_calls(game, lines):
    """{call: (work, calls)} of one side; `work` is done on every state of the games."""
    states = []
    for line in lines:
        state = game.new_initial_state()
        for action in line:
            states.append(state.clone())
            state.apply_action(action)
    calls = len(states)

    def play():
        for line in lines:
            state = game.new_initial_state()
            apply = state.apply_action
            for action in line:
                apply(action)

    def legal():
        for state in states:
            state.legal_actions()

    def copy():
        for state in states:
            state.clone()

    def both():
        for line in lines:
            state = game.new_initial_state()
            for action in line:
                state.legal_actions()
                state.apply_action(action)

    return {
        "apply_action": (play, calls),
        "legal_actions": (legal, calls),
        "both in turn": (both, calls),
        "clone": (copy, calls),
    }


def alternating(works, rounds):
    """The median seconds of each work, done in turns."""
    times = [[seconds(work) for work in works] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*times, strict=True)]


def random_games(name, rounds, wanted):
    ours, theirs = openspiel.load(name)
    works = [batches(ours), roll_outs(theirs), games_by_python(theirs)]
    counts = [enough(work, wanted) for work in works]
    tasks = [lambda work=work, count=count: work(count) for work, count in zip(works, counts, strict=True)]
    rates = [count / time for count, time in zip(counts, alternating(tasks, rounds), strict=True)]
    return rates, rates[0] / max(rates[1:])


def calls(name, rounds, wanted):
    ours, theirs = openspiel.load(name)
    own, other = lines(ours, theirs)
    own, other = single_calls(ours, own), single_calls(theirs, other)
    found = {}
    for call in own:
        (first, count), (second, _) = own[call], other[call]
        repeats = max(1, math.ceil(wanted / seconds(second)))
        works = [lambda work=work: [work() for _ in range(repeats)] for work in (first, second)]
        found[call] = [1e9 * time / (repeats * count) for time in alternating(works, rounds)]
    return found


def import_time(module, rounds):
    """Milliseconds of CPU time that `import module` adds to a fresh process; the difference of two medians."""

    def run(code):
        before = os.times()
        subprocess.run([sys.executable, "-c", code], check=True)
        after = os.times()
        return 1e3 * (after.children_user + after.children_system - before.children_user - before.children_system)

    bare, with_it = zip(*[(run("pass"), run(f"import {module}")) for _ in range(rounds * 3)], strict=True)
    return statistics.median(with_it) - statistics.median(bare)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU seconds of one measurement, roughly")
    parser.add_argument("--game", action="append", choices=GAMES, help="only this game; may be repeated")
    arguments = parser.parse_args()
    games = arguments.game or GAMES
    print(f"OpenSpiel {importlib.metadata.version('open_spiel')}, Python {platform.python_version()}\n")
    print("| random games a CPU second | Treeline, `playouts` | OpenSpiel, roll-outs | OpenSpiel, from Python | ratio |")
    print("|---|--:|--:|--:|--:|")
    for name in games:
        rates, ratio = random_games(name, arguments.rounds, arguments.seconds)
        print(f"| {name} | " + " | ".join(f"{rate:,.0f}" for rate in rates) + f" | {ratio:.0f} |", flush=True)
    print("\n| ns a call | call | Treeline | OpenSpiel | ratio |\n|---|---|--:|--:|--:|")
    for name in games:
        for call, (own, other) in calls(name, arguments.rounds, arguments.seconds).items():
            print(f"| {name} | {call} | {own:,.0f} | {other:,.0f} | {other / own:.1f} |", flush=True)
    print("\n| import | CPU ms |\n|---|--:|")
    for module in ("numpy", "treeline", "pyspiel"):
        print(f"| {module} | {import_time(module, arguments.rounds):.0f} |", flush=True)


if __name__ == "__main__":
    main()
