"""Worlds as environments."""

from __future__ import annotations

import copy
import gzip
import importlib.util
import json
import os
import pickle
import signal
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

import hindcast

from .story import WithPlace

GOLD = Path(__file__).resolve().parents[2] / "test" / "golden" / "worlds" / "gold.json.gz"

HAS_GYMNASIUM = importlib.util.find_spec("gymnasium") is not None


class Environments(WithPlace):
    def make(self, world: str = "cart-pole", **arguments: Any) -> Any:
        env = hindcast.make(world, **{"log": self.place / "worlds.db", **arguments})
        self.addCleanup(env.close)
        return env

    def test_play_the_episodes_that_gymnasium_plays(self) -> None:
        with gzip.open(GOLD) as file:
            gold = json.load(file)
        for name, world in (
            ("cartpole", "cart-pole"),
            ("frozenlake", "frozen-lake"),
            ("taxi_rainy_fickle", "taxi"),
            ("blackjack", "blackjack"),
        ):
            env = self.make(world)
            for episode in [one for one in gold[name]["episodes"] if one["episode"] == 0][:2]:
                observation, _ = env.reset(seed=episode["seed"], options=gold[name]["options"])
                self.assertEqual(_listed(observation), episode["reset"])
                for number, (action, *expected) in enumerate(episode["steps"][:40]):
                    observation, reward, terminated, truncated, _ = env.step(action)
                    found = [_listed(observation), reward, terminated, truncated]
                    self.assertEqual(found, expected, (name, episode["seed"], number))
            env.close()

    def test_record_each_episode_as_a_task(self) -> None:
        env = self.make(goal="Balance")
        with self.assertRaisesRegex(hindcast.HindcastError, "Call reset first"):
            env.task_id
        with self.refused("NoEpisode"):
            env.step(0)
        env.reset(seed=1)
        first = env.task_id
        env.step(1)
        env.reset()
        self.assertNotEqual(env.task_id, first)
        second = env.task_id
        while True:
            _, _, terminated, truncated, _ = env.step(1)
            if terminated or truncated:
                break
        with hindcast.Log(env.log) as log:
            task = log.task(first)
            self.assertEqual((task["goal"], task["outcome"], task["steps"]), ("Balance", "truncated", 1))
            env.close()
            self.assertEqual(log.task(second)["outcome"], "failed")
            opened = log.events(task=first, types=["TaskOpened"]).first()
            assert opened is not None
            self.assertEqual(opened["payload"]["seed"], 1)
        env.close()
        with self.assertRaisesRegex(hindcast.HindcastError, "closed"):
            env.reset()

    def test_the_seed_of_make_leads_to_the_same_episodes(self) -> None:
        def episodes(env: Any) -> list[Any]:
            return [_listed(env.reset()[0]) for _ in range(3)]

        first = episodes(self.make(seed=5))
        self.assertEqual(episodes(self.make(seed=5)), first)
        self.assertEqual(_listed(self.make().reset(seed=5)[0]), first[0])
        self.assertEqual(len({json.dumps(one) for one in first}), 3)
        for seed in (-1, 2**53, True, 1.5, "1"):
            with self.subTest(seed=seed), self.assertRaises(ValueError):
                self.make(seed=seed)

    def test_have_spaces_with_their_values_inside(self) -> None:
        for world in ("cart-pole", "frozen-lake", "pendulum", "minigrid", "text-rooms", "grid-world"):
            with self.subTest(world):
                env = self.make(world)
                observation, _ = env.reset(seed=3)
                self.assertTrue(env.observation_space.contains(observation), observation)
                env.action_space.seed(1)
                self.assertTrue(env.action_space.contains(env.action_space.sample()))
                self.assertIs(env.observation_space, env.observation_space)
                env.close()
        env = self.make("frozen-lake", options={"map_name": "8x8"})
        env.reset(seed=1)
        self.assertEqual(env.observation_space.n, 64)
        mask = self.make("taxi")
        mask.reset(seed=1)
        self.assertEqual(len(mask.action_mask()), 6)
        plain = self.make()
        plain.reset(seed=1)
        self.assertIsNone(plain.action_mask())

    def test_refuse_actions_outside_the_space_and_go_on(self) -> None:
        env = self.make("pendulum")
        env.reset(seed=1)
        for action in ([5.0], [], "left", None, {"__proto__": 1}):
            with self.subTest(action=action), self.refused("ActionRefused"):
                env.step(action)
        for action in ([float("nan")], [float("inf")], object()):
            with self.subTest(action=action), self.assertRaises(hindcast.NotJson):
                env.step(action)
        self.assertEqual(len(env.step([0.5])), 5)

    def test_say_which_worlds_there_are(self) -> None:
        self.assertIn("cart-pole", hindcast.worlds())
        with self.refused("BadInput") as caught:
            self.make("cartpole")
        self.assertIn("Did you mean cart-pole?", str(caught.exception))  # type: ignore[attr-defined]
        empty = self.place / "empty"
        empty.mkdir()
        with self.assertRaisesRegex(hindcast.Refused, "looper-plugin.json"):
            self.make(empty)
        with self.assertRaisesRegex(ValueError, "render_mode"):
            self.make(render_mode="human")
        with self.refused("InvalidOptions"):
            self.make(gate="open")
        self.make()
        with self.refused("OtherSettings"):
            self.make(gate="allow")

    def test_draw_themselves(self) -> None:
        env = self.make(render_mode="ansi")
        env.reset(seed=1)
        self.assertIn("Step 0", env.render())
        self.assertTrue(env.svg().startswith("<svg"))
        self.assertIsNone(self.make().render())
        self.assertEqual(env.state()["episode"]["step"], 0)

    def test_can_be_copied_before_an_episode_and_not_in_one(self) -> None:
        env = self.make(seed=3)
        copied = pickle.loads(pickle.dumps(env))
        self.addCleanup(copied.close)
        self.assertIs(type(copied), hindcast.Env)
        self.assertEqual(_listed(copied.reset()[0]), _listed(env.reset()[0]))
        for copying in (pickle.dumps, copy.copy, copy.deepcopy):
            with self.subTest(copying.__name__), self.assertRaisesRegex(TypeError, env.task_id):
                copying(env)

    def test_an_environment_that_nobody_has_any_more_is_closed(self) -> None:
        log = self.place / "forgotten.db"
        env = self.make(log=log)
        env.reset(seed=1)
        task = env.task_id
        self.doCleanups()
        del env
        with hindcast.Log(log) as opened:
            self.assertEqual(opened.task(task)["outcome"], "truncated")

    def test_the_log_is_free_when_the_last_environment_closes(self) -> None:
        log = self.place / "lease.db"
        one, two = self.make(log=log), self.make(log=log)
        one.close()
        other = hindcast.Connection()
        self.addCleanup(other.close)
        making = {"world": "cart-pole", "log": str(log)}
        with self.refused("LeaseHeld"):
            other.request("world.make", making)
        two.close()
        other.request("world.make", making)

    @unittest.skipUnless(hasattr(signal, "SIGKILL"), "this system has no such signal")
    def test_the_episode_of_a_killed_process_ends_as_truncated(self) -> None:
        log = self.place / "killed.db"
        program = (
            "import hindcast, os, signal, sys\n"
            "env = hindcast.make('cart-pole', log=sys.argv[1])\n"
            "env.reset(seed=1); env.step(1)\n"
            "print(env.task_id, env._connection._transport._process.pid, flush=True)\n"
            "os.kill(os.getpid(), signal.SIGKILL)\n"
        )
        ended = subprocess.run([sys.executable, "-c", program, str(log)], capture_output=True, text=True)
        self.assertEqual(ended.returncode, -signal.SIGKILL, ended.stderr)
        task, _ = ended.stdout.split()
        with hindcast.Log(log) as opened:
            # The program notices the end of its input, and closes the task.
            while opened.task(task)["outcome"] is None:
                pass
            self.assertEqual((opened.task(task)["outcome"], opened.task(task)["steps"]), ("truncated", 1))

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_a_forked_process_cannot_act_and_the_parent_goes_on(self) -> None:
        env = self.make()
        env.reset(seed=1)
        child = os.fork()
        if child == 0:
            try:
                env.step(1)
            except hindcast.ForkedProcess:
                env.close()
                os._exit(7)
            finally:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        self.assertEqual(os.WEXITSTATUS(status), 7)
        self.assertEqual(len(env.step(1)), 5)

    @unittest.skipUnless(HAS_GYMNASIUM, "Gymnasium is not installed")
    def test_are_environments_of_gymnasium(self) -> None:
        import gymnasium
        import numpy as np
        from gymnasium.utils.env_checker import check_env

        worlds = ("cart-pole", "frozen-lake", "taxi", "pendulum", "mountain-car", "minigrid")
        for world in (*worlds, "mountain-car-continuous", "blackjack"):
            with self.subTest(world):
                env = self.make(world, render_mode="ansi")
                self.assertIsInstance(env, gymnasium.Env)
                check_env(env)
                env.close()
        env = self.make()
        observation, _ = env.reset(seed=42)
        self.assertEqual((observation.dtype, observation.flags.writeable), (np.float32, True))
        again = gymnasium.make(env.spec)
        self.addCleanup(again.close)
        self.assertTrue(np.array_equal(again.reset(seed=42)[0], observation))
        vector = gymnasium.vector.SyncVectorEnv([self.make, self.make])
        observations, _ = vector.reset(seed=[1, 2])
        self.assertEqual(observations.shape, (2, 4))
        vector.step(vector.action_space.sample())
        vector.close()

    @unittest.skipIf(HAS_GYMNASIUM, "Gymnasium is installed")
    def test_need_neither_gymnasium_nor_numpy(self) -> None:
        env = self.make()
        observation, _ = env.reset(seed=42)
        self.assertIsInstance(observation, list)
        self.assertIs(env.unwrapped, env)
        self.assertIs(type(env), hindcast.Env)
        self.assertNotIn("numpy", sys.modules)


