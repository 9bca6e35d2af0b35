"""Errors, defects, forks."""

import multiprocessing
import os

import pytest
import treeline
from common import state_at
from treeline import _treeline


@pytest.mark.parametrize(
    "work, error, words",
    [
        (lambda: treeline.load("chess"), treeline.UnknownGameError, "unknown game 'chess'; there are breakthrough, conn"),
        (lambda: treeline.load(""), treeline.UnknownGameError, "unknown game ''"),
        (lambda: treeline.load("hex size=77"), treeline.OptionError, "size"),
        (lambda: treeline.load("hex", colour=1), treeline.OptionError, "colour"),
        (lambda: treeline.load("hex size"), treeline.OptionError, "size"),
        (lambda: treeline.load("hex").new_initial_state("nonsense"), treeline.PositionError, "."),
        (lambda: treeline.load("hex").deserialize_state("\n5 5"), treeline.IllegalActionError, "illegal action 5"),
        (lambda: treeline.load("hex").deserialize_state("\nx"), treeline.TreelineError, "'x' found"),
        (lambda: treeline.load("hex").new_initial_state().planes(77), treeline.TreelineError, "version 77; versions are 1"),
        (lambda: treeline.load("hex").new_initial_state().apply_action(121), treeline.IllegalActionError, "illegal action 121"),
        (lambda: treeline.load("hex").new_initial_state().apply_action(-1), treeline.IllegalActionError, "illegal action -1"),
        (lambda: treeline.load("hex").new_initial_state().apply_action(2**40), treeline.IllegalActionError, "1099511627776"),
        (lambda: treeline.load("hex").new_initial_state().action_to_string(500), treeline.IllegalActionError, "500"),
        (lambda: treeline.load("hex").new_initial_state().string_to_action("z9z"), treeline.IllegalActionError, "z9z"),
        (lambda: treeline.load("hex").new_initial_state().string_to_action(), TypeError, "0 arguments"),
        (lambda: treeline.load("hex").new_initial_state().apply_action("a1"), TypeError, "."),
    ],
)
def test_refusals_are_exceptions_with_the_engines_words(work, error, words):
    with pytest.raises(error, match=words):
        work()


def test_errors_are_what_handlers_of_python_expect():
    assert issubclass(treeline.TreelineError, ValueError)
    assert issubclass(treeline.FinishedError, treeline.IllegalActionError)
    assert not issubclass(treeline.InternalError, treeline.TreelineError)


def test_a_finished_game_takes_no_move():
    state = state_at("connect-four", 1, 42)
    assert state.is_terminal()
    for work in (lambda: state.apply_action(0), lambda: state.child(0), lambda: state.string_to_action("a")):
        with pytest.raises(treeline.FinishedError, match="the game is over"):
            work()


@pytest.mark.parametrize("place", ["here", "batch", "engine"])
def test_a_panic_is_an_exception(place, capfd):
    with pytest.raises(treeline.InternalError, match="this is a defect: asked for by a test"):
        _treeline._panic(place)
    capfd.readouterr()


def test_after_a_defect_an_engine_goes_on(capfd):
    game = treeline.load("hex size=5")
    player = treeline.Engine(game, "mcts", threads=1, memory=32)
    with pytest.raises(treeline.InternalError, match="a defect"):
        _treeline._panic_in(player, game.new_initial_state())
    assert player.search(game.new_initial_state(), simulations=10).simulations >= 10
    assert player.options["memory"] == "32"
    capfd.readouterr()


def in_child(work):
    """What `work` prints to its parent, in a fork of this process."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, str(work()).encode())
        except BaseException as error:  # noqa: BLE001
            os.write(write, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)
    os.close(write)
    text = b"".join(iter(lambda: os.read(read, 1000), b"")).decode()
    os.close(read)
    os.waitpid(child, 0)
    return text


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_has_states_and_batches_and_makes_engines_of_its_own():
    game = treeline.load("breakthrough")
    player = treeline.Engine(game, "mcts", threads=2, memory=512)
    state = game.new_initial_state()
    player.search(state, simulations=100)
    batch = game.new_batch(10, threads=2)
    for _ in range(5):
        # The background is making memory ready just then.
        fresh = treeline.Engine(game, "mcts", threads=2, memory=512)
        assert in_child(lambda: player.search(state, simulations=10)).startswith("ForkError: this engine was made before")
        assert in_child(lambda: len(batch.step_random())) == "10"

        def search():
            own = treeline.Engine(game, "mcts", threads=2, memory=64)
            return own.search(state, simulations=100).simulations >= 100

        assert in_child(search) == "True"
        del fresh
    assert player.search(state, simulations=10).reused_nodes > 0


def spawned(text):
    game, position = text
    return treeline.load(game).new_initial_state(position).legal_actions()


def test_processes_are_spawned_with_states():
    state = state_at("hex size=5", 1, 3)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(spawned, [("hex size=5", state.position())]) == [state.legal_actions()]
        assert pool.map(treeline.State.history, [state]) == [state.history()]
