"""Learning and matches on Ray's own test cluster of three nodes: what comes is what one machine makes, whatever is killed."""

import json
import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="SKIPPED: Ray is missing; tools/ray/test.sh brings it")
import ray
from ray.cluster_utils import Cluster

HERE = Path(__file__).resolve().parents[1]
TREELINE = os.environ["TREELINE"]
SETTINGS = {
    "run.threads": 1,
    "run.architecture": "patterns(2)",
    "stop.minutes": "off",
    "stop.generations": 10,
    "watch.minutes": "off",
    "play.games": 60,
    "play.first-games": "off",
    "play.portion": 5,
    "play.nodes": int(os.environ.get("NODES", 4000)),
    "train.batch": 64,
    "train.passes": 2,
    "train.rate": 0.02,
    "replay.generations": 2,
    "replay.keep": "on",
}


class Nodes:
    """Three nodes, the first of which has the driver; the others come and go."""

    def __init__(self):
        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        self.others = [self.cluster.add_node(num_cpus=1) for _ in range(2)]
        self.cluster.wait_for_nodes()

    @property
    def address(self):
        return self.cluster.address

    def kill(self):
        """One of the others dies at once, and another comes in its place."""
        node = self.others.pop(random.randrange(len(self.others)))
        self.cluster.remove_node(node, allow_graceful=False)
        self.others.append(self.cluster.add_node(num_cpus=1))


@pytest.fixture(scope="module")
def nodes():
    nodes = Nodes()
    yield nodes
    nodes.cluster.shutdown()


def prepare(run, **more):
    changes = {**SETTINGS, **more}
    pairs = [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]
    subprocess.run([TREELINE, "learn", run, "--prepare", "--game", "othello size=6", "--method", "treestrap", *pairs], check=True)


def start(nodes, run, program=TREELINE, **streams):
    return subprocess.Popen([sys.executable, HERE / "learn.py", str(run), "--address", nodes.address, "--program", str(program)], **streams)


def same(whole, run):
    """Every file that no clock touches is the same, byte for byte."""
    names = sorted(path.name for path in (whole / "data").iterdir())
    assert names == sorted(path.name for path in (run / "data").iterdir())
    assert len(names) == 10 * 2 * 12
    for name in ["network.safetensors"] + [f"data/{name}" for name in names]:
        assert (whole / name).read_bytes() == (run / name).read_bytes(), name
    lines = (run / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["generation"] for line in lines] == list(range(1, 11))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The run of one machine, ten generations."""
    run = tmp_path_factory.mktemp("whole") / "run"
    prepare(run)
    begin = time.monotonic()
    subprocess.run([TREELINE, "learn", run], check=True, stdout=subprocess.DEVNULL)
    print(f"the plain run took {time.monotonic() - begin:.1f} s")
    return run


def test_ten_generations_are_those_of_one_machine_though_ten_nodes_are_killed(nodes, whole, tmp_path):
    run = tmp_path / "run"
    prepare(run)
    driver = start(nodes, run)
    kills = 0
    while driver.poll() is None and kills < 10:
        # Work must have begun again, and goes on for a random while.
        seen = len(list((run / "data").glob("*.npy"))) if (run / "data").is_dir() else 0
        while driver.poll() is None and len(list((run / "data").glob("*.npy"))) <= seen:
            time.sleep(0.05)
        time.sleep(random.random())
        if driver.poll() is None:
            nodes.kill()
            kills += 1
    assert driver.wait() == 0
    assert kills == 10, f"the run was over after {kills} kills: NODES=… makes it longer"
    same(whole, run)


def test_ten_generations_are_those_of_one_machine_though_the_driver_is_killed(nodes, whole, tmp_path):
    run = tmp_path / "run"
    prepare(run)
    for part in (0.2, 0.5, 0.8, 1):
        driver = start(nodes, run)
        while driver.poll() is None and part < 1:
            if len(list((run / "data").glob("*.npy"))) >= part * 120:
                driver.send_signal(signal.SIGKILL)
                break
            time.sleep(0.02)
        code = driver.wait()
        # What it started notices that it is gone.
        while part < 1 and locked(run):
            time.sleep(0.05)
        assert code == (0 if part == 1 else -signal.SIGKILL)
    same(whole, run)


def locked(run):
    import fcntl

    with open(run / "lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return False
        except BlockingIOError:
            return True


def script(path, text):
    path.write_text(f"#!{sys.executable}\nimport json, os, subprocess, sys\nprogram = {TREELINE!r}\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


SPOILS = """
if sys.argv[1:] != ["learn", "worker"]:
    os.execv(program, sys.argv)
