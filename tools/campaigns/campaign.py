#!/usr/bin/env python3
"""Learning that goes on for days beside other work: `treeline learn` in the background, on one core unless told otherwise, by one command.

    tools/campaigns/campaign.py draughts start     begin or go on; builds first what is missing
    tools/campaigns/campaign.py draughts status    what it does, and its newest matches
    tools/campaigns/campaign.py draughts save      newest weights and a line of the ladder into nets/campaigns/
    tools/campaigns/campaign.py draughts stop      end it; nothing is lost
    tools/campaigns/campaign.py draughts plot      pictures in target/campaigns/draughts/plots/

tools/campaigns/README.md says more. Needs Linux and Python 3.10 or later, and for networks over planes (hex) what
tools/libtorch/setup.sh fetches.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import resource
import shlex
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 180  # Seconds in which a run that is told to end has written what it knows.
GENTLE = 0.0005  # Adam's step at most where weights that were learned before are learned on with.


def yield_core(niceness):
    """A low priority. Linux shares cores among sessions first, where it groups tasks (sched(7), autogroup): niceness alone
    counts only within this one, which would get half of a core that somebody else wants."""
    os.nice(niceness)
    try:
        pathlib.Path("/proc/self/autogroup").write_text(str(niceness))
    except OSError:
        pass  # There are no groups.


class Mistake(Exception):
    """A sentence for the user."""


def sections(text):
    """The tables of a flat TOML file; values as they are written."""
    tables, table = {}, None
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            table = tables.setdefault(line.strip("[]"), {})
            continue
        key, equals, value = line.partition("=")
        if table is None or not equals:
            raise Mistake(f"neither [section] nor key = value: {line}")
        table[key.strip()] = value.strip()
    return tables


def replace(path, text):
    """Writes a file as a whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_text(text)
    part.replace(path)


def lines(path):
    """The objects of a file of JSON lines; what a kill cut off is none."""
    found = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            found.append(json.loads(line))
        except ValueError:
            pass
    return found


