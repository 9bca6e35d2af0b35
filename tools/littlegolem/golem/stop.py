"""The wish to end, told by signals.

`threading.Event.set` in a handler deadlocks when the signal arrives while the same thread is inside `wait` with the event's lock
taken, which is rare and fatal. A byte in a pipe needs no lock.
"""

import os
import select
import signal


class Stop:
    """Set by SIGINT and SIGTERM from its construction on."""

    def __init__(self):
        self._asked = False
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)

    def _ask(self, *_):
        self._asked = True
        try:
            os.write(self._writer, b"x")
        except BlockingIOError:
            # The pipe is full of earlier wishes.
            pass

    def is_set(self):
        return self._asked

    def wait(self, seconds):
        """Sleeps so long, or until the bot is to end."""
        select.select([self._reader], [], [], max(0.0, seconds))