worker = subprocess.Popen([program, "learn", "worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
print(worker.stdout.readline(), end="", flush=True)
for line in sys.stdin:
    worker.stdin.write(line)
    worker.stdin.flush()
    answer = worker.stdout.readline()
    try:
        os.close(os.open({marker!r}, os.O_CREAT | os.O_EXCL))
        path = json.loads(answer)["receipt"]["files"][1]["path"]
        with open(path, "r+b") as rows:
            rows.seek(-1, 2)
            last = rows.read(1)[0]
            rows.seek(-1, 2)
            rows.write(bytes([last ^ 1]))
    except FileExistsError:
        pass
    print(answer, end="", flush=True)
"""


def test_a_corrupt_shard_is_named_and_played_again(nodes, whole, tmp_path):
    run = tmp_path / "run"
    prepare(run)
    program = script(tmp_path / "spoils", SPOILS.format(marker=str(tmp_path / "once")))
    driver = start(nodes, run, program, stderr=subprocess.PIPE, text=True)
    said = driver.communicate()[1]
    assert driver.returncode == 0, said
    assert "is done again" in said and ".npy: it is not what was made" in said, said
    same(whole, run)


OTHER = """
if sys.argv[1:] == ["learn", "worker"]:
    program = {other!r}
os.execv(program, sys.argv)
"""


def test_another_program_on_a_node_is_refused_by_name_and_nothing_is_lost(nodes, whole, tmp_path):
    run = tmp_path / "run"
    prepare(run)
    # The same program but for a byte at its end.
    other = tmp_path / "other"
    other.write_bytes(Path(TREELINE).read_bytes() + b"\0")
    other.chmod(0o755)
    program = script(tmp_path / "switches", OTHER.format(other=str(other)))
    driver = start(nodes, run, program, stderr=subprocess.PIPE, text=True)
    said = driver.communicate()[1]
    assert driver.returncode != 0
    assert "put the same file of the program on all machines" in said and said.count(", build ") >= 2, said
    assert subprocess.run([TREELINE, "learn", run], stdout=subprocess.DEVNULL).returncode == 0
    same(whole, run)


MATCH = """
game = "breakthrough size=5x6"
games = 200
[[engine]]
searcher = "alpha-beta nodes=3000 seed=1"
memory = 32
restart = "game"
[[engine]]
searcher = "greedy seed=2"
memory = 32
restart = "game"
"""


def games(results):
    """What no clock decides, by what names a game."""
    lines = (results / "games.jsonl").read_text().splitlines()[1:]
    played = [json.loads(line) for line in lines]
    by_name = {(game["game"], game["a"], game["b"], game["number"]): (game["moves"], game["winner"]) for game in played}
    assert len(by_name) == len(played), "a game is there twice"
    return by_name


def test_a_match_of_200_games_is_that_of_one_machine_though_nodes_and_driver_are_killed(nodes, tmp_path):
    file, alone = tmp_path / "match.toml", tmp_path / "alone.toml"
    file.write_text(MATCH)
    alone.write_text(MATCH)
    subprocess.run([TREELINE, "match", alone], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wanted = games(tmp_path / "alone.results")
    assert len(wanted) == 200
    command = [sys.executable, HERE / "match.py", file, "--address", nodes.address, "--program", TREELINE, "--parts", "20"]
    parts = lambda: len(list((tmp_path / "match.parts").glob("*-of-20")))
    driver = subprocess.Popen(command)
    for wait in (2, 6):
        while driver.poll() is None and parts() < wait:
            time.sleep(0.05)
        assert driver.poll() is None, "it was over before anything was killed"
        nodes.kill()
    driver.kill()
    driver.wait()
    assert parts() < 20
    assert subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0
    assert games(tmp_path / "match.results") == wanted