class Spaces(unittest.TestCase):
    DISCRETE = {"type": "Discrete", "n": 3, "start": -1}
    BOX = {"type": "Box", "dtype": "uint8", "shape": [2, 2], "low": 0, "high": [[1, 2], [3, 255]]}

    def test_contain_what_they_sample(self) -> None:
        for json_ in (
            self.DISCRETE,
            self.BOX,
            {"type": "Box", "dtype": "bool", "shape": [2], "low": False, "high": True},
            {"type": "Box", "dtype": "float64", "shape": [3], "low": ["-Infinity", 0, "-Infinity"], "high": [1, "Infinity", "Infinity"]},
            {"type": "MultiDiscrete", "nvec": [[2, 3], [4, 5]], "start": [[0, 1], [2, 3]]},
            {"type": "MultiBinary", "n": [2, 2]},
            {"type": "Tuple", "subspaces": [self.DISCRETE, self.BOX]},
            {"type": "Dict", "subspaces": {"a": self.DISCRETE, "__proto__": self.BOX}},
            {"type": "Text", "max_length": 5, "charset": "ab"},
            {"type": "Text", "min_length": 0, "max_length": 5},
            {"type": "Sequence", "feature_space": self.DISCRETE},
            {"type": "Graph", "node_space": self.BOX, "edge_space": self.DISCRETE},
            {"type": "Graph", "node_space": self.BOX},
            {"type": "OneOf", "subspaces": [self.DISCRETE, self.BOX]},
        ):
            space = hindcast.spaces.from_json(json_)
            space.seed(7)
            samples = [space.sample() for _ in range(50)]
            with self.subTest(repr(space)):
                self.assertTrue(all(sample in space for sample in samples))
                self.assertEqual(samples, [space.seed(7), *(space.sample() for _ in range(50))][1:])
                for other in (None, "abcdef", [], [[0]], {"a": 0}, 7.5, float("nan"), {"nodes": [], "edges": [1]}):
                    if not (json_["type"] == "Sequence" and other == []):
                        self.assertFalse(other in space, other)

    @unittest.skipUnless(HAS_GYMNASIUM, "Gymnasium is not installed")
    def test_are_those_of_gymnasium(self) -> None:
        from hindcast._gymnasium import converter, space_of

        for json_ in (
            self.DISCRETE,
            self.BOX,
            {"type": "Box", "dtype": "float32", "shape": [2], "low": "-Infinity", "high": "Infinity"},
            {"type": "MultiDiscrete", "nvec": [2, 3]},
            {"type": "MultiBinary", "n": 3},
            {"type": "Tuple", "subspaces": [self.DISCRETE, self.BOX]},
            {"type": "Dict", "subspaces": {"a": self.DISCRETE, "b": self.BOX}},
            {"type": "Text", "max_length": 5},
            {"type": "Text", "max_length": 5, "charset": "ab"},
            {"type": "Sequence", "feature_space": {"type": "Box", "dtype": "float32", "shape": [2], "low": 0, "high": 1}},
            {"type": "OneOf", "subspaces": [self.DISCRETE, self.BOX]},
        ):
            ours, theirs = hindcast.spaces.from_json(json_), space_of(json_)
            ours.seed(3)
            for _ in range(20):
                value = ours.sample()
                with self.subTest(repr(ours), value=value):
                    self.assertTrue(theirs.contains(converter(json_)(value)))


def _listed(value: Any) -> Any:
    """A value of numpy's, or a tuple, as one of JSON."""
    if isinstance(value, tuple):
        return [_listed(part) for part in value]
    return value.tolist() if hasattr(value, "tolist") else value
