"""Engines."""

import os
import signal
import threading
import time

import numpy as np
import pytest
import treeline
from common import state_at

SMALL = {"threads": 1, "memory": 32}
MODELS = os.path.join(os.path.dirname(__file__), "../../nets/models")


def engine(game, searcher="mcts", **options):
    return treeline.Engine(treeline.load(game), searcher, **{**SMALL, **options})


def test_a_search_says_all_that_it_found():
    state = state_at("hex size=7", 1, 4)
    before = state.position()
    result = engine("hex size=7", seed=1).search(state, simulations=2000)
    assert state.position() == before
    assert result.action in state.legal_actions()
    assert state.action_to_string(result.action) == result.move == result.pv[0] == result.candidates[0].pv[0]
    assert -1 <= result.value <= 1
    assert {c.action for c in result.candidates} <= set(state.legal_actions())
    assert sum(c.visits for c in result.candidates) > 1000
    assert result.statistics["simulations"] == result.simulations >= 2000
    assert result.searcher == "mcts" and result.threads == 1 and result.proven is None
    follow = state.clone()
    for text in result.pv:
        follow.apply_action(follow.string_to_action(text))
    assert "2000" in repr(result) or result.simulations > 2000


@pytest.mark.parametrize("searcher", treeline.registered_searchers())
def test_every_searcher_moves(searcher):
    state = state_at("connect-four", 4, 8)
    result = engine("connect-four", searcher, network="none").search(state, simulations=50, nodes=500, seconds=5)
    assert result.action in state.legal_actions()


@pytest.mark.parametrize("game", treeline.registered_names())
def test_every_game_is_searched_to_its_end(game):
    player = engine(game, "mcts", seed=3)
    state = state_at(game, 5, 30)
    for _ in range(3):
        if state.is_terminal():
            break
        state.apply_action(player.search(state, simulations=100).action)


def test_limits_compose_and_seconds_alone_is_the_default():
    player = engine("othello")
    state = treeline.load("othello").new_initial_state()
    assert player.search(state, simulations=300, seconds=1000).simulations < 1000
    assert player.search(state, seconds=0.2).seconds < 5
    # The tree has been there: fresh nodes are what is limited.
    assert 0 < player.search(state, nodes=500).nodes <= 2000
    player = engine("othello", "alpha-beta", network="none")
    assert player.search(state, depth=3).depth >= 3
    for bad in [{"seconds": -1}, {"seconds": float("nan")}, {"simulations": 0}, {"depth": 10**6}]:
        with pytest.raises(ValueError):
            player.search(state, **bad)
    with pytest.raises(OverflowError):
        player.search(state, nodes=-1)


def test_a_seed_repeats_a_search():
    state = state_at("breakthrough", 2, 6)
    found = [engine("breakthrough", seed=7).search(state, simulations=500) for _ in range(2)]
    visits = [[(c.action, c.visits, c.value) for c in result.candidates] for result in found]
    assert visits[0] == visits[1]


def test_the_tree_is_kept_over_moves_and_from_state_to_state():
    player = engine("breakthrough", seed=1)
    state = treeline.load("breakthrough").new_initial_state()
    first = player.search(state, simulations=5000)
    assert first.reused_nodes == 0
    state.apply_action(first.action)
    state.apply_action(state.string_to_action(first.pv[1]))
    second = player.search(state, simulations=10)
    assert second.reused_nodes > 0
    # Another beginning, then back.
    player.search(treeline.load("breakthrough").new_initial_state(state.position()), simulations=10)
    other = state_at("breakthrough", 9, 5)
    assert player.search(other, simulations=10).action in other.legal_actions()
    player.clear()
    assert player.search(state, simulations=10).reused_nodes == 0


def test_a_win_is_found_and_proven():
    game = treeline.load("connect-four")
    state = game.new_initial_state()
    for action in [0, 6, 0, 6, 0, 6]:
        state.apply_action(action)
    result = engine("connect-four", "alpha-beta").search(state, seconds=5)
    assert (result.action, result.proven) == (0, 1)
    solution = engine("connect-four").solve(state, seconds=20)
    assert (solution.value, solution.action, solution.pv) == (1, 0, ["a"])
    state.apply_action(0)
    with pytest.raises(treeline.FinishedError, match="the game is over"):
        engine("connect-four").search(state)
    with pytest.raises(treeline.FinishedError):
        engine("connect-four").evaluate(state)


