"""One bot at a time. The system releases the lock when the process ends, however it ends."""

import fcntl
import os


class Busy(Exception):
    """Another bot holds the lock."""


class Lock:
    """Held from the construction on, until the process ends or `release`."""

    def __init__(self, path):
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(self._descriptor, 32).decode(errors="replace").strip()
            os.close(self._descriptor)
            raise Busy(f"another bot runs (process {holder or 'unknown'}); it holds {path}") from None
        os.ftruncate(self._descriptor, 0)
        os.write(self._descriptor, f"{os.getpid()}\n".encode())

    def release(self):
        os.close(self._descriptor)


def default_path(environ):
    """One file for all bots of this user on this machine."""
    state = environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(state, "treeline", "littlegolem.lock")
