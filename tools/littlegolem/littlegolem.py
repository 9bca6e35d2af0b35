#!/usr/bin/env python3
"""Plays waiting games on Little Golem with a GTP engine. README.md tells how; without --post nothing is sent."""

import argparse
import logging
import os
import random
import shlex
import shutil
import sys

from golem import credentials, lock, pages, player
from golem.site import LoginRefused, Site, SiteError, is_loopback
from golem.stop import Stop

LOG = logging.getLogger("littlegolem")
FAILED, REFUSED, BUSY = 1, 2, 3
LONGEST_PAUSE = 3600.0


def positive(text):
    value = float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError("a positive number of seconds")
    return value


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--engine", default="treeline", metavar="COMMAND", help="the engine's command line [treeline]")
    add("--seconds", type=positive, default=30.0, help="thinking time a move [30]")
    add("--post", action="store_true", help="really send moves; the default is a dry run")
    add("--once", action="store_true", help="one look at the site instead of polling")
    add("--only", type=int, nargs="+", default=[], metavar="GAME", help="play only these games, by number")
    add("--credentials", metavar="FILE", help="lines 'user = NAME' and 'password = WORD', readable by you alone")
    add("--interval", type=positive, default=120.0, help="seconds between two looks; more when nothing happens [120]")
    add("--site", default="https://www.littlegolem.net", metavar="URL", help="[https://www.littlegolem.net]")
    add("--timeout", type=positive, default=30.0, help="seconds until a silent site counts as out of reach [30]")
    add("--patience", type=positive, default=30.0, help="seconds that the engine may take beyond --seconds [30]")
    add("--pace", type=positive, default=3.0, help="least seconds between two requests, at least 1 [3]")
    add("--lock", metavar="FILE", help="the file that keeps a second bot from running")
    add("--verbose", action="store_true", help="show the dialogue with the engine")
    return parser.parse_args()


class Hiding(logging.Formatter):
    """Keeps the password out of the log whatever is logged, and line feeds out of lines."""

    def __init__(self, who):
        super().__init__("%(asctime)s %(levelname)s %(message)s")
        self._who = who

    def format(self, record):
        return self._who.hide(super().format(record)).replace("\r", " ").replace("\n", " | ")


def set_up_log(who, verbose):
    handler = logging.StreamHandler()
    handler.setFormatter(Hiding(who))
    LOG.addHandler(handler)
    LOG.setLevel(logging.DEBUG if verbose else logging.INFO)


def jitter(seconds):
    """Longer now and then, never shorter: what the site or the pace asks for is the least."""
    return seconds * random.uniform(1.0, 1.4)


def poll(one_round, interval, wait, stopping):
    """Rounds until the bot is to stop. Waits longer while nothing waits for us, and much longer while the site is ill."""
    idle, pause = interval, interval
    while not stopping():
        try:
            played, failed = one_round()
            idle = interval if played else min(idle * 1.5, max(interval, 900.0))
            pause = idle if not failed else max(idle, min(pause * 2, LONGEST_PAUSE))
        except (SiteError, pages.PageError) as error:
            LOG.error("%s", error)
            pause = max(min(pause * 2, LONGEST_PAUSE), getattr(error, "retry_after", None) or 0.0)
        LOG.info("next look in about %.0f s", pause)
        wait(jitter(pause))
    return 0


def run(options, who, stop):
    # The engine gets an environment without the password.
    os.environ.pop("LITTLEGOLEM_PASSWORD", None)
    if not is_loopback(options.site):
        options.pace = max(options.pace, 1.0)
        options.interval = max(options.interval, 30.0)
    site = Site(options.site, who, timeout=options.timeout, pace=options.pace, wait=stop.wait, jitter=jitter)
    settings = player.Settings(
        shlex.split(options.engine), options.seconds, options.patience, options.post, frozenset(options.only), options.pace
    )
    if not settings.command:
        raise ValueError("--engine is empty")
    if shutil.which(settings.command[0]) is None:
        raise ValueError(f"--engine: there is no program '{settings.command[0]}'")
    bot = player.Player(site, who.user, settings, stop.wait, stop.is_set)
    if not options.post:
        LOG.info("dry run: moves are shown and not sent")
    if not options.once:
        return poll(bot.round, options.interval, stop.wait, stop.is_set)
    played, failed = bot.round()
    LOG.info("%d moves, %d failures", played, failed)
    return FAILED if failed else 0


def main():
    options = arguments()
    try:
        who = credentials.load(options.credentials, os.environ)
        set_up_log(who, options.verbose)
        holding = lock.Lock(options.lock or lock.default_path(os.environ))
    except (credentials.CredentialsError, OSError) as error:
        print(f"littlegolem: {error}", file=sys.stderr)
        return REFUSED
    except lock.Busy as error:
        print(f"littlegolem: {error}", file=sys.stderr)
        return BUSY
    try:
        return run(options, who, Stop())
    except (LoginRefused, ValueError) as error:
        LOG.error("%s", error)
        return REFUSED
    except (player.Stuck, SiteError, pages.PageError) as error:
        LOG.error("%s", error)
        return FAILED
    finally:
        holding.release()


if __name__ == "__main__":
    sys.exit(main())