def test_options_are_checked_and_listed():
    player = engine("hex", "mcts", exploration=0.25, solver=False)
    assert player.options["exploration"] == "0.25"
    assert player.options["memory"] == "32" and player.options["solver"] == "off"
    assert player.searcher == "mcts" and "exploration=0.25" in repr(player)
    assert engine("hex", "mcts exploration=0.125").options["exploration"] == "0.125"
    names = [name for name, default, meaning in treeline.searcher_options("mcts") if meaning]
    assert "exploration" in names
    assert "memory" in [name for name, _, _ in treeline.searcher_options()]
    for searcher, options, error, word in [
        ("mcts", {"exploration": -7}, treeline.OptionError, "exploration"),
        ("mcts", {"colour": 1}, treeline.OptionError, "colour"),
        ("mtcs", {}, treeline.OptionError, "mtcs"),
        ("mcts", {"network": "/nowhere/x.safetensors"}, treeline.NetworkError, "nowhere"),
        ("mcts", {"memory": 1}, treeline.OptionError, "32"),
        ("mcts", {"device": "abacus"}, treeline.OptionError, "abacus"),
    ]:
        with pytest.raises(error, match=word):
            engine("hex", searcher, **options)
    with pytest.raises(treeline.OptionError, match="abc"):
        treeline.searcher_options("abc")


def test_a_state_of_another_game_is_refused():
    with pytest.raises(treeline.TreelineError, match="plays hex, and the state is one of hex size=5"):
        engine("hex").search(treeline.load("hex size=5").new_initial_state())


def test_networks_by_name_and_by_file_say_the_same():
    state = state_at("breakthrough", 3, 7)
    path = os.path.join(MODELS, "breakthrough-inc128.safetensors")
    said = [
        engine("breakthrough", "ubfm", network=network).evaluate(state)
        for network in ("breakthrough-inc128", path, treeline.Network.read(path))
    ]
    assert -1 <= said[0].value <= 1 and said[0].heuristics
    assert said[0].value == said[1].value == said[2].value
    with pytest.raises(treeline.NetworkError, match="breakthrough"):
        engine("hex", "ubfm", network=path)
    with pytest.raises(treeline.NetworkError):
        treeline.Network.read(__file__)
    assert engine("breakthrough", "ubfm", network=None).evaluate(state).value is None


def cnet(planes, rows, columns, filters=3, neurons=4, seed=1):
    """Tensors of the architecture cnet(filters,neurons), and what it computes, in numpy."""
    rng = np.random.default_rng(seed)
    flat = filters * (rows - 4) * (columns - 4)
    shapes = {
        "conv1.weight": (filters, planes, 3, 3),
        "conv1.bias": (filters,),
        "conv2.weight": (filters, filters, 3, 3),
        "conv2.bias": (filters,),
        "conv3.weight": (filters, filters, 3, 3),
        "conv3.bias": (filters,),
        "dense.weight": (neurons, flat),
        "dense.bias": (neurons,),
        "value.weight": (1, neurons),
        "value.bias": (1,),
    }
    tensors = {name: rng.normal(size=shape).astype(np.float32) / 2 for name, shape in shapes.items()}

    def convolved(x, number, ring):
        weight, bias = tensors[f"conv{number}.weight"], tensors[f"conv{number}.bias"]
        x = np.pad(x, ((0, 0), (ring, ring), (ring, ring)))
        windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (1, 2))
        return np.maximum(np.einsum("cyxij,ocij->oyx", windows, weight) + bias[:, None, None], 0)

    def value(x):
        x = convolved(convolved(convolved(x, 1, 1), 2, 0), 3, 0).ravel()
        x = np.maximum(tensors["dense.weight"] @ x + tensors["dense.bias"], 0)
        return np.tanh(tensors["value.weight"] @ x + tensors["value.bias"])[0]

    return tensors, value


