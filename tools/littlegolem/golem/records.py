"""Game records as the site writes them, moves as it takes them, and both as the engine does.

Hex is SGF with unescaped text (names may contain brackets), so it is read from its end: the moves follow the last
header. Colours in it are W for the first player, whose name stands under PB. `swap` moves the first stone to the mirrored cell
and gives it the second player's colour, which the engine calls `swap-pieces`; the cells after it need no translation.

Breakthrough is text like PGN. A move is sent as four digits: column and row of the origin, then of the target, from zero.
"""

import re
from dataclasses import dataclass


class RecordError(Exception):
    """A record that is cut off, garbled, or of another game."""


@dataclass(frozen=True)
class Record:
    """A game so far. `players` are the names of the first and the second player, or empty where they are not clear."""

    size: int
    moves: tuple
    finished: bool
    players: tuple


@dataclass(frozen=True)
class Choice:
    """A move to send: as the site takes it, and as the record shows it afterwards."""

    sent: str
    recorded: str


class Hex:
    """Moves in records are a column and a row as letters; the first row is at the top."""

    extension = "hsgf"
    _moves = re.compile(r"((?:;\s*[WB]\s*\[[A-Za-z|]*\]\s*)*)\)\s*\Z")
    _move = re.compile(r";\s*([WB])\s*\[([A-Za-z|]*)\]")

    def recognises(self, name):
        return re.match(r"hex\b", name, re.IGNORECASE) is not None

    def read(self, text):
        text = text.strip()
        if not text.startswith("(;"):
            raise RecordError("no SGF")
        moves = self._moves.search(text)
        if moves is None:
            raise RecordError("the record is cut off or its end is garbled")
        header = text[: moves.start()]
        size = re.search(r"SZ\[(\d{1,2})\]", header)
        if size is None or not 2 <= int(size.group(1)) <= 26:
            raise RecordError("the record has no board size")
        size = int(size.group(1))
        result = re.search(r"RE\[([WB])[^\]]*\]", header)
        first, second = re.search(r"PB\[(.*)\]PW\[", header, re.DOTALL), re.search(r"PW\[(.*?)\]\s*SZ\[", header, re.DOTALL)
        players = (first.group(1), second.group(1)) if first and second else ()
        found = []
        for at, (colour, word) in enumerate(self._move.findall(moves.group(1))):
            if found and found[-1] == "resign":
                raise RecordError("a move after the resignation")
            if colour != "WB"[at % 2] and word.lower() != "resign":
                raise RecordError(f"move {at + 1} has the wrong colour")
            found.append(self._check(word.lower(), at, size))
        finished = result is not None or (bool(found) and found[-1] == "resign")
        return Record(size, tuple(found), finished, players)

    def _check(self, word, at, size):
        if word == "resign" or (word == "swap" and at == 1):
            return word
        if len(word) == 2 and all(0 <= ord(letter) - ord("a") < size for letter in word):
            return word
        raise RecordError(f"move {at + 1} is '{word[:12]}'")

    def set_game(self, record):
        return f"hex size={record.size} swap=on"

    def to_engine(self, move):
        if move == "swap":
            return "swap-pieces"
        return f"{move[0]}{ord(move[1]) - ord('a') + 1}"

    def choice(self, move, record):
        if move in ("swap-pieces", "swap"):
            return Choice("swap", "swap")
        found = re.fullmatch(r"([a-z])([1-9]\d?)", move)
        if found is None or max(ord(found.group(1)) - ord("a") + 1, int(found.group(2))) > record.size:
            raise RecordError(f"the engine's move '{move[:20]}' is no cell of the board")
        cell = found.group(1) + chr(ord("a") + int(found.group(2)) - 1)
        return Choice(cell, cell)


class Breakthrough:
    """Moves in records are `a2-a3` and `a2xb3`; White, who moves first, begins on rows 1 and 2."""

    extension = "txt"
    _move = re.compile(r"([a-h])([1-8])[-x]([a-h])([1-8])")

    def recognises(self, name):
        return re.match(r"(breakthrough|brkthr)\b", name, re.IGNORECASE) is not None

    def read(self, text):
        headers = dict(re.findall(r'^\W*\[(\w+) "(.*)"\]\s*$', text, re.MULTILINE))
        body = " ".join(line for line in text.splitlines() if not re.match(r"\W*\[\w+ ", line))
        words = body.replace("#", " ").split()
        if not words:
            raise RecordError("the record is empty")
        if words[-1] not in ("*", "1-0", "0-1", "1/2-1/2"):
            raise RecordError("the record is cut off: it ends without a result")
        moves = []
        for word in words[:-1]:
            number = re.fullmatch(r"(\d+)\.", word)
            if number:
                if len(moves) % 2 or int(number.group(1)) != len(moves) // 2 + 1:
                    raise RecordError(f"the move number {word} does not follow")
                continue
            if moves and moves[-1] == "resign":
                raise RecordError("a move after the resignation")
            move = self._move.fullmatch(word)
            if move is None and word != "resign":
                raise RecordError(f"move {len(moves) + 1} is '{word[:12]}'")
            moves.append("".join(move.groups()) if move else word)
        finished = words[-1] != "*" or "resign" in moves
        players = (headers["White"], headers["Black"]) if {"White", "Black"} <= headers.keys() else ()
        return Record(8, tuple(moves), finished, players)

    def set_game(self, record):
        return "breakthrough size=8x8"

    def to_engine(self, move):
        return move

    def choice(self, move, record):
        found = re.fullmatch(r"([a-h])([1-8])([a-h])([1-8])", move)
        if found is None:
            raise RecordError(f"the engine's move '{move[:20]}' is no pair of squares")
        a, b, c, d = found.groups()
        digits = (ord(a) - ord("a"), int(b) - 1, ord(c) - ord("a"), int(d) - 1)
        return Choice("".join(map(str, digits)), move)


GAMES = (Hex(), Breakthrough())


def game_called(name):
    """The game of that name in the list, or None."""
    return next((game for game in GAMES if game.recognises(name)), None)
