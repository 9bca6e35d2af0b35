"""A process that speaks GTP on its pipes, for the scripts of this folder."""

import subprocess
import sys


class Engine:
    """One process for all positions."""

    def __init__(self, command: list):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command: str) -> str:
        """The answer to a command; ends the script where the engine refuses it or has ended."""
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline()).strip() or not lines:
            if not line:
                sys.exit(f"Treeline ended after: {command}")
            if line.strip():
                lines.append(line.rstrip())
        if not lines[0].startswith("="):
            sys.exit(f"{command}: {' '.join(lines)}")
        return "\n".join(lines)[1:].strip()
