"""What the pages of the site say. Nothing here asks the site for anything.

The list of games has two tables, "On Move" and "Opponent's Move"; a row has the game's number with a link, the time
left, the opponent, …, the game's name and the number of moves. Only links decide which game a row is about.
"""

import re
from dataclasses import dataclass
from html.parser import HTMLParser


class PageError(Exception):
    """A page that is not what was asked for."""


@dataclass(frozen=True)
class Waiting:
    """A game in which it is our turn, as the list has it."""

    number: int
    opponent: str
    name: str


@dataclass(frozen=True)
class GameList:
    """The page of the own games."""

    logged_in: bool
    waiting: tuple


class _Reader(HTMLParser):
    """Collects rows by section. Unclosed and crossed tags are normal on the web; nothing here relies on nesting."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.section = None
        self.sections = set()
        self.log_in = False
        self.log_off = False
        self.rows = []
        self._cells = None
        self._number = None
        self._silent = 0

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag in ("script", "style"):
            self._silent += 1
        elif tag == "input" and (attributes.get("type") or "").lower() == "password":
            self.log_in = True
        elif tag == "tr":
            self._finish_row()
            self._cells = []
        elif tag == "td" and self._cells is not None:
            self._cells.append("")
        elif tag == "a":
            href = attributes.get("href") or ""
            self.log_off |= "logoff" in href
            self.log_in |= "/login" in href and "logoff" not in href
            found = re.search(r"game\.jsp\?(?:.*&)?gid=(\d{1,12})(?!\d)", href)
            if found and self._cells is not None and self._number is None:
                self._number = int(found.group(1))

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self._silent = max(0, self._silent - 1)
        elif tag in ("tr", "tbody", "table"):
            self._finish_row()

    def handle_data(self, data):
        if self._silent:
            return
        if self._cells:
            self._cells[-1] += data
            return
        text = " ".join(data.split()).lower()
        if text.startswith(("on move", "games where it is your turn")):
            self._enter("mine")
        elif text.startswith(("opponent's move", "opponent’s move", "games where it is your opponent")):
            self._enter("theirs")

    def _enter(self, section):
        self._finish_row()
        self.section = section
        self.sections.add(section)

    def _finish_row(self):
        if self._cells and self._number is not None:
            cells = [" ".join(cell.split()) for cell in self._cells]
            self.rows.append((self.section, self._number, cells))
        self._cells = None
        self._number = None


def read_game_list(text):
    """The page of the own games; an error where it is another page."""
    reader = _Reader()
    try:
        reader.feed(text)
        reader.close()
    except Exception as error:  # html.parser documents no errors, and yet must not end the bot.
        raise PageError(f"the list of games cannot be read: {error}") from error
    if not reader.sections and not reader.log_off:
        if reader.log_in:
            return GameList(False, ())
        raise PageError("the list of games shows neither games nor a way to log off")
    waiting = []
    for section, number, cells in reader.rows:
        if section == "mine":
            opponent = cells[2] if len(cells) > 2 else ""
            name = cells[4] if len(cells) > 4 else ""
            waiting.append(Waiting(number, opponent, name))
    return GameList(True, tuple(dict.fromkeys(waiting)))
