"""The site over HTTP: logging in, the list of games, records, sending a move. Polite, and tolerant of what networks do."""

import http.client
import http.cookiejar
import ipaddress
import logging
import time
import urllib.error
import urllib.request
from urllib.parse import urlencode, urlsplit

from . import pages

LARGEST = 2 * 1024 * 1024
LOG = logging.getLogger("littlegolem")


class SiteError(Exception):
    """The site could not be asked. `retry_after` is what it wishes, in seconds, or None."""

    def __init__(self, text, retry_after=None):
        super().__init__(text)
        self.retry_after = retry_after


class LoginRefused(Exception):
    """The site does not take these credentials. Trying again would only lock the account."""


def is_loopback(url):
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class _SameOrigin(urllib.request.HTTPRedirectHandler):
    """Follows redirects on the site only: cookies and passwords go nowhere else, and never from https to http."""

    def redirect_request(self, request, file, code, message, headers, url):
        old, new = urlsplit(request.full_url), urlsplit(url)
        if (old.scheme, old.netloc) != (new.scheme, new.netloc):
            raise urllib.error.URLError(f"redirected away to {new.scheme}://{new.hostname}")
        return super().redirect_request(request, file, code, message, headers, url)


class Site:
    """One session. `wait` sleeps and may be cut short; `jitter` stretches a time a little, differently each time."""

    def __init__(self, base, credentials, *, timeout, pace, wait, jitter):
        parts = urlsplit(base)
        if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(base)):
            raise ValueError("a password goes only over https (or to this machine)")
        self._base = base.rstrip("/")
        self._credentials = credentials
        self._timeout = timeout
        self._pace = pace
        self._wait = wait
        self._jitter = jitter
        self._last = None
        self._cookies = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(
            _SameOrigin, urllib.request.HTTPCookieProcessor(self._cookies)
        )
        self._opener.addheaders = [("User-Agent", "treeline-littlegolem-bot/1")]

    def login(self):
        """Opens a session; `LoginRefused` where the site gives none."""
        self._cookies.clear()
        self._post("/jsp/login/index.jsp", {"login": self._credentials.user, "password": self._credentials.password})
        if not self._has_session():
            raise LoginRefused(f"the site refuses the login of {self._credentials.user}")
        LOG.info("logged in as %s", self._credentials.user)

    def _has_session(self):
        return any(cookie.name == "login2" and cookie.value for cookie in self._cookies)

    def waiting(self):
        """The games in which it is our turn. Opens a session where there is none, and again, once, where it has expired."""
        if not self._has_session():
            self.login()
        for again in (True, False):
            page = pages.read_game_list(self._get("/jsp/game/index.jsp"))
            if page.logged_in:
                return page.waiting
            if again:
                LOG.info("the session has expired")
                self.login()
        raise SiteError("the site forgets the session at once")

    def record(self, number, extension):
        """A game's record, as text."""
        return self._get(f"/servlet/sgf/{number}/game{number}.{extension}")

    def send(self, number, move):
        """Sends a move, once. That it was sent says nothing: the site answers the same whether it takes it or not."""
        self._post("/jsp/game/game.jsp", {"sendgame": str(number), "sendmove": move})

    def _get(self, path):
        delay = self._pace
        for left in (2, 1, 0):
            try:
                return self._open(path, None)
            except SiteError as error:
                if left == 0 or error.retry_after is not None:
                    raise
                LOG.warning("%s; trying again", error)
                self._wait(self._jitter(delay))
                delay *= 4
        raise AssertionError

    def _post(self, path, form):
        return self._open(path, urlencode(form).encode())

    def _open(self, path, data):
        if self._last is not None:
            self._wait(self._jitter(max(0.0, self._last + self._pace - time.monotonic())))
        try:
            return self._exchange(path, data)
        finally:
            self._last = time.monotonic()

    def _exchange(self, path, data):
        # Paths name games and never secrets, so they may be told.
        what = f"{'POST' if data else 'GET'} {path}"
        end = time.monotonic() + 4 * self._timeout
        body = b""
        try:
            with self._opener.open(urllib.request.Request(self._base + path, data), timeout=self._timeout) as reply:
                while chunk := reply.read1(65536):
                    body += chunk
                    if len(body) > LARGEST:
                        raise SiteError(f"{what}: more than {LARGEST} bytes")
                    if time.monotonic() > end:
                        raise SiteError(f"{what}: the reply does not end")
                if reply.length:
                    raise SiteError(f"{what}: the reply is cut off")
        except urllib.error.HTTPError as error:
            with error:
                wish = error.headers.get("Retry-After", "") if error.headers else ""
            after = min(int(wish), 86400) if wish.isascii() and wish.isdigit() else None
            raise SiteError(f"{what}: HTTP {error.code}", after) from None
        except (urllib.error.URLError, http.client.HTTPException, OSError, ValueError) as error:
            reason = getattr(error, "reason", None) or error
            raise SiteError(f"{what}: {reason or type(error).__name__}") from None
        return body.decode("utf-8", errors="replace")
