"""What several tests use."""

import random

import treeline

# Small variants, so that whole games are short; and one of each game's default.
VARIANTS = [
    "breakthrough",
    "breakthrough size=5x6",
    "connect-four",
    "draughts",
    "hex size=11",
    "hex size=5 swap=on",
    "kalah",
    "lines-of-action",
    "lines-of-action size=6",
    "othello",
    "othello size=6",
]


def random_game(game, seed, plies=10_000):
    """The states of a random game, from the start to its end or `plies` plies."""
    rng = random.Random(seed)
    state = game.new_initial_state()
    yield state.clone()
    for _ in range(plies):
        if state.is_terminal():
            return
        state.apply_action(rng.choice(state.legal_actions()))
        yield state.clone()


def state_at(game, seed, plies):
    """A state of a random game."""
    return list(random_game(treeline.load(game) if isinstance(game, str) else game, seed, plies))[-1]
