"""OpenSpiel's states and ours, for the games that both have. Needs `pip install open_spiel`.

`to_treeline` makes our state of theirs, `action_map` translates the legal moves, and `Bot` is an engine that plays OpenSpiel's games as
its own bots do.
"""

import functools
import re

import pyspiel

import treeline

_SQUARES = re.compile(r"([a-z])(\d+)")


def _flipped(text, rows):
    """Squares of a board whose rows are counted from the other side."""
    return _SQUARES.sub(lambda square: f"{square[1]}{rows + 1 - int(square[2])}", text)


class _Match:
    """A game under both names: what opens it on either side, and OpenSpiel's text of one of our moves. Texts are remembered by
    number, ours only where a number means the same move in every position.
    """

    def __init__(self, ours, theirs, spelled, fixed=True):
        self.ours, self.theirs, self.spelled, self.fixed = ours, theirs, spelled, fixed
        self._own, self._other = {}, {}

    def own_text(self, state, player, action):
        """Their text of our action."""
        text = self._own.get((player, action)) if self.fixed else None
        if text is None:
            text = self._own[player, action] = self.spelled(state.action_to_string(action), player)
        return text

    def other_text(self, name, state, player, action):
        """The same of theirs, without marks around the squares."""
        text = self._other.get((player, action))
        if text is None:
            text = self._other[player, action] = _plain(name, state.action_to_string(player, action))
        return text


def _breakthrough(parameters):
    rows, columns = parameters.get("rows", 8), parameters.get("columns", 8)
    return _Match(
        f"breakthrough size={columns}x{rows}",
        f"breakthrough(rows={rows},columns={columns})",
        lambda text, player: _flipped(text, rows),
    )


def _hex(parameters):
    size = parameters.get("board_size", 11)
    if parameters.get("num_rows", size) != size or parameters.get("num_cols", size) != size:
        return None
    return _Match(f"hex size={size}", f"hex(board_size={size})", lambda text, player: text)


def _othello(parameters):
    return _Match("othello", "othello", lambda text, player: text)


def _lines_of_action(parameters):
    return _Match(
        "lines-of-action both-connected=mover repetition=off length=1000",
        "lines_of_action(max_game_length=1000)",
        lambda text, player: text,
        fixed=False,
    )


def _connect_four(parameters):
    rows, columns, line = parameters.get("rows", 6), parameters.get("columns", 7), parameters.get("x_in_row", 4)
    return _Match(
        f"connect-four width={columns} height={rows} line={line}",
        f"connect_four(rows={rows},columns={columns},x_in_row={line})",
        lambda text, player: str(ord(text) - ord("a")),
    )


def _kalah(parameters):
    return _Match(
        "kalah houses=6 seeds=4 empty-capture=off", "mancala", lambda text, player: str(int(text) + 7 * player)
    )


# By OpenSpiel's name.
_MATCHES = {
    "breakthrough": _breakthrough,
    "hex": _hex,
    "othello": _othello,
    "lines_of_action": _lines_of_action,
    "connect_four": _connect_four,
    "mancala": _kalah,
}
# What OpenSpiel writes around the squares of a move.
_MARKS = {
    "breakthrough": "*",
    "lines_of_action": "-x",
    "connect_four": "xo",
}


def _plain(name, text):
    return text.translate({ord(mark): None for mark in _MARKS.get(name, "")})


@functools.lru_cache(maxsize=64)
def _match_of(text):
    game = pyspiel.load_game(text)
    name = game.get_type().short_name
    match = _MATCHES.get(name, lambda parameters: None)(game.get_parameters())
    if match is None:
        raise treeline.UnknownGameError(f"no game of Treeline is OpenSpiel's {game}")
    return match


def _match(game):
    return _match_of(str(game))


def load(name):
    """Both sides' games, (treeline.Game, pyspiel.Game), by OpenSpiel's name, such as "hex(board_size=7)"."""
    theirs = pyspiel.load_game(name)
    match = _match(theirs)
    return treeline.load(match.ours), pyspiel.load_game(match.theirs)


def action_map(state, other):
    """{our action: OpenSpiel's} of the legal moves of a treeline.State and the same pyspiel.State."""
    name, player = other.get_game().get_type().short_name, other.current_player()
    match = _match(other.get_game())
    theirs = {match.other_text(name, other, player, action): action for action in other.legal_actions()}
    ours = {match.own_text(state, player, action): action for action in state.legal_actions()}
    if theirs.keys() != ours.keys():
        raise treeline.IllegalActionError(f"the legal moves differ: {sorted(ours)} and {sorted(theirs)}")
    return {action: theirs[text] for text, action in ours.items()}


def to_treeline(state):
    """The treeline.State with the moves of a pyspiel.State."""
    game = state.get_game()
    ours, theirs = treeline.load(_match(game).ours).new_initial_state(), game.new_initial_state()
    for action in state.history():
        back = {other: own for own, other in action_map(ours, theirs).items()}
        ours.apply_action(back[action])
        theirs.apply_action(action)
    return ours


class Bot(pyspiel.Bot):
    """An engine as a bot of OpenSpiel's: `Bot("hex(board_size=7)", "mcts", simulations=1000, threads=1)`.

    Limits of a move are `seconds`, `simulations`, `nodes` and `depth`; other keywords are the engine's options.
    """

    def __init__(self, game, searcher="auto", **options):
        super().__init__()
        game = pyspiel.load_game(game) if isinstance(game, str) else game
        limits = ("seconds", "simulations", "nodes", "depth")
        self.limits = {name: options.pop(name) for name in limits if name in options}
        self.engine = treeline.Engine(treeline.load(_match(game).ours), searcher, **options)

    def step(self, state):
        """The engine's move in OpenSpiel's state."""
        ours = to_treeline(state)
        return action_map(ours, state)[self.engine.search(ours, **self.limits).action]

    def restart(self):
        """A new game: what was searched is kept."""

    def restart_at(self, state):
        """A game that goes on at `state`."""
