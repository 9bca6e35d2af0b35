#!/usr/bin/env python3
"""An engine with one fault, named by its argument. It knows no rules: it answers the move that its second argument names."""

import sys
import time

fault, move = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "f6"
if fault == "exits":
    sys.exit(1)
for line in sys.stdin:
    command = line.split()[0]
    if command == "genmove":
        if fault == "hangs":
            time.sleep(3600)
        if fault == "floods":
            while True:
                print("info " * 100)
        if fault == "dies":
            sys.exit(1)
        if fault == "garbage":
            print("Segmentation fault", end="\n\n", flush=True)
            continue
        if fault == "refuses":
            print("? out of memory", end="\n\n", flush=True)
            continue
    answers = {"genmove": move, "game_result": "none"}
    print("=", answers.get(command, ""), end="\n\n", flush=True)
