"""OpenSpiel's Python code on our states, our engine on theirs, and both in lock-step."""

import random
import sys

import numpy as np
import pytest
import treeline

pyspiel = pytest.importorskip("pyspiel", reason="pip install open_spiel")

from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.algorithms import get_all_states, mcts, minimax, tabular_qlearner  # noqa: E402
from treeline import openspiel  # noqa: E402

sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/bench")
import lockstep  # noqa: E402


@pytest.mark.parametrize("name", lockstep.GAMES)
def test_random_games_agree(name):
    played = lockstep.agreement(name, games=15, seed=1)
    assert played.games == 15 and played.plies > 15 * 8


def test_a_difference_would_be_found(monkeypatch):
    apply, calls = treeline.State.apply_action, []

    class Wrong:
        """A state that plays another move, once."""

        def __init__(self, state):
            self.state = state

        def __getattr__(self, name):
            return getattr(self.state, name)

        def apply_action(self, action):
            calls.append(action)
            wrong = self.state.legal_actions()[-1] if len(calls) == 5 else action
            apply(self.state, wrong)

    monkeypatch.setattr(lockstep, "begin", lambda game: Wrong(game.new_initial_state()))
    with pytest.raises((AssertionError, treeline.IllegalActionError)):
        lockstep.agreement("hex(board_size=11)", games=1, seed=1)


def test_openspiels_mcts_searches_our_states():
    game = treeline.load("connect-four")
    state = game.new_initial_state()
    for action in [0, 6, 0, 6, 0, 6]:
        state.apply_action(action)
    rng = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(5, rng)
    bot = mcts.MCTSBot(game, 2.0, 200, evaluator, solve=True, random_state=rng)
    assert bot.step(state) == 0


def test_openspiels_mcts_plays_the_same_game_on_both_sides():
    ours, theirs = openspiel.load("hex(board_size=4)")

    def line(game):
        rng = np.random.RandomState(3)
        bot = mcts.MCTSBot(game, 2.0, 30, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(bot.step(state))
        return state.history(), state.returns()

    assert line(ours) == line(theirs)


def test_openspiels_minimax_solves_our_game_and_finds_all_its_states():
    game = treeline.load("connect-four width=3 height=3 line=3")
    value, action = minimax.alpha_beta_search(game)
    theirs = pyspiel.load_game("connect_four(rows=3,columns=3,x_in_row=3)")
    assert value == minimax.alpha_beta_search(theirs)[0] and action is not None
    states = [
        get_all_states.get_all_states(side, depth_limit=-1, include_terminals=True, include_chance_states=False)
        for side in (game, theirs)
    ]
    assert len(states[0]) == len(states[1]) > 500
    solved = treeline.Engine(game, threads=1, memory=32).solve(game.new_initial_state(), seconds=60)
    assert solved.value == value


def test_openspiels_tabular_q_learner_learns_our_game():
    environment = rl_environment.Environment(treeline.load("connect-four width=3 height=3 line=3"))
    np.random.seed(1)
    agents = [tabular_qlearner.QLearner(i, environment.action_spec()["num_actions"]) for i in range(2)]

    def game(evaluate):
        step = environment.reset()
        while not step.last():
            player = step.observations["current_player"]
            legal = step.observations["legal_actions"][player]
            action = np.random.choice(legal) if evaluate and player == 1 else agents[player].step(step, evaluate).action
            step = environment.step([action])
        if not evaluate:
            [agent.step(step) for agent in agents]
        return step.rewards[0]

    before = np.mean([game(True) for _ in range(300)])
    [game(False) for _ in range(2000)]
    assert np.mean([game(True) for _ in range(300)]) > before + 0.2


def test_our_engine_plays_openspiels_games():
    game = pyspiel.load_game("breakthrough(rows=6,columns=6)")
    bot = openspiel.Bot(game, "mcts", simulations=300, threads=1, memory=32, seed=1)
    others, wins = random.Random(1), 0
    for seat in (0, 1, 0, 1):
        state = game.new_initial_state()
        bot.restart()
        while not state.is_terminal():
            theirs = others.choice(state.legal_actions())
            state.apply_action(bot.step(state) if state.current_player() == seat else theirs)
        wins += state.returns()[seat] > 0
    assert wins == 4
    returns = pyspiel.evaluate_bots(game.new_initial_state(), [bot, pyspiel.make_uniform_random_bot(1, 1)], 1)
    assert returns[0] == 1


def test_games_that_only_one_side_has():
    with pytest.raises(treeline.UnknownGameError, match="tic_tac_toe"):
        openspiel.load("tic_tac_toe")
