"""The engine: a process that speaks GTP. Started for one move and ended after it, so that a bad one spoils one move."""

import logging
import queue
import subprocess
import threading
import time

LOG = logging.getLogger("littlegolem")
LONGEST = 65536


class EngineError(Exception):
    """The engine cannot be started, does not answer, or refuses."""


class Engine:
    """A running engine; use it in a `with`."""

    def __init__(self, command, patience):
        self._patience = patience
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
            )
        except OSError as error:
            raise EngineError(f"cannot start {command[0]}: {error.strerror}") from None
        # Bounded, so that an engine that writes without end waits at its own pipe.
        self._lines = queue.Queue(maxsize=1000)
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        # Wakes the reader if it waits at a full queue.
        while not self._lines.empty():
            self._lines.get_nowait()

    def ask(self, command, extra=0.0):
        """The reply's text. `extra` seconds are granted for thinking."""
        end = time.monotonic() + self._patience + extra
        LOG.debug("engine < %s", command)
        try:
            self._process.stdin.write(f"{command}\n".encode())
            self._process.stdin.flush()
        except OSError:
            raise EngineError(f"the engine ended before '{command}'") from None
        lines = []
        while True:
            line = self._line(end, command)
            if line == "" and lines:
                break
            if line != "":
                lines.append(line)
        LOG.debug("engine > %s", lines[0])
        status, text = lines[0][:1], " ".join([lines[0][1:], *lines[1:]]).strip()
        if status == "=":
            return text
        if status == "?":
            raise EngineError(f"the engine refuses '{command}': {text[:200]}")
        raise EngineError(f"the engine answers '{command}' with garbage: {lines[0][:80]}")

    def _line(self, end, command):
        try:
            line = self._lines.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            raise EngineError(f"the engine does not answer '{command}' in time") from None
        if time.monotonic() > end:
            raise EngineError(f"the engine does not finish its answer to '{command}' in time")
        if line is None:
            raise EngineError(f"the engine ended at '{command}'")
        return line

    def _read(self):
        with self._process.stdout as output:
            while line := output.readline(LONGEST):
                self._lines.put(line.decode("utf-8", errors="replace").strip())
        self._lines.put(None)


def think(command, game, record, seconds, patience):
    """The move for the side to move, as the engine writes it; `resign` where the game is over and lost."""
    with Engine(command, patience) as engine:
        engine.ask(f"set_game {game.set_game(record)}")
        for at, move in enumerate(record.moves):
            engine.ask(f"play {'bw'[at % 2]} {game.to_engine(move)}")
        turn = "bw"[len(record.moves) % 2]
        result = engine.ask("game_result")
        if result == turn or result == "draw":
            raise EngineError(f"the site waits for a move in a game that has ended ({result})")
        if result != "none":
            return "resign"
        engine.ask(f"time_settings 0 {seconds:g} 1")
        move = engine.ask(f"genmove {turn}", extra=seconds)
        if move.lower() == "resign":
            return "resign"
        return move.lower()
