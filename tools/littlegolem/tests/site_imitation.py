"""Little Golem as far as the bot sees it, on this machine, with faults on demand. Its pages are written from descriptions of the real ones."""

import threading
from http import cookies
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

USER, PASSWORD = "Tree_bot", "s3cret & wörd"


class Game:
    """A game with the moves as the record has them: 'ad', 'swap', 'a2-a3', 'resign'."""

    def __init__(self, kind, moves=(), *, size=11, players=("Anna", USER), name=None):
        self.kind, self.moves, self.size, self.players = kind, list(moves), size, players
        self.name = name or (f"Hex Size {size}" if kind == "hex" else "Breakthrough Size 8")

    def on_move(self):
        return None if self.moves[-1:] == ["resign"] else self.players[len(self.moves) % 2]

    def record(self):
        return self._hex() if self.kind == "hex" else self._breakthrough()

    def _hex(self):
        resigned = f"RE[{'WB'[len(self.moves) % 2]}]" if self.moves[-1:] == ["resign"] else ""
        header = f"FF[4]EV[null]PB[{self.players[0]}]PW[{self.players[1]}]SZ[{self.size}]{resigned}GC[ game #1]\nSO[http://www.littlegolem.com]"
        return f"(;{header}" + "".join(f";{'WB'[at % 2]}[{move}]" for at, move in enumerate(self.moves)) + ")"

    def _breakthrough(self):
        text = f'[Event "Tournament null"]\n[Site "www.littlegolem.net"]\n[White "{self.players[0]}"]\n[Black "{self.players[1]}"]\n[Result "*"]\n'
        for at, move in enumerate(self.moves):
            text += (f"{at // 2 + 1}. " if at % 2 == 0 else "") + move + " "
        return text + "*"

    def take(self, sent):
        """Plays what a player sent, or ignores it without a word, as the site does."""
        if sent == "resign":
            self.moves.append("resign")
        elif self.kind == "hex" and (self._is_free(sent) or (sent == "swap" and len(self.moves) == 1)):
            self.moves.append(sent)
        elif self.kind == "breakthrough" and len(sent) == 4 and sent.isdigit():
            a, b, c, d = (int(digit) for digit in sent)
            board = self._board()
            own, forward = ("w", 1) if len(self.moves) % 2 == 0 else ("b", -1)
            target = board.get((c, d))
            legal = board.get((a, b)) == own and d == b + forward and abs(c - a) <= 1 and target != own
            if legal and 0 <= c < 8 and not (target and a == c):
                mark = "x" if target else "-"
                self.moves.append(f"{'abcdefgh'[a]}{b + 1}{mark}{'abcdefgh'[c]}{d + 1}")

    def _is_free(self, cell):
        if len(cell) != 2 or not all(0 <= ord(letter) - 97 < self.size for letter in cell):
            return False
        stones = [move for move in self.moves if move != "swap"]
        if "swap" in self.moves:
            stones[0] = stones[0][::-1]
        return cell not in stones

    def _board(self):
        board = {(x, y): "w" if y < 2 else "b" for x in range(8) for y in (0, 1, 6, 7)}
        for move in self.moves:
            a, b, c, d = ord(move[0]) - 97, int(move[1]) - 1, ord(move[3]) - 97, int(move[4]) - 1
            board[c, d] = board.pop((a, b))
        return board


class Site:
    """The server. `fault` is called with the method and the path of each request; it may return (status, headers, body)
    or a function that writes raw bytes and takes the connection away."""

    def __init__(self, games, password=PASSWORD):
        self.games, self.password = games, password
        self.sessions, self.log, self.sent = set(), [], []
        self.fault = lambda method, path: None
        self.after_send = lambda game: None
        self.lock = threading.Lock()
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                site.answer(self, "GET", None)

            def do_POST(self):
                length = int(self.headers.get("Content-Length", "0"))
                site.answer(self, "POST", self.rfile.read(length).decode())

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        # Its end is looked for so often.
        serve = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        serve.start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def count(self, method, start):
        with self.lock:
            return sum(1 for m, p in self.log if m == method and p.startswith(start))

    def answer(self, handler, method, body):
        with self.lock:
            self.log.append((method, handler.path))
            reply = self.fault(method, handler.path)
            if reply is None:
                reply = self._serve(handler, method, urlsplit(handler.path).path, body)
        if callable(reply):
            handler.close_connection = True
            reply(handler)
            return
        status, headers, text = reply
        data = text if isinstance(text, bytes) else text.encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "text/html; charset=UTF-8")
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    def _serve(self, handler, method, path, body):
        jar = cookies.SimpleCookie(handler.headers.get("Cookie", ""))
        session = jar["login2"].value if "login2" in jar else None
        if path == "/jsp/login/index.jsp" and method == "POST":
            form = parse_qs(body, encoding="utf-8")
            if form.get("login") == [USER] and form.get("password") == [self.password]:
                session = f"session{len(self.log)}"
                self.sessions.add(session)
                return 200, {"Set-Cookie": f"login2={session}; Path=/"}, page("You have successfully logged in")
            return 200, {}, page("Wrong login or password" + LOGIN_FORM)
        if path.startswith("/servlet/sgf/"):
            return 200, {}, self.games[int(path.split("/")[3])].record()
        if session not in self.sessions:
            return 200, {}, page(LOGIN_FORM)
        if path == "/jsp/game/index.jsp":
            return 200, {}, self.listing()
        if path == "/jsp/game/game.jsp" and method == "POST":
            form = parse_qs(body)
            number, move = int(form["sendgame"][0]), form["sendmove"][0]
            self.sent.append((number, move))
            game = self.games[number]
            if game.on_move() == USER:
                game.take(move)
                self.after_send(game)
            return 200, {}, page("the game")
        return 404, {}, page("not found")

    def listing(self):
        mine = [row(n, g) for n, g in self.games.items() if g.on_move() == USER]
        theirs = [row(n, g) for n, g in self.games.items() if g.on_move() not in (USER, None)]
        return page(portlet("On Move", mine) + portlet("Opponent's Move", theirs))


LOGIN_FORM = '<form action="/jsp/login/index.jsp" method=post><input name=login><input type="password" name=password></form>'


def page(body):
    return f"<!DOCTYPE html><html><head><title>Little Golem</title><script>var x = '<td>On Move';</script></head><body><div class=row>{body}<br></div>"


def portlet(caption, rows):
    return (
        '<div class="portlet box blue-madison"><div class="portlet-title"><div class="caption"><i class="fa fa-gift"></i>'
        f'{caption}</div></div><div class="portlet-body"><table><thead><tr><td>Game</td><td>Time</td></tr></thead><tbody>{"".join(rows)}</tbody></table></div></div>'
    )


def row(number, game):
    other = next(player for player in game.players if player != USER)
    kind, _, size = game.name.partition(" Size ")
    shown = f"{kind} <span>Size {size}</span>" if size else kind
    return (
        f'<tr><td><a href="/jsp/game/game.jsp?gid={number}">#{number}</a>&nbsp;</td><td>9 days</td><td>{other}&nbsp;</td>'
        f"<td><span title='1653.0'>1. kyu</span></td><td>{shown}&nbsp;</td><td>{len(game.moves)}</td></tr>"
    )
