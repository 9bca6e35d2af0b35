"""Batches."""

import sys
import threading

import numpy as np
import pytest
import treeline
from common import VARIANTS, random_game, state_at


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("threads", [1, 3])
def test_a_batch_says_what_its_states_say(name, threads):
    game = treeline.load(name)
    batch = game.new_batch(17, threads=threads)
    states = [game.new_initial_state() for _ in range(17)]
    for ply in range(400):
        players = [state.current_player() for state in states]
        assert batch.current_players().tolist() == players
        assert batch.is_terminal().tolist() == [state.is_terminal() for state in states]
        assert batch.returns().tolist() == [state.returns() for state in states]
        if ply % 9 == 0:
            assert (batch.legal_actions_mask() == [state.legal_actions_mask() for state in states]).all()
            for version, _ in game.plane_versions():
                assert (batch.planes(version) == [state.planes(version) for state in states]).all()
        played = batch.step_random(seed=ply)
        for state, action in zip(states, played, strict=True):
            if state.is_terminal():
                assert action == -1
            else:
                state.apply_action(action)
        if batch.is_terminal().all():
            break
    assert [batch[i].history() for i in range(17)] == [state.history() for state in states]


def test_the_same_seed_gives_the_same_games_on_any_number_of_threads():
    game = treeline.load("breakthrough")
    one, four = game.new_batch(50), game.new_batch(50, threads=4)
    assert (one.step_random(seed=5) == four.step_random(seed=5)).all()
    first = one.playouts(20, seed=6)
    assert (first == four.playouts(20, seed=6)).all()
    assert (first != one.playouts(20, seed=7)).any()
    assert (first.sum(axis=1) == 20).all() and first.dtype == np.int64 and first.shape == (50, 3)
    # Without a seed they differ: the chance that all agree is nil.
    assert (one.playouts(20) != one.playouts(20)).any()


def test_playouts_of_finished_states_are_their_result():
    game = treeline.load("connect-four")
    state = game.new_initial_state()
    for action in [0, 1, 0, 1, 0, 1, 0]:
        state.apply_action(action)
    batch = treeline.Batch([state, game.new_initial_state()])
    assert batch.playouts(10)[0].tolist() == [10, 0, 0]
    assert batch.step_random()[0] == -1


def test_random_steps_are_uniform():
    batch = treeline.load("connect-four").new_batch(70_000)
    counts = np.bincount(batch.step_random(seed=1), minlength=7)
    # Chi squared with 6 degrees of freedom: 30 has a probability of 4e-5.
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 30


def test_random_playouts_are_those_of_uniform_moves():
    game = treeline.load("connect-four")
    results = game.new_batch(1).playouts(100_000, seed=1)[0] / 100_000
    wins = [sum(s.returns()[0] == 1 for s in [list(random_game(game, seed))[-1]]) for seed in range(2000)]
    assert abs(results[0] - np.mean(wins)) < 4 * (0.25 / 2000) ** 0.5


def test_arrays_of_the_caller_are_written_into_and_fresh_ones_are_not_copied():
    batch = treeline.load("othello").new_batch(8)
    planes = np.full((8, *treeline.load("othello").observation_tensor_shape()), 9, np.float32)
    assert batch.planes(out=planes) is planes
    assert (planes == batch.planes()).all()
    mask = np.ones((8, 65), bool)
    assert batch.legal_actions_mask(out=mask) is mask and mask.sum() == 8 * 4
    # A part of a larger array, as a training loop has it.
    pool = np.zeros((3, *planes.shape), np.float32)
    batch.planes(out=pool[1])
    assert (pool[1] == planes).all() and not pool[0].any() and not pool[2].any()


