"""Drives one Gymnasium environment for `treeline learn --environment`: requests on stdin, answers on stdout.

A request is a JSON object on a line. An answer is one, too; where it says "bytes", so many bytes follow: the observation.

  {"make": "ALE/Pong-v5", "side": 84, "skip": 4, "no-ops": 30, "sticky": 0.0, "lives": false, "all-actions": false, "length": 27000}
      {"name": "ALE/Pong-v5", "actions": 6, "frames": 84, "copies": true}      or "numbers": 4 instead of "frames"
  {"reset": 7}                  begins an episode; the number is a seed
      {"bytes": 7056}
  {"step": 3}                   an action
      {"reward": 1.0, "terminated": false, "truncated": false, "frames": 4, "bytes": 7056}
  {"copy": 5}                   keeps the state of now under a number; {"restore": 5} brings it back, {"forget": 5} drops it
      {}; of "restore" {"bytes": 7056}

Whatever goes wrong is {"error": "a sentence"}. Frames are grey, one byte a pixel; numbers 32-bit floats, little-endian.

Of a game of the Arcade Learning Environment a step is `skip` frames, of which the last two give each pixel its larger value; an
episode begins with up to `no-ops` steps of doing nothing (Mnih et al. 2015); `sticky` is the chance that an action is repeated
(Machado et al. 2018); with `lives` a lost life ends an episode for the learner, and the game goes on; `length` is the most steps.
"""

import json
import os
import sys


def grey_frames(name, wanted):
    """One of the Arcade Learning Environment's."""
    import ale_py
    import gymnasium
    from gymnasium.wrappers import AtariPreprocessing

    gymnasium.register_envs(ale_py)
    made = gymnasium.make(
        name,
        frameskip=1,
        repeat_action_probability=wanted["sticky"],
        full_action_space=wanted["all-actions"],
        max_num_frames_per_episode=wanted["length"] * wanted["skip"],
    )
    return AtariPreprocessing(
        made, noop_max=wanted["no-ops"], frame_skip=wanted["skip"], screen_size=wanted["side"], terminal_on_life_loss=wanted["lives"]
    )


class Served:
    """The environment and its copies."""

    def __init__(self, wanted):
        import gymnasium

        name = wanted["make"]
        self.atari = name.startswith("ALE/")
        self.environment = grey_frames(name, wanted) if self.atari else gymnasium.make(name, max_episode_steps=wanted["length"])
        if not isinstance(self.environment.action_space, gymnasium.spaces.Discrete):
            raise ValueError(f"{name} has no numbered actions: {self.environment.action_space}")
        self.first = int(self.environment.action_space.start)
        space = self.environment.observation_space
        if not isinstance(space, gymnasium.spaces.Box):
            raise ValueError(f"{name} shows neither pixels nor numbers: {space}")
        if not self.atari and len(space.shape) != 1:
            raise ValueError(f"{name} shows {space.shape}; only ALE/… may show pixels")
        self.skip = wanted["skip"] if self.atari else 1
        self.copies, self.now = {}, None
        shape = {"frames": wanted["side"]} if self.atari else {"numbers": int(space.shape[0])}
        actions = int(self.environment.action_space.n)
        self.about = {"name": name, "actions": actions, "copies": self.atari, **shape}

    def shown(self, observation):
        import numpy

        self.now = numpy.asarray(observation, dtype=numpy.uint8 if self.atari else "<f4").tobytes()
        return self.now

    def answer(self, request):
        """The answer and the observation that follows it, if one does."""
        (word, value), *_ = request.items()
        if word == "reset":
            observation, _ = self.environment.reset(seed=value)
            return {}, self.shown(observation)
        if word == "step":
            observation, reward, terminated, truncated, _ = self.environment.step(self.first + value)
            told = {"reward": float(reward), "terminated": bool(terminated), "truncated": bool(truncated), "frames": self.skip}
            return told, self.shown(observation)
        if not self.atari:
            raise ValueError("this environment's state cannot be copied")
        if word == "copy":
            # The wrapper counts lives by itself.
            self.copies[value] = (self.environment.unwrapped.clone_state(), self.environment.lives, self.now)
            return {}, None
        if word == "restore":
            state, self.environment.lives, self.now = self.copies[value]
            self.environment.unwrapped.restore_state(state)
            return {}, self.now
        if word == "forget":
            self.copies.pop(value, None)
            return {}, None
        raise ValueError(f"unknown request {word}")


def main():
    # What an environment prints must not get among the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    served = None
    for line in sys.stdin:
        told, observation = {}, None
        try:
            request = json.loads(line)
            if served is None:
                served = Served(request)
                told = served.about
            else:
                told, observation = served.answer(request)
        except Exception as error:
            told, observation = {"error": f"{type(error).__name__}: {error}"}, None
        if observation is not None:
            told = {**told, "bytes": len(observation)}
        answers.write(json.dumps(told).encode() + b"\n" + (observation or b""))
        answers.flush()


if __name__ == "__main__":
    main()
