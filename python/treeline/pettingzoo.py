"""Games as PettingZoo environments (AEC). Needs `pip install pettingzoo`.

    from treeline.pettingzoo import env
    environment = env("connect-four")
    environment.reset()
    for agent in environment.agent_iter():
        observation, reward, termination, truncation, info = environment.last()
        over = termination or truncation
        action = None if over else environment.action_space(agent).sample(observation["action_mask"])
        environment.step(action)

Observations are {"observation": float32 [planes, rows, columns], "action_mask": int8 [num_distinct_actions]}: the planes of
version 2, the view of the player to move, and the legal actions, which are none while the other agent is to move.
"""

import gymnasium
import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

import treeline


def env(game, render_mode=None):
    """The environment of a game, a `treeline.Game` or what `treeline.load` takes, with PettingZoo's usual checks around it."""
    environment = wrappers.TerminateIllegalWrapper(raw_env(game, render_mode), illegal_reward=-1)
    environment = wrappers.AssertOutOfBoundsWrapper(environment)
    return wrappers.OrderEnforcingWrapper(environment)


class raw_env(AECEnv):
    """The environment alone: an illegal action raises treeline.IllegalActionError."""

    metadata = {"render_modes": ["human", "ansi"], "is_parallelizable": False, "render_fps": 2}

    def __init__(self, game, render_mode=None):
        super().__init__()
        self.game = treeline.load(game) if isinstance(game, str) else game
        self.metadata = {**self.metadata, "name": f"treeline_{self.game.name.replace('-', '_')}"}
        self.render_mode = render_mode
        self.possible_agents = ["player_0", "player_1"]
        actions = self.game.num_distinct_actions()
        shape = tuple(self.game.observation_tensor_shape())
        self.action_spaces = {agent: gymnasium.spaces.Discrete(actions) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: gymnasium.spaces.Dict(
                {
                    "observation": gymnasium.spaces.Box(0.0, np.inf, shape, np.float32),
                    "action_mask": gymnasium.spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.state_now = None

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def action_space(self, agent):
        return self.action_spaces[agent]

    def observe(self, agent):
        player = self.possible_agents.index(agent)
        mask = self.state_now.legal_actions_mask(player)
        return {"observation": self.state_now.planes(), "action_mask": mask.view(np.int8)}

    def reset(self, seed=None, options=None):
        """Begins a game, at `options["position"]` if that is given. Nothing is random."""
        self.state_now = self.game.new_initial_state((options or {}).get("position"))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, self.state_now.is_terminal())
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[max(self.state_now.current_player(), 0)]

    def step(self, action):
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        self.state_now.apply_action(int(action))
        if self.state_now.is_terminal():
            self.rewards = dict(zip(self.agents, self.state_now.returns(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.possible_agents[1 - self.possible_agents.index(self.agent_selection)]
        else:
            self.agent_selection = self.possible_agents[self.state_now.current_player()]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self):
        """The board: returned as text in the mode "ansi", printed in "human"."""
        if self.render_mode is None:
            gymnasium.logger.warn("this environment was made without a render_mode")
            return None
        text = str(self.state_now)
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def close(self):
        pass
