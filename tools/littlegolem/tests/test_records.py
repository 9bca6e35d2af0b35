"""Records as the site writes them, good and bad. The real ones among them are from public descriptions of the site."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from golem import pages, records  # noqa: E402
from golem.records import Breakthrough, Hex, RecordError  # noqa: E402

HEX = (
    "(;FF[4]EV[null]PB[leela_bot]PW[gzero_bot]SZ[13]RE[B]GC[ game #2103276]\nSO[http://www.littlegolem.com];W[ma];B[swap];"
    "W[jd];B[ej];W[ji];B[if];\nW[ck];B[resign])"
)
BREAKTHROUGH = """[Event "Tournament null"]
[Site "www.littlegolem.net"]
[White "luffy_bot"]
[Black "gzero_bot"]
[Result "*"]
1. h2-g3 e7-e6 2. a2-b3 g7-f6 3. b3-c4 f6-e5 4. f2-e3 b7-c6 5. g3-f4 e5xf4 *"""


class HexRecords(unittest.TestCase):
    def test_a_real_game(self):
        record = Hex().read(HEX)
        self.assertEqual(record.size, 13)
        self.assertEqual(record.moves, ("ma", "swap", "jd", "ej", "ji", "if", "ck", "resign"))
        self.assertTrue(record.finished)
        self.assertEqual(record.players, ("leela_bot", "gzero_bot"))

    def test_cells_are_column_and_row(self):
        self.assertEqual(Hex().to_engine("ma"), "m1")
        self.assertEqual(Hex().to_engine("am"), "a13")
        self.assertEqual(Hex().to_engine("swap"), "swap-pieces")
        board = Hex().read("(;SZ[13])")
        self.assertEqual(Hex().choice("a13", board), records.Choice("am", "am"))
        self.assertEqual(Hex().choice("swap-pieces", board), records.Choice("swap", "swap"))

    def test_names_are_not_escaped(self):
        record = Hex().read(r"(;FF[4]EV[null]PB[lazy\player]PW[Shumacher;]]SZ[11]GC[game #1]SO[x];W[ad];B[swap];W[eg])")
        self.assertEqual(record.players, (r"lazy\player", "Shumacher;]"))
        self.assertEqual(record.moves, ("ad", "swap", "eg"))
        self.assertFalse(record.finished)
        # A name cannot smuggle in a move.
        self.assertEqual(Hex().read("(;FF[4]PB[x;W[aa]]PW[y]SZ[11];W[bb])").moves, ("bb",))

    def test_a_game_without_moves(self):
        self.assertEqual(Hex().read("(;FF[4]EV[hex.ld.DEFAULT]PB[a]PW[b]SZ[13]GC[game #1]SO[x])").moves, ())

    def test_everything_cut_off_is_refused(self):
        text = HEX.replace("RE[B]", "")
        for length in range(len(text)):
            with self.assertRaises(RecordError, msg=text[:length]):
                Hex().read(text[:length])

    def test_garbled_records_are_refused(self):
        for bad in (
            "", "<html><body>Service unavailable</body></html>", "(;FF[4]PB[a]PW[b];W[aa])", "(;SZ[11];B[aa];W[bb])",
            "(;SZ[11];W[aa];W[bb])", "(;SZ[11];W[aa];B[bb];W[swap])", "(;SZ[11];W[swap])", "(;SZ[11];W[al])",
            "(;SZ[11];W[aaa])", "(;SZ[11];W[])", "(;SZ[99];W[aa])", "(;SZ[11];W[resign];B[aa])",
        ):
            with self.assertRaises(RecordError, msg=bad):
                Hex().read(bad)

    def test_what_the_engine_says_is_checked(self):
        board = Hex().read("(;SZ[11])")
        for bad in ("pass", "", "a0", "aa", "a100", "3", "swap please", "a12", "l1"):
            with self.assertRaises(RecordError, msg=bad):
                Hex().choice(bad, board)


class BreakthroughRecords(unittest.TestCase):
    def test_a_game_in_progress(self):
        record = Breakthrough().read(BREAKTHROUGH)
        self.assertEqual(record.moves[:2], ("h2g3", "e7e6"))
        self.assertEqual(record.moves[-1], "e5f4")
        self.assertEqual(record.players, ("luffy_bot", "gzero_bot"))
        self.assertFalse(record.finished)
        self.assertTrue(Breakthrough().read(BREAKTHROUGH.replace("e5xf4 *", "resign 1-0")).finished)
        self.assertEqual(Breakthrough().read('[White "a"]\n[Black "b"]\n*').moves, ())

    def test_moves_are_sent_as_digits(self):
        board = Breakthrough().read("*")
        self.assertEqual(Breakthrough().choice("a2b3", board), records.Choice("0112", "a2b3"))
        self.assertEqual(Breakthrough().choice("h7g6", board).sent, "7665")

    def test_bad_records_are_refused(self):
        for bad in (
            "", "<html>", BREAKTHROUGH[:-1], BREAKTHROUGH[:-3], BREAKTHROUGH.replace("3. ", "4. "), BREAKTHROUGH.replace("a2-b3", "a2-b9"),
            BREAKTHROUGH.replace("a2-b3", "a2b3"), BREAKTHROUGH.replace("g7-f6 ", ""),
        ):
            with self.assertRaises(RecordError, msg=bad):
                Breakthrough().read(bad)


class Names(unittest.TestCase):
    def test_games_are_known_by_name(self):
        for name in ("Hex Size 13", "hex.in.DEFAULT.94.1.1", "Hex-Size 11"):
            self.assertIsInstance(records.game_called(name), Hex)
        for name in ("Breakthrough Size 8", "brkthr.ch.21.1.1"):
            self.assertIsInstance(records.game_called(name), Breakthrough)
        for name in ("", "Havannah Size 8", "Twixt PP Size 24", "ConHex", "Hexagon", "Lines of Action"):
            self.assertIsNone(records.game_called(name))


class Pages(unittest.TestCase):
    def test_rows_may_be_damaged(self):
        row = "<tr><td><a href=game.jsp?gid={}>#</a><td>9 days<td>Anna<td>1<td>Hex Size 11<td>3"
        text = "<div>On Move</div><table>" + row.format(12) + row.format("x") + row.format(13) + "</table><div>Opponent's Move"
        text += "<table>" + row.format(14)
        self.assertEqual([waiting.number for waiting in pages.read_game_list(text).waiting], [12, 13])
        self.assertEqual(pages.read_game_list(text).waiting[0], pages.Waiting(12, "Anna", "Hex Size 11"))

    def test_a_text_inside_a_row_is_no_caption(self):
        text = "<p>Opponent's Move</p><table><tr><td><a href='/jsp/game/game.jsp?gid=5'>#5</a><td>1<td>On Move<td>1<td>Hex Size 11</tr></table>"
        self.assertEqual(pages.read_game_list(text).waiting, ())

    def test_other_pages_are_no_empty_lists(self):
        for text in ("", "<html><body>Bad gateway", "\x00\xff<<<>>>", "<tr><td><a href=game.jsp?gid=5>"):
            with self.assertRaises(pages.PageError, msg=text):
                pages.read_game_list(text)
        self.assertFalse(pages.read_game_list("<input type=PASSWORD>").logged_in)
        self.assertTrue(pages.read_game_list("<a href='/jsp/login/logoff.jsp'>log off</a>").logged_in)


if __name__ == "__main__":
    unittest.main()