def test_wrong_arrays_are_refused_with_what_was_expected():
    batch = treeline.load("hex size=5").new_batch(4)
    shape = (4, *treeline.load("hex size=5").observation_tensor_shape())
    wrong = [
        (np.zeros((3, *shape[1:]), np.float32), "shape"),
        (np.zeros(shape, np.float64), "float32"),
        (np.zeros((2 * shape[0], *shape[1:]), np.float32)[::2], "contiguous"),
        ([0.0], "numpy array"),
    ]
    for array, word in wrong:
        with pytest.raises(treeline.ShapeError, match=word):
            batch.planes(out=array)
    frozen = np.zeros(shape, np.float32)
    frozen.flags.writeable = False
    with pytest.raises(treeline.ShapeError, match="written"):
        batch.planes(out=frozen)


def test_bad_actions_change_nothing_and_name_the_state():
    game = treeline.load("hex size=5")
    batch = game.new_batch(3)
    batch.apply_actions([0, 1, -1])
    before = [batch[i].history() for i in range(3)]
    assert before == [[0], [1], []]
    for actions, error, word in [
        ([2, 1, 2], treeline.IllegalActionError, "state 1 .* illegal action 1"),
        ([2, 2, 25], treeline.IllegalActionError, "state 2"),
        ([2, 2, -2], treeline.IllegalActionError, "state 2"),
        ([2, 2], treeline.ShapeError, "3 numbers expected, 2 found"),
        (np.zeros((3, 1), np.int64), treeline.ShapeError, "one dimension"),
        ([0.5, 1, 2], treeline.ShapeError, "whole numbers"),
        (None, treeline.ShapeError, "whole numbers"),
    ]:
        with pytest.raises(error, match=word):
            batch.apply_actions(actions)
        assert [batch[i].history() for i in range(3)] == before
    batch.apply_actions(np.array([5, 6, 7], np.int32))
    assert batch[2].history() == [7]
    batch.apply_actions(np.arange(8, 14)[::2])
    assert batch[2].history() == [7, 12]


def test_batches_of_given_states():
    states = [state_at("othello", seed, 10) for seed in range(4)]
    batch = treeline.Batch(states)
    assert len(batch) == 4 and batch[-1].position() == states[3].position()
    batch[0] = states[3]
    assert batch[0].position() == states[3].position()
    other = batch.clone()
    batch.step_random()
    assert other[1].position() == states[1].position() != batch[1].position()
    batch.reset()
    assert batch[1].history() != []
    batch.reset(every=True)
    assert all(batch[i].history() == [] for i in range(4))
    with pytest.raises(IndexError):
        batch[4]
    with pytest.raises(IndexError):
        batch[-5]
    with pytest.raises(treeline.TreelineError, match="two games"):
        treeline.Batch([states[0], treeline.load("hex").new_initial_state()])
    with pytest.raises(treeline.TreelineError, match="othello expected"):
        batch[0] = treeline.load("hex").new_initial_state()
    with pytest.raises(ValueError, match="no states"):
        treeline.Batch([])
    with pytest.raises(ValueError, match="threads"):
        treeline.load("hex").new_batch(1, threads=0)
    empty = treeline.load("hex").new_batch(0)
    assert empty.planes().shape[0] == 0 and empty.step_random().shape == (0,)


def test_the_interpreter_is_free_while_a_batch_works():
    batch = treeline.load("hex").new_batch(2)
    turns, done = [], threading.Event()

    def work():
        batch.playouts(2_000_000)
        done.set()

    worker = threading.Thread(target=work)
    interval = sys.getswitchinterval()
    worker.start()
    while not done.is_set():
        turns.append(1)
        done.wait(interval)
    worker.join()
    assert len(turns) > 3


def test_two_threads_at_one_batch_get_an_error_and_not_each_others_arrays():
    batch = treeline.load("hex").new_batch(64)
    errors = []

    def work():
        for _ in range(300):
            try:
                batch.step_random()
                batch.reset(every=True)
            except RuntimeError as error:
                errors.append(str(error))

    workers = [threading.Thread(target=work) for _ in range(3)]
    [worker.start() for worker in workers]
    [worker.join() for worker in workers]
    assert all("borrowed" in error for error in errors)
    batch.reset(every=True)
    assert batch.legal_actions_mask().all()
