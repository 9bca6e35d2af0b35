"""Scan 2.0 (2015) behind version 2 of the Hub protocol; it speaks the first version only.

    scan2_hub.py SCAN

SCAN is its program, beside its `data` folder and `scan.ini`, where it is started. Lines of version 2 that a referee sends become those of
version 1, and its answers the other way round. Its moves take whole milliseconds; a clock is told as the time of this move,
a thirtieth of what is left and the increment.
"""

import pathlib
import shlex
import subprocess
import sys

LEAST = 30  # Milliseconds; shorter ones it does not keep.


def values(line):
    """The name of a message of version 2 and its values; a flag's is empty."""
    words = shlex.split(line)
    return words[0] if words else "", dict(word.partition("=")[::2] for word in words[1:])


def milliseconds(level):
    """What Scan is told of the time for a move."""
    if "move-time" in level:
        seconds = float(level["move-time"])
    elif "time" in level:
        seconds = float(level["time"]) / float(level.get("moves", 30)) + float(level.get("inc", 0))
    else:
        seconds = 3600.0
    return max(LEAST, int(seconds * 1000))


class Scan:
    def __init__(self, program):
        program = pathlib.Path(program).resolve()
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        try:
            self.process = subprocess.Popen([program, "hub"], cwd=program.parent, **pipes)
        except OSError as error:
            sys.exit(f"{program} cannot be started ({error.strerror}): say by SCAN2_FOLDER where Scan 2.0 is")

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def until(self, name):
        """The next line that begins with `name`; of the lines before, those about the search are passed on."""
        for line in self.process.stdout:
            words = line.split()
            if not words:
                continue
            if words[0] == "info" and len(words) > 5:
                say(f"info depth={words[1]} mean-depth={words[2]} nodes={words[4]}")
            if words[0] == "error":
                say(line.strip())
            if words[0] == name:
                return words[1:]
        raise SystemExit(1)


def say(line):
    print(line, flush=True)


def answer(scan, line):
    name, given = values(line)
    match name:
        case "hub":
            scan.send("hub")
            scan.until("wait")
            say('id name=Scan version=2.0 author="Fabien Letouzey" country=France')
            say("wait")
        case "set-param":
            scan.send(f"set {given['name']} {given['value']}")
        case "init":
            scan.send("init")
            scan.until("ready")
            say("ready")
        case "new-game":
            scan.send("new")
        case "ping":
            scan.send("ping")
            scan.until("pong")
            say("pong")
        case "pos":
            # The first version writes who moves small.
            board = given["pos"]
            scan.send(f"pos {board[:1].lower()}{board[1:]}")
            for move in given.get("moves", "").split():
                scan.send(f"move {move}")
        case "level":
            if "depth" in given:
                scan.send(f"depth {given['depth']}")
            else:
                scan.send(f"time {milliseconds(given)}")
        case "go":
            scan.send("go")
            move, *ponder = scan.until("move")
            say(f"done move={move}" + (f" ponder={ponder[0]}" if ponder else ""))


def main():
    scan = Scan(sys.argv[1])
    for line in sys.stdin:
        if line.strip() == "quit":
            break
        if line.strip():
            answer(scan, line)
    scan.send("quit")
    scan.process.wait()


if __name__ == "__main__":
    main()
