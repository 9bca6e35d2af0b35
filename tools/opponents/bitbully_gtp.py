"""BitBully, a perfect player of Connect Four (7x6), behind GTP. Among equally good moves it takes a random one.

    bitbully_gtp.py [SEED]

The database for openings (package bitbully-databases) comes with the library; without it the first moves take long.
"""

import importlib.metadata
import random
import sys

from bitbully import BitBully, Board

from gtp import Dialogue

COLUMNS = "abcdefg"


class Perfect:
    name = "BitBully"
    version = importlib.metadata.version("bitbully")

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.solver = BitBully("12-ply-dist")
        self.board = Board()

    def new_game(self, size):
        if size not in (None, [7, 6], [7]):
            raise ValueError("unacceptable size")
        self.board = Board()

    def play(self, player, move):
        if player != self.board.count_tokens() % 2:
            raise ValueError("wrong colour")
        if len(move) != 1 or move not in COLUMNS or not self.board.play(COLUMNS.index(move)):
            raise ValueError("illegal move")

    def genmove(self, player, seconds):
        if player != self.board.count_tokens() % 2:
            raise ValueError("wrong colour")
        scores = self.solver.score_all_moves(self.board)
        if not scores:
            return "pass"
        best = max(scores.values())
        column = self.random.choice([column for column, score in scores.items() if score == best])
        self.board.play(column)
        return COLUMNS[column]


Dialogue(Perfect(int(sys.argv[1]) if len(sys.argv) > 1 else 1)).run()
