"""What OpenSpiel's Python code asks of a game's type. Words equal OpenSpiel's own enumerations by name."""

import enum


class _Word(enum.Enum):
    def __eq__(self, other):
        return self.name == getattr(other, "name", None)

    def __hash__(self):
        return hash(self.name)


class PlayerId:
    """Numbers of `current_player()` that are no player's."""

    INVALID = -3
    TERMINAL = -4


class GameType:
    """How a game is played and what it provides, as OpenSpiel's GameType."""

    class Dynamics(_Word):
        SEQUENTIAL = 1

    class ChanceMode(_Word):
        DETERMINISTIC = 0

    class Information(_Word):
        PERFECT_INFORMATION = 1

    class Utility(_Word):
        ZERO_SUM = 0

    class RewardModel(_Word):
        TERMINAL = 1

    def __init__(self, name):
        self.short_name = self.long_name = name
        self.dynamics = self.Dynamics.SEQUENTIAL
        self.chance_mode = self.ChanceMode.DETERMINISTIC
        self.information = self.Information.PERFECT_INFORMATION
        self.utility = self.Utility.ZERO_SUM
        self.reward_model = self.RewardModel.TERMINAL
        self.min_num_players = self.max_num_players = 2
        self.provides_observation_tensor = self.provides_observation_string = True
        self.provides_information_state_tensor = False
        self.provides_information_state_string = True
        self.provides_factored_observation_string = False

    def __repr__(self):
        return f"<GameType {self.short_name}>"


def game_type(game):
    """The type of a treeline.Game."""
    return GameType(game.name)
