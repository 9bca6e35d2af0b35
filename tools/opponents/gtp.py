"""The part of GTP that a referee needs, for engines that are Python libraries.

An engine is a class with `name`, `version`, and the methods `new_game(size)`, `play(player, move)` and
`genmove(player, seconds)`; players are 0 and 1, moves are texts as Treeline writes them. A ValueError is refused with
its text.
"""

import sys


class Quit(Exception):
    pass


PLAYERS = {"b": 0, "black": 0, "w": 1, "white": 1}


class Dialogue:
    def __init__(self, engine):
        self.engine = engine
        self.seconds = 1.0
        self.commands = {
            "protocol_version": lambda words: "2",
            "name": lambda words: engine.name,
            "version": lambda words: engine.version,
            "list_commands": lambda words: "\n".join(sorted(self.commands)),
            "known_command": lambda words: str(words[0] in self.commands).lower(),
            "boardsize": self.boardsize,
            "clear_board": lambda words: engine.new_game(self.size) or "",
            "komi": lambda words: "",
            "time_settings": self.time_settings,
            "play": lambda words: engine.play(self.player(words), words[1].lower()) or "",
            "genmove": lambda words: engine.genmove(self.player(words), self.seconds),
            "quit": self.quit,
        }
        self.size = None

    def boardsize(self, words):
        self.size = [int(word) for word in words]
        self.engine.new_game(self.size)
        return ""

    def time_settings(self, words):
        """Seconds for one move; or for a game, of which a thirtieth is one move's."""
        main, period, moves = (float(word) for word in words)
        self.seconds = period / moves if moves else main / 30
        return ""

    @staticmethod
    def player(words):
        if not words or words[0].lower() not in PLAYERS:
            raise ValueError("expected a colour")
        return PLAYERS[words[0].lower()]

    def quit(self, words):
        raise Quit

    def answer(self, line):
        words = line.split("#")[0].split()
        if not words:
            return None
        number = words.pop(0) if words[0].isdigit() else ""
        if not words:
            return f"?{number} no command"
        try:
            if words[0] not in self.commands:
                raise ValueError("unknown command")
            return f"={number} {self.commands[words[0]](words[1:])}"
        except (ValueError, IndexError) as error:
            return f"?{number} {error}"
        except Quit:
            return f"={number} "

    def run(self):
        for line in sys.stdin:
            answer = self.answer(line)
            if answer is None:
                continue
            print(answer, end="\n\n", flush=True)
            if line.split("#")[0].split()[-1:] == ["quit"]:
                return
