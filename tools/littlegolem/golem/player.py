"""One round: every waiting game gets a move, and every sent move is looked for in the record afterwards.

The site gives no error on a move that it does not take, so a move counts only when the record shows it. A position in which
a move was not taken is left alone, and a bot whose moves are not taken three times stops, since it would only disturb.
"""

import logging
from dataclasses import dataclass, field

from . import engine, pages, records
from .site import SiteError

LOG = logging.getLogger("littlegolem")


class Stuck(Exception):
    """Moves are not taken again and again."""


@dataclass
class Settings:
    """What the bot is told. Times in seconds."""

    command: list
    seconds: float
    patience: float
    post: bool
    only: frozenset
    check_delay: float


@dataclass
class Player:
    """Plays rounds. `wait` sleeps and may be cut short; `stopping` says that the bot is to end."""

    site: object
    user: str
    settings: Settings
    wait: object
    stopping: object
    not_taken: set = field(default_factory=set)

    def round(self):
        """How many games were dealt with and how many failed. Errors of the site itself pass through."""
        played = failed = 0
        for waiting in self.site.waiting():
            if self.stopping():
                break
            if self.settings.only and waiting.number not in self.settings.only:
                continue
            game = records.game_called(waiting.name)
            if game is None:
                LOG.info("game %d: '%s' is not played here", waiting.number, waiting.name)
                continue
            try:
                played += self._play(waiting, game)
            except (records.RecordError, engine.EngineError, pages.PageError, SiteError) as error:
                if getattr(error, "retry_after", None) is not None:
                    # The site wants to be left alone, not only this game: the next round sees what became of it.
                    raise
                LOG.error("game %d: %s", waiting.number, error)
                failed += 1
        return played, failed

    def _play(self, waiting, game):
        """Whether a move was made, or would have been."""
        number, settings = waiting.number, self.settings
        record = self._read(number, game)
        if record.finished:
            LOG.info("game %d is over", number)
            return False
        if self._is_theirs(record):
            LOG.info("game %d: the move has been made already", number)
            return False
        if (number, record.moves) in self.not_taken:
            LOG.info("game %d: left alone since the move was not taken", number)
            return False
        move = engine.think(settings.command, game, record, settings.seconds, settings.patience)
        choice = records.Choice("resign", "resign") if move == "resign" else game.choice(move, record)
        LOG.info("game %d against %s, move %d: %s", number, waiting.opponent, len(record.moves) + 1, choice.sent)
        if not settings.post:
            LOG.info("game %d: not sent (dry run; --post sends)", number)
            return True
        # While the engine thought, the account's owner may have moved.
        if self._read(number, game) != record:
            LOG.info("game %d went on meanwhile; nothing is sent", number)
            return False
        try:
            self.site.send(number, choice.sent)
        except SiteError as error:
            if error.retry_after is not None:
                raise
            # It may have arrived all the same: the record tells.
            LOG.warning("game %d: %s", number, error)
        self._confirm(number, game, record, choice)
        return True

    def _confirm(self, number, game, record, choice):
        expected = (*record.moves, choice.recorded)
        for factor in (1, 2, 4):
            self.wait(self.settings.check_delay * factor)
            try:
                now = self._read(number, game)
            except (SiteError, records.RecordError) as error:
                if getattr(error, "retry_after", None) is not None:
                    raise
                LOG.warning("game %d: %s", number, error)
                continue
            # The opponent may have answered already.
            if now.moves[: len(expected)] == expected or (choice.sent == "resign" and now.finished):
                LOG.info("game %d: the record shows the move", number)
                return
            if now.moves != record.moves:
                self._leave(number, record)
                raise records.RecordError(f"the record shows {now.moves[-1]} where {choice.recorded} was sent")
        self._leave(number, record)
        raise records.RecordError(f"{choice.sent} was sent, but the record does not show it")

    def _leave(self, number, record):
        self.not_taken.add((number, record.moves))
        if len(self.not_taken) >= 3:
            raise Stuck("three moves were not taken; the bot stops. See the log, and play them by hand")

    def _read(self, number, game):
        return game.read(self.site.record(number, game.extension))

    def _is_theirs(self, record):
        names = [name.strip().lower() for name in record.players]
        return names.count(self.user.lower()) == 1 and names[len(record.moves) % 2] != self.user.lower()