def test_a_network_from_tensors_in_memory_computes_what_they_say():
    game = treeline.load("breakthrough size=6x7")
    tensors, value = cnet(*game.observation_tensor_shape())
    network = treeline.Network(tensors, game, "cnet(3,4)")
    player = treeline.Engine(game, "mcts", network=network, precision="f32", **SMALL)
    for seed in range(5):
        state = state_at(game, seed, 2 + seed)
        assert player.evaluate(state).value == pytest.approx(value(state.planes()), abs=1e-5)
    assert player.options["network"] == "memory" and network.metadata["architecture"] == "cnet(3,4)"
    assert treeline.Engine(game, "ubfm", network=network, **SMALL).search(state, nodes=300).network == "memory"


def test_tensors_that_do_not_fit_are_named():
    game = treeline.load("breakthrough size=6x7")
    tensors, _ = cnet(*game.observation_tensor_shape())
    double = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}
    treeline.Network(double, game, "cnet(3,4)")
    for change, error, word in [
        ({"conv2.bias": np.zeros(5, np.float32)}, treeline.NetworkError, "conv2.bias"),
        ({"conv2.bias": np.zeros(3, np.int64)}, treeline.ShapeError, "conv2.bias.*int64"),
        ({"conv2.bias": np.full(3, np.nan, np.float32)}, treeline.NetworkError, "conv2.bias"),
        ({"other": np.zeros(3, np.float32)}, treeline.NetworkError, "other"),
    ]:
        with pytest.raises(error, match=word):
            treeline.Network({**tensors, **change}, game, "cnet(3,4)")
    with pytest.raises(treeline.NetworkError, match="cnett"):
        treeline.Network(tensors, game, "cnett(3,4)")
    with pytest.raises(treeline.TreelineError, match="version 9"):
        treeline.Network(tensors, game, "cnet(3,4)", encoding=9)
    with pytest.raises(treeline.NetworkError):
        treeline.Engine(treeline.load("hex"), "ubfm", network=treeline.Network(tensors, game, "cnet(3,4)"), **SMALL)


def test_pytorch_tensors_are_taken():
    class Tensor:
        """As much of torch.Tensor as is asked for."""

        def __init__(self, array):
            self.array, self.steps = array, []

        def step(self, name):
            self.steps.append(name)
            return self

        detach, cpu, float = (lambda self, name=name: self.step(name) for name in ("detach", "cpu", "float"))

        def numpy(self):
            assert self.steps == ["detach", "cpu", "float"]
            return self.array

    game = treeline.load("breakthrough size=6x7")
    tensors, value = cnet(*game.observation_tensor_shape())
    wrapped = {name: Tensor(tensor) for name, tensor in tensors.items()} | {"norm.num_batches_tracked": Tensor(1)}
    player = treeline.Engine(game, "mcts", network=treeline.Network(wrapped, game, "cnet(3,4)"), **SMALL)
    state = game.new_initial_state()
    assert player.evaluate(state).value == pytest.approx(value(state.planes()), abs=0.02)


def test_ctrl_c_ends_a_search_and_the_engine_goes_on():
    player = engine("hex")
    state = treeline.load("hex").new_initial_state()
    # Whoever is started in the background of a shell ignores it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        player.search(state, seconds=100_000)
    timer.join()
    signal.signal(signal.SIGINT, before)
    # What was searched is still there.
    assert player.search(state, simulations=10).reused_nodes > 10


def test_cancel_from_another_thread_gives_the_result_so_far():
    player = engine("hex")
    state = treeline.load("hex").new_initial_state()
    timer = threading.Timer(0.3, player.cancel)
    timer.start()
    assert player.search(state, seconds=100_000).simulations > 0
    timer.join()


def test_the_interpreter_is_free_during_a_search_and_a_second_search_waits():
    player = engine("hex")
    state = treeline.load("hex").new_initial_state()
    results = []
    workers = [threading.Thread(target=lambda: results.append(player.search(state, seconds=0.2))) for _ in range(3)]
    [worker.start() for worker in workers]
    turns = 0
    while any(worker.is_alive() for worker in workers):
        turns += 1
        time.sleep(0.001)
    assert turns > 20 and len(results) == 3
    assert max(result.reused_nodes for result in results) > 0
