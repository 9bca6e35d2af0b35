"""Games and states."""

import copy
import pickle
import random

import numpy as np
import pytest
import treeline
from common import VARIANTS, random_game, state_at


def test_every_game_is_tried_here():
    assert {name.split()[0] for name in VARIANTS} == set(treeline.registered_names())


@pytest.mark.parametrize("name", VARIANTS)
def test_a_game_is_played_by_numbers_and_by_text(name):
    game = treeline.load(name)
    for seed in range(3):
        for state in random_game(game, seed):
            actions = state.legal_actions()
            assert actions == sorted(set(actions))
            assert all(0 <= action < game.num_distinct_actions() for action in actions)
            assert np.flatnonzero(state.legal_actions_mask()).tolist() == actions
            texts = [state.action_to_string(action) for action in actions]
            assert [state.string_to_action(text) for text in texts] == actions
            assert len(set(texts)) == len(texts)
            assert state.is_terminal() == (not actions) == (state.current_player() == treeline.PlayerId.TERMINAL)
            if not state.is_terminal():
                assert state.returns() == [0.0, 0.0]
                assert state.legal_actions(1 - state.current_player()) == []
                assert state.legal_actions(state.current_player()) == actions
        assert sum(state.returns()) == 0.0
        assert set(state.returns()) in ({0.0}, {1.0, -1.0})


@pytest.mark.parametrize("name", VARIANTS)
def test_what_a_state_writes_is_read_again(name):
    game = treeline.load(name)
    for state in random_game(game, 7):
        again = game.new_initial_state(state.position())
        assert again.position() == state.position()
        assert again.history() == []
        if not state.is_terminal():
            assert again.legal_actions() == state.legal_actions()
    for same in (game.deserialize_state(state.serialize()), pickle.loads(pickle.dumps(state)), copy.deepcopy(state)):
        assert same.history() == state.history()
        assert same.position() == state.position()
        assert same.returns() == state.returns()
        assert same.get_game() == game


def test_a_serialized_state_keeps_its_beginning_and_its_repetitions():
    game = treeline.load("lines-of-action")
    state = game.new_initial_state()
    for text in ["b1b3", "a2c2", "b3b1", "c2a2", "b1b3", "a2c2", "b3b1"]:
        state.apply_action(state.string_to_action(text))
        assert not state.is_terminal()
    restored = pickle.loads(pickle.dumps(state))
    bare = game.new_initial_state(state.position())
    for other in (state, restored, bare):
        other.apply_action(other.string_to_action("c2a2"))
    # The start occurs for the third time, unless nothing is known of the moves before.
    assert state.is_terminal() and restored.is_terminal() and not bare.is_terminal()
    assert state.returns() == [0.0, 0.0]
    later = game.new_initial_state(bare.position())
    later.apply_action(later.legal_actions()[0])
    assert pickle.loads(pickle.dumps(later)).position() == later.position()


@pytest.mark.parametrize("name", ["hex", "hex swap=on", "hex size=13x9"])
def test_lists_of_moves_are_their_askers_own(name):
    game = treeline.load(name)
    rng = random.Random(1)
    state = game.new_initial_state()
    states = [state]
    for _ in range(60):
        # Asked for at once, after some moves, of copies, and spoilt by who got them.
        for other in rng.choices(states, k=2):
            actions = other.legal_actions()
            assert actions == np.flatnonzero(other.legal_actions_mask()).tolist()
            actions.clear()
        state = rng.choice([state, state.clone()])
        for _ in range(rng.choice([1, 1, 2, 12])):
            legal = np.flatnonzero(state.legal_actions_mask())
            if len(legal):
                state.apply_action(int(rng.choice(legal)))
        states.append(state)


def test_copies_are_apart():
    state = state_at("othello", 1, 9)
    before = state.position()
    copies = [state.clone(), copy.copy(state), copy.deepcopy(state), state.child(state.legal_actions()[0])]
    for other in copies[:3]:
        other.apply_action(other.legal_actions()[-1])
    assert state.position() == before
    assert all(other.position() != before for other in copies)


