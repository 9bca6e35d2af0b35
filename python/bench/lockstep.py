"""Random games of Treeline and OpenSpiel in lock-step: the legal moves, the player to move, the end and the result agree.

    python bench/lockstep.py --games 10000
"""

import argparse
import random
import sys
import time
from dataclasses import dataclass

from treeline import openspiel

GAMES = [
    "breakthrough(rows=8,columns=8)",
    "connect_four(rows=6,columns=7)",
    "hex(board_size=11)",
    "lines_of_action",
    "mancala",
    "othello",
]


@dataclass
class Played:
    """What was compared."""

    games: int = 0
    plies: int = 0
    # Games that OpenSpiel drew at a first repetition, which it does in Lines of Action and we do not.
    repeated: int = 0


def begin(game):
    """Our state at the beginning."""
    return game.new_initial_state()


def repeats(game, state):
    """Whether the placement of an OpenSpiel state was there before: by that it draws Lines of Action."""

    def placement(state):
        return tuple(line for line in str(state).splitlines() if line[:1].isdigit())

    before = game.new_initial_state()
    seen = set()
    for action in state.history():
        seen.add(placement(before))
        before.apply_action(action)
    return placement(state) in seen


def one_game(name, games, rng, played):
    """Plays a game on both sides; an AssertionError or IllegalActionError where they differ."""
    ours, theirs = begin(games[0]), games[1].new_initial_state()
    while not theirs.is_terminal():
        assert not ours.is_terminal(), (name, ours.history())
        assert ours.current_player() == theirs.current_player(), (name, ours.history())
        both = openspiel.action_map(ours, theirs)
        action = rng.choice(list(both))
        ours.apply_action(action)
        theirs.apply_action(both[action])
        played.plies += 1
    if name == "lines_of_action" and not ours.is_terminal() and repeats(games[1], theirs):
        assert theirs.returns() == [0.0, 0.0], (name, ours.history())
        played.repeated += 1
        return
    assert ours.is_terminal(), (name, ours.history())
    assert ours.returns() == theirs.returns(), (name, ours.history())


def agreement(name, games, seed):
    """Compares so many random games; what was played."""
    both, rng, played = openspiel.load(name), random.Random(seed), Played()
    for _ in range(games):
        one_game(name, both, rng, played)
        played.games += 1
    return played


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=1000, help="of each game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--game", action="append", choices=GAMES, help="only this game; may be repeated")
    arguments = parser.parse_args()
    print("| game | games | plies | ended by OpenSpiel's repetition |\n|---|--:|--:|--:|")
    for name in arguments.game or GAMES:
        begun = time.process_time()
        played = agreement(name, arguments.games, arguments.seed)
        print(f"| {name} | {played.games:,} | {played.plies:,} | {played.repeated:,} |", flush=True)
        print(f"{name}: {time.process_time() - begun:.0f} CPU s", file=sys.stderr)


if __name__ == "__main__":
    main()
