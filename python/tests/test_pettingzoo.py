"""The PettingZoo environment."""

import numpy as np
import pytest
import treeline
from pettingzoo.test import api_test, seed_test
from treeline.pettingzoo import env, raw_env


@pytest.mark.parametrize("name", ["connect-four", "breakthrough size=5x6", "hex size=5 swap=on", "kalah", "othello size=6"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_pettingzoos_own_tests_pass(name, capsys):
    api_test(env(name), num_cycles=200)
    assert "Passed API test" in capsys.readouterr().out
    seed_test(lambda: env(name), num_cycles=20)


def played(environment, choose):
    """The agents and the rewards of a game."""
    agents, rewards = [], {}
    for agent in environment.agent_iter():
        observation, reward, termination, truncation, _ = environment.last()
        rewards[agent] = rewards.get(agent, 0) + reward
        if termination or truncation:
            environment.step(None)
            continue
        agents.append(agent)
        environment.step(choose(observation))
    return agents, rewards


def test_a_game_is_that_of_its_state():
    environment = env("kalah")
    environment.reset()
    state = treeline.load("kalah").new_initial_state()
    players = []

    def choose(observation):
        assert observation["observation"].dtype == np.float32
        assert (observation["observation"] == state.planes()).all()
        actions = np.flatnonzero(observation["action_mask"])
        assert actions.tolist() == state.legal_actions()
        players.append(state.current_player())
        state.apply_action(int(actions[-1]))
        return int(actions[-1])

    agents, rewards = played(environment, choose)
    assert [int(agent[-1]) for agent in agents] == players and state.is_terminal()
    # A player moves twice in a row in Kalah.
    assert any(a == b for a, b in zip(players, players[1:], strict=False))
    assert [rewards["player_0"], rewards["player_1"]] == state.returns()


def test_who_waits_has_no_move():
    environment = env(treeline.load("connect-four"))
    environment.reset()
    assert environment.observe("player_0")["action_mask"].sum() == 7
    assert environment.observe("player_1")["action_mask"].sum() == 0


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_illegal_actions():
    bare = raw_env("othello")
    bare.reset()
    with pytest.raises(treeline.IllegalActionError):
        bare.step(0)
    environment = env("othello")
    environment.reset()
    environment.step(0)
    _, reward, termination, _, _ = environment.last()
    assert reward == -1 and termination


def test_boards_are_shown(capsys):
    environment = raw_env("connect-four", render_mode="ansi")
    environment.reset(options={"position": treeline.load("connect-four").new_initial_state().child(3).position()})
    assert "X" in environment.render() and environment.agent_selection == "player_1"
    environment = raw_env("connect-four", render_mode="human")
    environment.reset()
    environment.step(3)
    assert "X" in capsys.readouterr().out
