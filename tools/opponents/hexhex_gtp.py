"""HexHex' policy, without search, behind GTP: the move that its network likes best.

    hexhex_gtp.py MODEL.onnx SWAP

MODEL is the published network of github.com/harbecke/HexHex (app/public), played as its page plays it: the mean of the
board and of the board turned by half, on one thread. The board has the size that the network was learned on.
SWAP is 1 where the second player may swap, else 0.
"""

import sys

import numpy
import onnxruntime

from gtp import Dialogue

SWAP = "swap-pieces"


class Policy:
    name = "HexHex"

    def __init__(self, path, swap):
        self.swap = swap
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.network = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.input = self.network.get_inputs()[0].name
        # What the output is added to: one number a cell.
        cells = self.network.get_outputs()[0].shape[-1]
        self.size = round(cells**0.5)
        self.version = onnxruntime.__version__
        self.new_game(None)

    def new_game(self, size):
        if size and set(size) != {self.size}:
            raise ValueError(f"this network plays {self.size}x{self.size}")
        self.stones = numpy.zeros((2, self.size, self.size), numpy.float32)
        self.moves = 0

    def play(self, player, move):
        if move == SWAP:
            if self.moves != 1:
                raise ValueError("only the second move may swap")
            # The stone changes its colour and is mirrored, so that it lies as it did for the player who took it.
            self.stones = self.stones[::-1].transpose(0, 2, 1).copy()
        else:
            column, row = ord(move[0]) - ord("a"), int(move[1:]) - 1
            if not (0 <= column < self.size and 0 <= row < self.size) or self.stones[:, row, column].any():
                raise ValueError("illegal move")
            self.stones[player, row, column] = 1
        self.moves += 1

    def scores(self, player):
        """Of each cell as the player to move sees it, who always joins the first and the last row."""
        board = self.stones if player == 0 else self.stones[::-1].transpose(0, 2, 1)
        planes = numpy.zeros((2, self.size + 2, self.size + 2), numpy.float32)
        planes[:, 1:-1, 1:-1] = board
        planes[0, [0, -1], 1:-1] = 1
        planes[1, 1:-1, [0, -1]] = 1
        ask = lambda planes: self.network.run(None, {self.input: planes[None]})[0].reshape(self.size, self.size)
        scores = (ask(planes) + ask(planes[:, ::-1, ::-1].copy())[::-1, ::-1]) / 2
        return scores, board.any(axis=0)

    def genmove(self, player, seconds):
        scores, taken = self.scores(player)
        # Its own rules let the second player choose the first stone's cell, which exchanges the sides.
        if self.moves != 1 or not self.swap:
            scores = numpy.where(taken, -numpy.inf, scores)
        row, column = numpy.unravel_index(scores.argmax(), scores.shape)
        if taken[row, column]:
            self.play(player, SWAP)
            return SWAP
        if player == 1:
            row, column = column, row
        move = f"{chr(ord('a') + column)}{row + 1}"
        self.play(player, move)
        return move


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in ("0", "1"):
        sys.exit(__doc__)
    Dialogue(Policy(sys.argv[1], sys.argv[2] == "1")).run()