@pytest.mark.parametrize("name", VARIANTS)
def test_undo_goes_back_to_the_start(name):
    states = list(random_game(treeline.load(name), 3, plies=20))
    state = states[-1].clone()
    for before in reversed(states[:-1]):
        state.undo_action(before.current_player(), state.history()[-1])
        assert state.position() == before.position()
        assert state.history() == before.history()
    with pytest.raises(treeline.IllegalActionError):
        state.undo_action(0, 0)


@pytest.mark.parametrize("name", VARIANTS)
def test_planes_have_their_shape_and_change_with_the_position(name):
    game = treeline.load(name)
    states = list(random_game(game, 2, plies=6))
    for version, meaning in game.plane_versions():
        assert meaning
        planes = [state.planes(version) for state in states]
        assert all(p.dtype == np.float32 and list(p.shape) == game.observation_tensor_shape(version) for p in planes)
        assert any((p != planes[0]).any() for p in planes)
    tensor = states[-1].observation_tensor(0)
    assert len(tensor) == game.observation_tensor_size()
    assert (np.reshape(tensor, game.observation_tensor_shape()) == states[-1].planes()).all()


def test_planes_of_a_position_by_hand():
    state = treeline.load("connect-four").new_initial_state()
    state.apply_action(3)
    state.apply_action(0)
    first, second = state.planes(1)[:2]
    assert first.sum() == second.sum() == 1
    assert first[-1, 3] + first[0, 3] == 1 and second[-1, 0] + second[0, 0] == 1


def test_numbers_are_what_the_manual_says():
    hexagons = treeline.load("hex size=5 swap=on").new_initial_state()
    assert hexagons.action_to_string(0) == "a1" and hexagons.action_to_string(5 * 2 + 3) == "d3"
    hexagons.apply_action(7)
    assert hexagons.action_to_string(25).startswith("swap")
    othello = treeline.load("othello").new_initial_state()
    assert {othello.action_to_string(action) for action in othello.legal_actions()} == {"d3", "c4", "f5", "e6"}
    assert othello.string_to_action("d3") == 8 * 2 + 3
    assert treeline.load("connect-four").new_initial_state().action_to_string(0, 3) == "d"
    assert treeline.load("kalah").new_initial_state().action_to_string(0) == "1"


def test_captures_that_share_an_output_have_different_numbers():
    # The king goes around the four in either direction: the same squares, other pieces.
    game = treeline.load("draughts")
    seen = 0
    for seed in range(60):
        for state in random_game(game, seed, plies=150):
            actions = state.legal_actions()
            assert len(set(actions)) == len(actions)
            seen += sum(action >= 2501 for action in actions)
    assert seen > 0


def test_options_of_games_as_words_and_as_keywords():
    assert treeline.load("hex size=9 swap=on") == treeline.load("hex", size=9, swap=True)
    assert hash(treeline.load("hex size=11")) == hash(treeline.load("hex"))
    assert treeline.load("hex") != treeline.load("hex size=9")
    assert treeline.load("lines-of-action", both_connected="mover").variant == "both-connected=mover"
    assert treeline.load("connect-four width=5").get_parameters() == {"width": 5, "height": 6, "line": 4}
    assert treeline.load("hex swap=on").get_parameters()["swap"] is True
    assert str(treeline.load("breakthrough size=6x7")) == "breakthrough size=6x7"
    assert pickle.loads(pickle.dumps(treeline.load("othello size=6"))) == treeline.load("othello size=6")
    assert treeline.load_game is treeline.load


def test_results_of_one_player():
    state = state_at("connect-four", 1, 42)
    assert [state.player_return(0), state.player_reward(1)] == state.returns() == state.rewards() != [0, 0]
    with pytest.raises(IndexError):
        state.player_return(2)


def test_points_and_lengths():
    assert treeline.load("othello").new_initial_state().margin() == 0
    assert treeline.load("hex").new_initial_state().margin() is None
    assert treeline.load("connect-four").max_game_length() == 42
    assert treeline.load("lines-of-action length=off").max_game_length() is None
