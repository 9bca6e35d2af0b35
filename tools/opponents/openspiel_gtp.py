"""OpenSpiel's MCTS bot (UCT with random play-outs, one thread) behind GTP.

    openspiel_gtp.py GAME [SIMULATIONS [SEED]]

GAME is Treeline's name of a game, alone or with a size where OpenSpiel has sizes: "hex size=9x9". The bot stops after the time that `time_settings` gives for a move, or after SIMULATIONS, a very large number by default.
"""

import importlib.metadata
import sys

import pyspiel

from gtp import Dialogue

# The constant of UCT that OpenSpiel's own examples use, and the memory of a tree in MiB.
EXPLORATION = 2.0
MEMORY = 1024


def breakthrough(player, text):
    """Rows counted from the other side: OpenSpiel's first player begins at the top."""
    return "".join(str(rows + 1 - int(c)) if c.isdigit() else c for c in text.rstrip("*"))


def connect_four(player, text):
    return "abcdefg"[int(text[1:])]


def lines_of_action(player, text):
    return text.replace("-", "").replace("x", "")


def mancala(player, text):
    return str(int(text) - 7 * player)


def same(player, text):
    return text.lower()


# OpenSpiel's game, and how a move of its is written here.
GAMES = {
    "breakthrough": ("breakthrough(rows={rows},columns={columns})", breakthrough),
    "connect-four": ("connect_four", connect_four),
    "hex": ("hex(num_rows={rows},num_cols={columns})", same),
    "kalah": ("mancala", mancala),
    "lines-of-action": ("lines_of_action(max_game_length=1000)", lines_of_action),
    "othello": ("othello", same),
}


class Bot:
    name = "OpenSpiel MCTS"
    version = importlib.metadata.version("open_spiel")

    def __init__(self, game, simulations, seed):
        self.simulations, self.seed = simulations, seed
        name, self.write = GAMES[game]
        self.game = pyspiel.load_game(name.format(rows=rows, columns=columns))
        self.new_game(None)

    def new_game(self, size):
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


words = sys.argv[1].split() if len(sys.argv) > 1 else [""]
if words[0] not in GAMES:
    sys.exit(f"usage: openspiel_gtp.py {'|'.join(GAMES)} [SIMULATIONS [SEED]]")
columns = rows = 11 if words[0] == "hex" else 8
for word in words[1:]:
    if not word.startswith("size=") or words[0] not in ("hex", "breakthrough"):
        sys.exit(f"OpenSpiel's {words[0]} has no {word}")
    size = [int(number) for number in word.removeprefix("size=").split("x")]
    columns, rows = size[0], size[-1]
numbers = [int(word) for word in sys.argv[2:]]
Dialogue(Bot(words[0], *(numbers + [1 << 30, 1][len(numbers):]))).run()