def machine():
    """The processor, for the ladder."""
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def core_seconds(pid):
    """Processor time of a process so far."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Campaign:
    def __init__(self, options):
        self.name = options.name
        self.options = options
        self.config = options.config or ROOT / "tools/campaigns" / f"{self.name}.toml"
        if not self.config.is_file():
            known = sorted(path.stem for path in (ROOT / "tools/campaigns").glob("*.toml"))
            raise Mistake(f"no campaign is called {self.name}; known: {', '.join(known)}")
        self.run = options.runs / self.name
        self.log = options.runs / f"{self.name}.log"
        self.standing = options.runs / f"{self.name}.json"
        self.weights = options.weights / f"{self.name}.safetensors"
        self.ladder = options.weights / f"{self.name}.jsonl"
        # Features and patterns are learned by every build.
        self.libtorch = not self.architecture().startswith(("inc", "patterns"))
        self.binary = options.treeline or options.runs / ("treeline-libtorch" if self.libtorch else "treeline")

    # What is kept beside the run's folder: who works, how long it took, and what the run began with.

    def recall(self):
        try:
            return json.loads(self.standing.read_text())
        except (OSError, ValueError):
            return {}

    def keep(self, **changes):
        replace(self.standing, json.dumps(self.recall() | changes))

    def pid(self):
        """The process that watches over the run, if there is one."""
        pid = self.recall().get("pid")
        try:
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return None
        return pid if b"work" in words and self.name.encode() in words else None

    def architecture(self):
        return sections(self.config.read_text()).get("run", {}).get("architecture", '"inc(128)"').strip('"')

    def command(self, *words):
        """The program, where libtorch's libraries are found if it needs them."""
        environment = ROOT / "target/libtorch.env"
        source = f". {shlex.quote(str(environment))} && " if self.libtorch and environment.exists() else ""
        return ["bash", "-c", f'{source}exec "$0" "$@"', str(self.binary), *map(str, words)]

    def ask(self, *words):
        return subprocess.run(self.command(*words), check=True)

    # Commands.

    def build(self):
        """A program of the campaigns' own, which other builds leave alone; libtorch first, where it is needed."""
        os.chdir(ROOT)
        cargo = "exec nice cargo build --release"
        if self.libtorch:
            if not (ROOT / "target/libtorch.env").exists():
                subprocess.run(["tools/libtorch/setup.sh"], check=True)
            cargo = f". target/libtorch.env && {cargo} --features torch"
        subprocess.run(["bash", "-c", cargo], check=True)
        built = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target")) / "release/treeline"
        self.binary.parent.mkdir(parents=True, exist_ok=True)
        # A program that runs cannot be written to, but its name can be given away.
        part = self.binary.with_name(f"{self.binary.name}.part")
        part.write_bytes(built.read_bytes())
        part.chmod(0o755)
        part.replace(self.binary)

    def old(self):
        """Whether sources changed since the program was built."""
        listed = subprocess.run(["git", "ls-files", "*.rs", "*Cargo.toml", "Cargo.lock"], cwd=ROOT, capture_output=True, text=True)
        times = [path.stat().st_mtime for name in listed.stdout.split() if (path := ROOT / name).exists()]
        return self.binary.exists() and max(times, default=0) > self.binary.stat().st_mtime

    def cores(self):
        """Those that it may use: what was asked for, as far as it is there."""
        try:
            asked = {int(core) for core in self.options.cores.split(",")}
        except ValueError:
            raise Mistake(f"--cores {self.options.cores}: numbers apart by commas expected, such as 0,1") from None
        there = os.sched_getaffinity(0)
        return asked & there or {max(there)}

    def began(self):
        """Whether there are weights in the run's folder to go on with."""
        return (self.run / "checkpoints").is_dir()

    def learn_toml(self):
        """The run's configuration: the campaign's, and where it began."""
        tables = sections(self.config.read_text())
        tables.setdefault("run", {})["threads"] = len(self.cores())
        if self.began():
            changes = self.recall().get("changes", [])
        else:
            changes = []
            if self.weights.exists():
                rate = float(tables.get("train", {}).get("rate", "0.003"))
                # Pattern tables have step sizes of their own for each weight, which are small where one is known.
                most = rate if self.architecture().startswith("patterns") else GENTLE
                changes = [
                    ["run", "network", json.dumps(os.path.relpath(self.weights.resolve(), ROOT))],
                    ["play", "first-games", '"off"'],
                    ["train", "rate", repr(min(rate, most))],
                ]
        for section, key, value in changes:
            tables.setdefault(section, {})[key] = value
        rows = []
        for section, table in tables.items():
            rows += [f"[{section}]", *(f"{key} = {value}" for key, value in table.items()), ""]
        return "\n".join(rows), changes

    def start(self):
        if self.pid():
            print(f"{self.name} learns already")
            return
        text, changes = self.learn_toml()
        if self.options.dry_run:
            begins = "goes on" if self.began() else "begins"
            print(f"# {self.name} {begins} in {self.run}\n{text}", end="")
            return
        if not self.binary.exists():
            self.build()
        elif self.old():
            print(f"{self.binary} is older than the sources: campaign.py {self.name} build makes a newer one", file=sys.stderr)
        self.run.mkdir(parents=True, exist_ok=True)
        if not self.began():
            # Of a run that is no more, nothing counts but what was saved.
            last = (self.weights.exists() and lines(self.ladder) or [{}])[-1]
            before = {key: last.get(key, 0) for key in ("core_hours", "generation", "games", "states")}
            replace(self.standing, json.dumps({"before": before, "changes": changes, "core_seconds": 0.0}))
        replace(self.run / "learn.toml", text)
        words = [sys.executable, __file__, self.name, "work", "--runs", self.options.runs, "--weights", self.options.weights]
        words += ["--config", self.config, "--treeline", self.binary, "--cores", self.options.cores]
        words += ["--niceness", self.options.niceness]
        with self.log.open("a") as log:
            child = subprocess.Popen(
                [str(word) for word in words], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd=ROOT
            )
        # Long enough for mistakes in the configuration to be said.
        for _ in range(20):
            time.sleep(0.1)
            if child.poll() is not None:
                raise Mistake(f"it ended at once; {self.log} ends with:\n{self.tail(5)}")
        print(f"{self.name} learns in {self.run}; log: {self.log}")

    def tail(self, count):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-count:])

    def work(self):
        """In the background: runs the program, and books its processor time."""
        yield_core(self.options.niceness)
        cores = self.cores()
        os.sched_setaffinity(0, cores)
        os.environ |= {"OMP_NUM_THREADS": str(len(cores)), "OMP_WAIT_POLICY": "passive"}
        before = self.recall().get("core_seconds", 0.0)
        self.keep(pid=os.getpid())
        child = subprocess.Popen(self.command("learn", self.run))
        signal.signal(signal.SIGTERM, lambda *_: child.terminate())
        while True:
            try:
                code = child.wait(timeout=10)
                break
            except subprocess.TimeoutExpired:
                self.keep(core_seconds=before + core_seconds(child.pid))
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.keep(core_seconds=before + used.ru_utime + used.ru_stime)
        return code

    def stop(self):
        pid = self.pid()
        if pid is None:
            print(f"{self.name} does not learn")
            return
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + PATIENCE
        while self.pid():
            if time.monotonic() > deadline:
                raise Mistake(f"process {pid} has not ended after {PATIENCE} seconds; see {self.log}")
            time.sleep(0.2)
        print(self.tail(1))

    def figures(self):
        """Where the campaign stands: all its runs together."""
        standing = self.recall()
        before = standing.get("before", {})
        last = (lines(self.run / "metrics.jsonl") or [{}])[-1]
        figures = {"core_hours": round(before.get("core_hours", 0) + standing.get("core_seconds", 0.0) / 3600, 3)}
        for key in ("generation", "games", "states"):
            figures[key] = before.get(key, 0) + last.get(key, 0)
        for key in ("error", "value_loss", "plies", "draws", "rate"):
            figures[key] = round(last.get(key, 0.0), 6)
        return figures, last

    def matches(self):
        """The newest of the run's own matches, with the generation that played them."""
        played = lines(self.run / "matches.jsonl")
        before = self.recall().get("before", {}).get("generation", 0)
        newest = played[-1]["generation"] if played else None
        rows = []
        for match in played:
            if match["generation"] == newest:
                first, second = match["first"], match["second"]
                row = {"generation": before + newest, "opponent": match["opponent"], "seconds": match["seconds"]}
                rows.append(row | dict(zip(("won", "drawn", "lost"), map(sum, zip(first, second)))))
        return rows

    def status(self):
        pid = self.pid()
        print(f"{self.name}: " + (f"learns, process {pid}, log {self.log}" if pid else "does not learn"))
        figures, last = self.figures()
        print(" ".join(f"{key}={value}" for key, value in figures.items()))
        if last.get("playing") and last.get("training"):
            print(
                f"last generation: {last['evaluations'] / last['playing']:,.0f} evaluations a second in games, "
                f"{last['shown'] / last['training']:,.0f} states a second in training"
            )
        for match in self.matches():
            print(json.dumps(match))

    def save(self):
        newest = self.run / "network.safetensors"
        if not newest.exists():
            raise Mistake(f"no generation is over yet, so there is nothing to save in {self.run}")
        figures, _ = self.figures()
        date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%MZ")
        if any(row["generation"] == figures["generation"] for row in lines(self.ladder)[-1:]):
            print(f"generation {figures['generation']} is saved already")
            return
        self.weights.parent.mkdir(parents=True, exist_ok=True)
        origin = f"campaign {self.name}, generation {figures['generation']}, {figures['core_hours']:.2f} core hours"
        # Incrementally updated networks compute in whole numbers that they learned in: 16 bits would round them once more.
        dtype = "f32" if self.architecture().startswith("inc(") else "f16"
        self.ask("net", "convert", newest, self.weights, "--dtype", dtype, "--set", f"origin={origin}")
        row = {"date": date, **figures, "matches": self.matches(), "machine": machine()}
        with self.ladder.open("a") as ladder:
            ladder.write(json.dumps(row) + "\n")
        print(json.dumps(row))

    def plot(self):
        self.ask("learn", "plot", self.run)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("name", help="a campaign: tools/campaigns/NAME.toml")
    add("command", choices=["start", "stop", "status", "save", "plot", "build", "work"], metavar="COMMAND")
    add("--cores", default="1", metavar="N,…", help="the cores it may use, which is how many games it plays at once (1; the last where there is no such core)")
    add("--niceness", type=int, choices=range(20), default=19, metavar="N", help="19, the default, takes what others leave; 0 claims a core")
    add("--dry-run", action="store_true", help="start: only print the configuration of the run")
    add("--runs", type=pathlib.Path, default=ROOT / "target/campaigns", help="where runs lie")
    add("--weights", type=pathlib.Path, default=ROOT / "nets/campaigns", help="where weights are saved")
    add("--config", type=pathlib.Path, help="another configuration")
    add("--treeline", type=pathlib.Path, help="another program than its own")
    options = parser.parse_args()
    for key in ("runs", "weights", "config", "treeline"):
        path = getattr(options, key)
        setattr(options, key, path and path.resolve())
    try:
        sys.exit(getattr(Campaign(options), options.command)())
    except (Mistake, subprocess.CalledProcessError, OSError) as error:
        sys.exit(f"campaign.py: {error}")


if __name__ == "__main__":
    main()
