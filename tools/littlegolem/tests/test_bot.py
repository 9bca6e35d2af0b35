"""The bot as a process against an imitation of the site, with the real engine where TREELINE names it and faulty ones besides."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import littlegolem  # noqa: E402
from golem.site import SiteError  # noqa: E402
from site_imitation import LOGIN_FORM, PASSWORD, USER, Game, Site, page  # noqa: E402

BOT = os.path.join(os.path.dirname(HERE), "littlegolem.py")
LIST, RECORD, SEND, LOGIN = "/jsp/game/index.jsp", "/servlet/sgf/", "/jsp/game/game.jsp", "/jsp/login/"
FAILED, REFUSED, BUSY = 1, 2, 3


def imitation(fault, move="f6"):
    return f"{sys.executable} {os.path.join(HERE, 'engine_imitation.py')} {fault} {move}"


class BotTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def site(self, games, **options):
        site = Site(games, **options)
        self.addCleanup(site.close)
        return site

    def command(self, site, *options, engine=None, seconds="0.2", patience="60"):
        return [
            sys.executable, BOT, "--site", site.url, "--engine", engine or imitation("none"), "--seconds", seconds, "--patience", patience,
            "--pace", "0.02", "--timeout", "60", "--lock", os.path.join(self.folder.name, "lock"), *options,
        ]

    def environment(self, **changes):
        return {**os.environ, "LITTLEGOLEM_USER": USER, "LITTLEGOLEM_PASSWORD": PASSWORD, **changes}

    def bot(self, site, *options, expect=0, environment=None, **settings):
        done = subprocess.run(
            self.command(site, "--once", *options, **settings), env=environment or self.environment(), capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, expect, done.stderr)
        self.assertNotIn(PASSWORD, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stderr


class Playing(BotTest):
    def test_the_default_sends_nothing(self):
        site = self.site({7: Game("hex", ["ad"])})
        log = self.bot(site)
        self.assertIn("move 2: ff", log)
        self.assertIn("dry run", log)
        self.assertEqual(site.sent, [])

    def test_a_move_is_sent_and_looked_for(self):
        site = self.site({7: Game("hex", ["ad"]), 8: Game("hex", ["ad", "bb"]), 9: Game("hex", [], players=(USER, "Anna"))})
        log = self.bot(site, "--post")
        # Game 8 is the opponent's.
        self.assertEqual(site.sent, [(7, "ff"), (9, "ff")])
        self.assertIn("game 7: the record shows the move", log)
        self.assertGreaterEqual(site.count("GET", RECORD + "7/"), 3)

    def test_only_the_games_that_are_named(self):
        site = self.site({7: Game("hex", ["ad"]), 9: Game("hex", ["ad"]), 10: Game("twixt", name="Twixt PP Size 24")})
        self.bot(site, "--post", "--only", "9", "10")
        self.assertEqual(site.sent, [(9, "ff")])

    def test_a_reply_of_the_opponent_in_between_is_no_failure(self):
        site = self.site({7: Game("hex", ["ad"])})
        site.after_send = lambda game: game.moves.append("kk")
        self.bot(site, "--post")
        self.assertEqual(site.games[7].moves, ["ad", "ff", "kk"])

    def test_resigning_is_sent(self):
        site = self.site({7: Game("hex", ["ad"])})
        self.bot(site, "--post", engine=imitation("none", "resign"))
        self.assertEqual(site.games[7].moves, ["ad", "resign"])


@unittest.skipUnless(os.environ.get("TREELINE"), "TREELINE does not name the engine's binary")
class RealEngine(BotTest):
    def engine(self):
        # The same work, and the same moves, on a busy machine as on an idle one.
        return os.environ["TREELINE"] + " --searcher mcts --set threads=1 --set seed=1 --set simulations=30000"

    def bot(self, *arguments, **settings):
        return super().bot(*arguments, seconds="60", **settings)

    def test_hex_from_the_first_move_with_either_seat(self):
        site = self.site({7: Game("hex", [], players=(USER, "Anna"), size=5), 8: Game("hex", ["cc"], size=5)})
        self.bot(site, "--post", engine=self.engine())
        self.assertEqual([len(game.moves) for game in site.games.values()], [1, 2])

    def test_swap_is_the_answer_to_the_centre_and_mirrors_the_stone(self):
        site = self.site({7: Game("hex", ["cc"], size=5)})
        self.bot(site, "--post", engine=self.engine())
        self.assertEqual(site.sent, [(7, "swap")])
        # After the swap of b5 black has e2. White (the bot) wins with the last cell of its chain a1-a5.
        moves = ["be", "swap", "aa", "ea", "ab", "ec", "ac", "ed", "ad", "ee"]
        site.games[8] = Game("hex", moves, players=(USER, "Anna"), size=5)
        self.bot(site, "--post", "--only", "8", engine=self.engine())
        self.assertEqual(site.games[8].moves[-1][1], "e", site.games[8].moves)

    def test_a_cell_that_the_mirrored_stone_has_is_an_error(self):
        site = self.site({7: Game("hex", ["be", "swap", "eb", "cc", "aa"], size=5)})
        self.assertIn("occupied", self.bot(site, "--post", engine=self.engine(), expect=FAILED))
        self.assertEqual(site.sent, [])

    def test_a_lost_hex_game_is_resigned(self):
        chain = ["aa", "ba", "ab", "bb", "ac", "bc", "ad", "bd", "ae"]
        site = self.site({7: Game("hex", chain, size=5)})
        self.bot(site, "--post", engine=self.engine())
        self.assertEqual(site.sent, [(7, "resign")])

    def test_breakthrough_with_either_seat(self):
        white = ["a2-a3", "h7-h6", "a3-a4", "h6-h5", "a4-a5", "h5-h4", "a5-a6", "h4-h3"]
        site = self.site({7: Game("breakthrough", white, players=(USER, "Anna"))})
        self.bot(site, "--post", engine=self.engine())
        self.assertEqual(len(site.games[7].moves), 9)
        black = ["a2-a3", "h7-h6", "a3-a4", "h6-h5", "a4-a5", "h5-h4", "a5-a6"]
        site.games[8] = Game("breakthrough", black)
        self.bot(site, "--post", "--only", "8", engine=self.engine())
        self.assertEqual(len(site.games[8].moves), 8)

    def test_an_illegal_record_is_an_error(self):
        site = self.site({7: Game("breakthrough", ["a2-a4"])})
        # The imitation's board does not check what the test itself puts in.
        self.assertIn("illegal move", self.bot(site, "--post", engine=self.engine(), expect=FAILED))
        self.assertEqual(site.sent, [])


class Refusals(BotTest):
    def test_a_move_that_is_silently_not_taken_is_reported_and_not_repeated(self):
        site = self.site({7: Game("hex", ["ff"])})
        log = self.bot(site, "--post", expect=FAILED)
        self.assertIn("the record does not show it", log)
        self.assertEqual(site.sent, [(7, "ff")])
        polling = subprocess.Popen(
            self.command(site, "--post", "--interval", "0.05"), env=self.environment(), stderr=subprocess.PIPE, text=True
        )
        for line in polling.stderr:
            if "left alone" in line:
                break
        polling.send_signal(signal.SIGTERM)
        polling.communicate()
        self.assertEqual(polling.returncode, 0)
        self.assertEqual(site.sent, [(7, "ff")] * 2)

    def test_after_three_such_moves_the_bot_stops(self):
        site = self.site({number: Game("hex", ["ff"]) for number in range(5)})
        self.assertIn("the bot stops", self.bot(site, "--post", expect=FAILED))
        self.assertEqual(len(site.sent), 3)

    def test_another_move_than_the_one_that_was_sent_is_an_error(self):
        site = self.site({7: Game("hex", ["ad"])})
        site.after_send = lambda game: game.moves.__setitem__(-1, "aa")
        self.assertIn("the record shows aa where ff was sent", self.bot(site, "--post", expect=FAILED))

    def test_a_move_that_was_made_already_is_not_made_again(self):
        site = self.site({7: Game("hex", ["ad"])})
        listing = site.listing()
        site.games[7].moves.append("bb")
        site.fault = lambda method, path: (200, {}, listing) if path == LIST else None
        self.assertIn("made already", self.bot(site, "--post"))
        self.assertEqual(site.sent, [])

    def test_a_game_that_goes_on_while_the_engine_thinks_is_left_for_the_next_look(self):
        site = self.site({7: Game("hex", ["ad"])})

        def fault(method, path):
            if path.startswith(RECORD) and site.count_unlocked(RECORD) == 2:
                site.games[7].moves += ["bb", "cc"]

        site.count_unlocked = lambda start: sum(1 for _, path in site.log if path.startswith(start))
        site.fault = fault
        self.assertIn("went on meanwhile", self.bot(site, "--post"))
        self.assertEqual(site.sent, [])

    def test_a_refused_login_is_tried_once(self):
        site = self.site({7: Game("hex", ["ad"])}, password="another")
        self.assertIn("refuses the login", self.bot(site, "--post", expect=REFUSED))
        self.assertEqual(site.count("POST", LOGIN), 1)
        # Polling ends as well, instead of knocking until the account is locked.
        done = subprocess.run(self.command(site, "--interval", "0.05"), env=self.environment(), capture_output=True, check=False)
        self.assertEqual((done.returncode, site.count("POST", LOGIN)), (REFUSED, 2))

    def test_an_expired_session_is_renewed(self):
        site = self.site({7: Game("hex", ["ad"])})

        def fault(method, path):
            if path == LIST and site.log.count(("GET", LIST)) == 1:
                site.sessions.clear()

        site.fault = fault
        self.assertIn("expired", self.bot(site, "--post"))
        self.assertEqual(site.sent, [(7, "ff")])
        self.assertEqual(site.count("POST", LOGIN), 2)

    def test_a_site_that_forgets_every_session_is_not_asked_for_ever(self):
        site = self.site({7: Game("hex", ["ad"])})
        site.fault = lambda method, path: (200, {}, page(LOGIN_FORM)) if path == LIST else None
        self.assertIn("forgets", self.bot(site, expect=FAILED))
        self.assertEqual(site.count("POST", LOGIN), 2)

    def test_a_session_that_expires_before_sending_is_noticed(self):
        site = self.site({7: Game("hex", ["ad"])})

        def fault(method, path):
            if path == SEND:
                site.sessions.clear()

        site.fault = fault
        self.assertIn("does not show it", self.bot(site, "--post", expect=FAILED))
        self.assertEqual(site.games[7].moves, ["ad"])


class BadNetworks(BotTest):
    def faulty(self, start, reply, times=10**6, games=None):
        site = self.site(games or {7: Game("hex", ["ad"])})
        left = [times]

        def fault(method, path):
            if path.startswith(start) and left[0] > 0:
                left[0] -= 1
                return reply
            return None

        site.fault = fault
        return site

    def test_garbage_instead_of_the_list(self):
        for body in ("", "<html><body><h1>Service temporarily", b"\xff\xfe\x00" * 1000, "<" * 100000, "x" * 3_000_000):
            site = self.faulty(LIST, (200, {}, body))
            self.bot(site, "--post", expect=FAILED)
            self.assertEqual(site.sent, [])

    def test_garbage_instead_of_a_record(self):
        record = Game("hex", ["ad"]).record()
        for body in ("", "<html>", record[:-1], record[:-5], record.replace("SZ[11]", ""), b"\xff" * 100):
            site = self.faulty(RECORD + "7/", (200, {}, body), games={7: Game("hex", ["ad"]), 8: Game("hex", ["ad"])})
            self.assertIn("game 7:", self.bot(site, "--post", expect=FAILED))
            # The other game is played all the same.
            self.assertEqual(site.sent, [(8, "ff")])

    def test_errors_that_pass_are_retried(self):
        for start in (LIST, RECORD):
            site = self.faulty(start, (503, {}, "busy"), times=2)
            self.bot(site, "--post")
            self.assertEqual(site.sent, [(7, "ff")])

    def test_the_wish_to_be_left_alone_is_granted(self):
        site = self.faulty(LIST, (429, {"Retry-After": "7"}, "slow down"))
        self.assertIn("HTTP 429", self.bot(site, expect=FAILED))
        self.assertEqual(site.count("GET", LIST), 1)
        polling = subprocess.Popen(self.command(site, "--interval", "0.05"), env=self.environment(), stderr=subprocess.PIPE, text=True)
        pauses = next(line for line in polling.stderr if "next look" in line)
        polling.terminate()
        polling.communicate()
        self.assertIn("about 7 s", pauses)

    def test_the_wish_is_granted_in_the_middle_of_a_round(self):
        games = {7: Game("hex", ["ad"]), 8: Game("hex", ["ad"])}
        site = self.faulty(RECORD + "7/", (503, {"Retry-After": "7"}, "slow down"), games=games)
        self.assertIn("HTTP 503", self.bot(site, "--post", expect=FAILED))
        # The other game waits, too.
        self.assertEqual(site.sent, [])
        self.assertEqual(site.count("GET", RECORD + "8/"), 0)

    def test_a_site_that_hangs_up_cuts_off_or_falls_silent(self):
        def hang_up(handler):
            handler.connection.close()

        def cut_off(handler):
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n<html>On Move")

        def fall_silent(handler):
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n<html>")
            time.sleep(3)

        for reply in (hang_up, cut_off, fall_silent):
            site = self.faulty(LIST, reply)
            self.bot(site, "--post", "--timeout", "1", expect=FAILED)
            self.assertEqual(site.sent, [])

    def test_a_lost_reply_to_a_move_does_not_make_it_twice(self):
        site = self.site({7: Game("hex", ["ad"])})

        def take_and_hang_up(handler):
            handler.connection.close()

        def fault(method, path):
            if path == SEND:
                site.sent.append((7, "ff"))
                site.games[7].take("ff")
                return take_and_hang_up
            return None

        site.fault = fault
        self.assertIn("the record shows the move", self.bot(site, "--post"))
        self.assertEqual(site.sent, [(7, "ff")])

    def test_redirects_lead_nowhere_else(self):
        elsewhere = self.site({})
        site = self.faulty(LOGIN, (302, {"Location": f"{elsewhere.url}/steal"}, ""))
        self.assertIn("redirected away", self.bot(site, expect=FAILED))
        self.assertEqual(elsewhere.log, [])


class BadEngines(BotTest):
    def test_every_fault_costs_that_move_only(self):
        for fault in ("exits", "hangs", "floods", "dies", "garbage", "refuses"):
            site = self.site({7: Game("hex", ["ad"])})
            patience = "1" if fault in ("hangs", "floods") else "60"
            log = self.bot(site, "--post", engine=imitation(fault), patience=patience, expect=FAILED)
            self.assertIn("the engine", log)
            self.assertEqual(site.sent, [], fault)

    def test_nonsense_is_not_sent(self):
        for move in ("pass", "z99", "aa", "b;drop"):
            site = self.site({7: Game("hex", ["ad"])})
            self.bot(site, "--post", engine=imitation("none", f"'{move}'"), expect=FAILED)
            self.assertEqual(site.sent, [], move)

    def test_a_missing_engine_is_named(self):
        site = self.site({7: Game("hex", ["ad"])})
        self.assertIn("there is no program '/no/such/engine'", self.bot(site, engine="/no/such/engine", expect=REFUSED))


class Secrets(BotTest):
    def file(self, mode, text=f"# who plays\nuser = {USER}\npassword = {PASSWORD}\n"):
        path = os.path.join(self.folder.name, "credentials")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def without(self):
        return {key: value for key, value in os.environ.items() if not key.startswith("LITTLEGOLEM")}

    def test_a_file_that_only_the_owner_reads_is_taken(self):
        site = self.site({7: Game("hex", ["ad"])})
        self.bot(site, "--post", "--credentials", self.file(0o600), environment=self.without())
        self.assertEqual(site.sent, [(7, "ff")])

    def test_files_that_others_reach_are_refused(self):
        site = self.site({})
        for mode in (0o644, 0o640, 0o604, 0o620, 0o601):
            log = self.bot(site, "--credentials", self.file(mode), environment=self.without(), expect=REFUSED)
            self.assertIn("chmod 600", log)
        link = os.path.join(self.folder.name, "link")
        os.symlink(self.file(0o600), link)
        for path in (link, self.folder.name, "/dev/null", link + "missing"):
            self.bot(site, "--credentials", path, environment=self.without(), expect=REFUSED)
        self.bot(site, "--credentials", self.file(0o600, "user = x"), environment=self.without(), expect=REFUSED)
        self.assertIn("LITTLEGOLEM_USER", self.bot(site, environment=self.without(), expect=REFUSED))
        self.assertEqual(site.log, [])

    def test_a_password_is_not_sent_in_the_clear(self):
        site = self.site({})
        self.assertIn("only over https", self.bot(site, "--site", "http://192.0.2.1", expect=REFUSED))

    def test_an_engine_that_echoes_its_environment_finds_no_password(self):
        site = self.site({7: Game("hex", ["ad"])})
        seen = os.path.join(self.folder.name, "seen")
        self.bot(site, engine=f"sh -c 'env > {seen}'", expect=FAILED)
        with open(seen, encoding="utf-8") as file:
            self.assertNotIn("LITTLEGOLEM_PASSWORD", file.read())

    def test_a_page_that_echoes_the_password_does_not_bring_it_into_the_log(self):
        site = self.site({7: Game("hex", ["ad"], players=(PASSWORD, USER))})
        self.assertIn("game 7 against …", self.bot(site))


class OneBot(BotTest):
    def test_a_second_bot_does_not_start(self):
        site = self.site({})
        first = subprocess.Popen(self.command(site, "--interval", "60"), env=self.environment(), stderr=subprocess.PIPE, text=True)
        next(line for line in first.stderr if "next look" in line)
        self.assertIn(f"process {first.pid}", self.bot(site, expect=BUSY))
        # Killed, it leaves no lock behind.
        first.kill()
        first.communicate()
        self.bot(site)


class Signals(unittest.TestCase):
    def test_a_signal_at_any_moment_ends_the_wait(self):
        # A handler that takes a lock, as that of `threading.Event`, hangs within some thousand signals.
        shower = "import os, sys, signal\nfor _ in range(50_000): os.kill(int(sys.argv[1]), signal.SIGTERM)"
        code = (
            "import os, subprocess, sys; from golem.stop import Stop; stop = Stop()\n"
            "shower = subprocess.Popen([sys.executable, '-c', sys.argv[1], str(os.getpid())])\n"
            "while shower.poll() is None:\n    stop.wait(1e-6)\n"
            "stop.wait(3600); print(stop.is_set())"
        )
        done = subprocess.run([sys.executable, "-B", "-c", code, shower], cwd=os.path.dirname(HERE), capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "True\n"), done.stderr)


class Pauses(unittest.TestCase):
    """Between two looks, without waiting for them."""

    def pauses(self, rounds):
        """What is waited after each of these rounds: (played, failed), or an error."""
        results, waited = iter(rounds), []

        def one_round():
            result = next(results)
            if isinstance(result, Exception):
                raise result
            return result

        with self.assertLogs("littlegolem"):
            littlegolem.poll(one_round, 100.0, waited.append, lambda: len(waited) == len(rounds))
        return waited

    def about(self, waited, expected):
        self.assertEqual(len(waited), len(expected))
        for seconds, least in zip(waited, expected):
            self.assertTrue(0.999 * least < seconds < 1.41 * least, (waited, expected))

    def test_looks_become_rarer_while_nothing_waits_and_frequent_again(self):
        self.about(self.pauses([(0, 0)] * 8 + [(1, 0)]), [150, 225, 337.5, 506, 759, 900, 900, 900, 100])

    def test_a_site_in_trouble_is_left_alone_for_longer_and_longer(self):
        ill = [SiteError("HTTP 503")] * 7
        self.about(self.pauses(ill + [(1, 0)]), [200, 400, 800, 1600, 3200, 3600, 3600, 100])
        self.about(self.pauses([SiteError("HTTP 429", 5000)]), [5000])
        self.about(self.pauses([(1, 1), (1, 1), (0, 1)]), [200, 400, 800])

    def test_pauses_differ(self):
        self.assertGreater(len(set(self.pauses([(1, 0)] * 10))), 5)


if __name__ == "__main__":
    unittest.main()
