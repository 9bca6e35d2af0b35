"""Treeline: board games, batches of them, and searchers. docs/python.md of the repository is the manual.

    game = treeline.load("hex size=11")
    state = game.new_initial_state()
    result = treeline.Engine(game, "mcts").search(state, seconds=1)
    state.apply_action(result.action)

Names are OpenSpiel's where it has them.
"""

import sys as _sys

from ._treeline import (
    Batch,
    Candidate,
    Engine,
    Evaluation,
    FinishedError,
    ForkError,
    Game,
    IllegalActionError,
    InternalError,
    Network,
    NetworkError,
    OptionError,
    PositionError,
    SearchResult,
    ShapeError,
    Solution,
    State,
    TreelineError,
    UnknownGameError,
    __version__,
    load,
    registered_names,
    registered_searchers,
    searcher_options,
    statistics,
)
from ._types import GameType, PlayerId

load_game = load
# So that `import treeline.statistics` finds it, too.
_sys.modules["treeline.statistics"] = statistics

__all__ = [
    "Batch",
    "Candidate",
    "Engine",
    "Evaluation",
    "FinishedError",
    "ForkError",
    "Game",
    "GameType",
    "IllegalActionError",
    "InternalError",
    "Network",
    "NetworkError",
    "OptionError",
    "PlayerId",
    "PositionError",
    "SearchResult",
    "ShapeError",
    "Solution",
    "State",
    "TreelineError",
    "UnknownGameError",
    "__version__",
    "load",
    "load_game",
    "registered_names",
    "registered_searchers",
    "searcher_options",
    "statistics",
]
