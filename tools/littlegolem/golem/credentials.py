"""Who plays: from the environment or from a file that nobody else can read. The password is never shown."""

import os
import stat
from urllib.parse import quote_plus


class CredentialsError(Exception):
    """They are missing, or the file is not safe enough."""


class Credentials:
    """A login name and its password."""

    def __init__(self, user, password):
        if not user or not password:
            raise CredentialsError("the login name or the password is empty")
        self.user = user
        self.password = password

    def __repr__(self):
        return f"Credentials({self.user!r}, …)"

    def hide(self, text):
        """The text without the password, in case something echoes it."""
        for secret in {self.password, quote_plus(self.password)}:
            text = text.replace(secret, "…")
        return text


def load(path, environ):
    """From the file if one is named, otherwise from LITTLEGOLEM_USER and LITTLEGOLEM_PASSWORD."""
    if path is not None:
        return _from_file(path)
    try:
        return Credentials(environ["LITTLEGOLEM_USER"], environ["LITTLEGOLEM_PASSWORD"])
    except KeyError as missing:
        raise CredentialsError(
            f"{missing.args[0]} is not set; set LITTLEGOLEM_USER and LITTLEGOLEM_PASSWORD or give --credentials FILE"
        ) from None


def _from_file(path):
    try:
        # Not through a link, and checked on the open file, so that it cannot be exchanged in between.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise CredentialsError(f"cannot read {path}: {error.strerror}") from None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise CredentialsError(f"{path} is not a regular file")
        if status.st_uid != os.geteuid():
            raise CredentialsError(f"{path} belongs to another user")
        if status.st_mode & 0o077:
            raise CredentialsError(f"others can reach {path}; run: chmod 600 {path}")
        try:
            text = file.read(4096).decode()
        except UnicodeDecodeError:
            raise CredentialsError(f"{path} is not UTF-8 text") from None
    found = {}
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.lstrip().startswith("#"):
            found[key.strip()] = value.strip()
    if "user" not in found or "password" not in found:
        raise CredentialsError(f"{path} needs the lines 'user = NAME' and 'password = WORD'")
    return Credentials(found["user"], found["password"])
