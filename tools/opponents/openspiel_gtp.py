"""OpenSpiel's MCTS bot (UCT with random play-outs, one thread) behind GTP.

    openspiel_gtp.py GAME [SIMULATIONS [SEED]]

GAME is Treeline's name of a game in its default variant, but for the size of Breakthrough and Hex. The bot stops after the
time that `time_settings` gives for a move, or after SIMULATIONS, a very large number by default.
"""

import importlib.metadata
import sys

import pyspiel

from gtp import Dialogue

# The constant of UCT that OpenSpiel's own examples use, and the memory of a tree in MiB.
EXPLORATION = 2.0
MEMORY = 1024


def flipped(move):
    """Rows counted from the other side, where OpenSpiel's first player begins at the top."""
    return "".join(str(9 - int(c)) if c.isdigit() else c for c in move)


def breakthrough(player, text):
    return flipped(text.rstrip("*"))


def connect_four(player, text):
    return "abcdefg"[int(text[1:])]


def lines_of_action(player, text):
    return text.replace("-", "").replace("x", "")


def mancala(player, text):
    return str(int(text) - 7 * player)


def same(player, text):
    return text.lower()


# OpenSpiel's game, how a move of its is written here, and the size it has unless told otherwise.
GAMES = {
    "breakthrough": ("breakthrough", breakthrough),
    "connect-four": ("connect_four", connect_four),
    "hex": ("hex", same),
    "kalah": ("mancala", mancala),
    "lines-of-action": ("lines_of_action(max_game_length=1000)", lines_of_action),
    "othello": ("othello", same),
}


class Bot:
    name = "OpenSpiel MCTS"
    version = importlib.metadata.version("open_spiel")

    def __init__(self, game, simulations, seed):
        self.treeline_game, self.simulations, self.seed = game, simulations, seed
        self.write = GAMES[game][1]
        self.new_game(None)

    def new_game(self, size):
        name = GAMES[self.treeline_game][0]
        if self.treeline_game == "hex" and size:
            name = f"hex(board_size={size[0]})"
        elif size and size not in ([8], [8, 8], [7, 6]):
            raise ValueError("unacceptable size")
        self.game = pyspiel.load_game(name)
        self.state = self.game.new_initial_state()

    def moves(self):
        player = self.state.current_player()
        return {self.write(player, self.state.action_to_string(player, a)): a for a in self.state.legal_actions()}

    def check_turn(self, player):
        if self.state.is_terminal():
            raise ValueError("the game is over")
        if player != self.state.current_player():
            raise ValueError("wrong colour")

    def play(self, player, move):
        self.check_turn(player)
        moves = self.moves()
        if move not in moves:
            raise ValueError("illegal move")
        self.state.apply_action(moves[move])

    def genmove(self, player, seconds):
        self.check_turn(player)
        self.seed += 1
        evaluator = pyspiel.RandomRolloutEvaluator(1, self.seed)
        bot = pyspiel.MCTSBot(
            self.game,
            evaluator,
            EXPLORATION,
            self.simulations,
            MEMORY,
            solve=True,
            seed=self.seed,
            verbose=False,
            max_wall_clock_time=seconds,
        )
        action = bot.step(self.state)
        text = self.write(player, self.state.action_to_string(player, action))
        self.state.apply_action(action)
        return text


if len(sys.argv) < 2 or sys.argv[1] not in GAMES:
    sys.exit(f"usage: openspiel_gtp.py {'|'.join(GAMES)} [SIMULATIONS [SEED]]")
numbers = [int(word) for word in sys.argv[2:]]
Dialogue(Bot(sys.argv[1], *(numbers + [1 << 30, 1][len(numbers):]))).run()
