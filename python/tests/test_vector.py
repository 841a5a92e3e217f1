"""Several episodes of one world at a time, with Gymnasium or without."""

from __future__ import annotations

import copy
import importlib.util
import json
import unittest
from pathlib import Path
from typing import Any, Dict, List

import hindcast

from .story import WithPlace

GOLDEN = Path(__file__).parents[2] / "test" / "golden" / "worlds" / "autoreset.json"

#: Three cart poles of Gymnasium in each mode, with the actions 0, 1, 0.
RUNS: Dict[str, List[Any]] = json.loads(GOLDEN.read_text())["runs"]

HAS_GYMNASIUM = importlib.util.find_spec("gymnasium") is not None


def plain(value: Any) -> Any:
    """Arrays as lists, also in lists."""
    found = value.tolist() if hasattr(value, "tolist") else value
    return [plain(part) for part in found] if isinstance(found, (list, tuple)) else found


class Vectors(WithPlace):
    def setUp(self) -> None:
        self.log = self.place / f"{self._testMethodName}.db"

    def open(self, count: int = 3, world: str = "cart-pole", **arguments: Any) -> Any:
        envs = hindcast.make_vec(world, count, log=self.log, **arguments)
        self.addCleanup(envs.close)
        return envs

    def test_each_mode_steps_as_gymnasium_does(self) -> None:
        for mode, calls in RUNS.items():
            with self.subTest(mode), self.open(autoreset=mode) as envs:
                self.assertGreater(len([call for call in calls if call["call"] == "step"]), 14)
                for index, call in enumerate(calls):
                    if call["call"] == "reset":
                        observations, _ = envs.reset(seed=call["seed"], options=call["options"])
                        self.assertEqual((index, plain(observations)), (index, call["obs"]))
                        continue
                    observations, rewards, terminated, truncated, infos = envs.step([0, 1, 0])
                    found = [plain(part) for part in (observations, rewards, terminated, truncated)]
                    self.assertEqual(
                        (index, found),
                        (index, [call["obs"], call["reward"], call["terminated"], call["truncated"]]),
                    )
                    final = call["final"]
                    self.assertEqual("final_obs" in infos, final is not None)
                    if final is not None:
                        self.assertEqual(plain(infos["final_obs"]), final)
                        self.assertEqual(plain(infos["_final_info"]), [one is not None for one in final])

    def test_seeds_of_slots_follow_by_one_and_go_on_without_a_seed(self) -> None:
        with self.open(2, seed=5) as envs:
            first, _ = envs.reset()
            again, _ = envs.reset(seed=[5, 6])
            self.assertEqual(plain(first), plain(again))
            on, _ = envs.reset()
            self.assertNotEqual(plain(on), plain(first))
            repeated = [plain(envs.reset(seed=5)[0]), plain(envs.reset()[0])]
            self.assertEqual(repeated, [plain(first), plain(on)])
        with self.open(2) as one, self.open(2) as other:
            self.assertNotEqual(plain(one.reset()[0]), plain(other.reset()[0]))

    def test_every_episode_is_a_task_of_the_log(self) -> None:
        with self.open(2, seed=1, policy="right@1") as envs:
            self.assertEqual(envs.task_ids, [])
            envs.reset()
            begun = envs.task_ids
            for _ in range(12):
                envs.step([1, 1])
            self.assertNotEqual(envs.task_ids, begun)
            ended = [*begun, *envs.task_ids]
        with hindcast.Log(self.log) as log:
            tasks = {task["id"]: task for task in log.tasks()}
        self.assertEqual(sorted(tasks), sorted(ended))
        self.assertEqual({tasks[task]["agent"] for task in begun}, {"right@1"})
        self.assertNotIn("truncated", {tasks[task]["outcome"] for task in begun})
        # Those in progress at the end are cut.
        self.assertEqual({tasks[task]["outcome"] for task in ended[2:]}, {"truncated"})

    def test_masks_and_infos_are_by_slot(self) -> None:
        with self.open(3, "taxi", seed=3) as envs:
            _, infos = envs.reset()
            self.assertEqual(plain(infos["_prob"]), [True] * 3)
            self.assertEqual([len(mask) for mask in envs.action_masks()], [6] * 3)

    def test_misuse_is_told_and_steps_nothing(self) -> None:
        with self.open(2) as envs:
            with self.refused("VectorMisused"):
                envs.step([0, 0])
            before, _ = envs.reset(seed=1)
            for wrong in ([0], [0, 0, 0]):
                with self.refused("VectorMisused"):
                    envs.step(wrong)
            with self.assertRaises(hindcast.Refused) as caught:
                envs.step([0, 7])
            self.assertEqual(caught.exception.tag, "VectorRefused")
            self.assertIn("slot 1", str(caught.exception))
            with self.assertRaises(hindcast.NotJson):
                envs.step([0, float("nan")])
            with self.assertRaisesRegex(ValueError, "reset_mask alone"):
                envs.reset(options={"length": 3})
            for seed in (-1, 2**53, True, "1"):
                with self.assertRaises(ValueError):
                    envs.reset(seed=seed)
            with self.assertRaises(hindcast.Refused):
                envs.reset(seed=[1, 2, 3])
            with self.assertRaises(hindcast.Refused):
                envs.reset(options={"reset_mask": [False, False]})
            self.assertEqual(plain(envs.reset(seed=1)[0]), plain(before))
            with self.assertRaises(TypeError):
                copy.deepcopy(envs)
        with self.assertRaisesRegex(hindcast.HindcastError, "was closed"):
            envs.reset()
        with self.assertRaisesRegex(ValueError, "NextStep, SameStep, Disabled"):
            self.open(autoreset="Never")
        for count in (0, 1.5, 10**9):
            with self.assertRaises(hindcast.Refused):
                self.open(count)  # type: ignore[arg-type]

    def test_a_vector_and_a_world_share_the_log(self) -> None:
        with self.open(2, seed=1) as envs, hindcast.make("cart-pole", log=self.log, seed=1) as env:
            self.assertEqual(plain(envs.reset()[0])[0], plain(env.reset()[0]))
            self.assertEqual(plain(envs.step([1, 0])[0])[0], plain(env.step(1)[0]))

    @unittest.skipUnless(HAS_GYMNASIUM, "needs Gymnasium")
    def test_with_gymnasium_it_is_one_of_its_vectors(self) -> None:
        import gymnasium
        import numpy as np
        from gymnasium.vector import AutoresetMode, VectorEnv
        from gymnasium.wrappers.vector import NormalizeObservation, RecordEpisodeStatistics

        with self.open(4, seed=1, autoreset=AutoresetMode.NEXT_STEP) as envs:
            self.assertIsInstance(envs, VectorEnv)
            self.assertIs(envs.metadata["autoreset_mode"], AutoresetMode.NEXT_STEP)
            wrapped = RecordEpisodeStatistics(NormalizeObservation(envs))
            observations, _ = wrapped.reset()
            self.assertTrue(wrapped.observation_space.contains(observations))
            for _ in range(30):
                observations, rewards, terminated, truncated, _ = wrapped.step(wrapped.action_space.sample())
                self.assertEqual((observations.dtype, rewards.dtype), (np.float32, np.float64))
                self.assertEqual((terminated.dtype, truncated.dtype), (np.bool_, np.bool_))
            self.assertGreater(wrapped.episode_count, 0)
        ours = self.open(3, seed=7)
        theirs = gymnasium.vector.SyncVectorEnv([lambda: gymnasium.make("CartPole-v1")] * 3)
        self.addCleanup(theirs.close)
        self.assertTrue((ours.reset()[0] == theirs.reset(seed=7)[0]).all())
        for step in range(60):
            action = np.array([step % 2, 1, 0])
            one, other = ours.step(action), theirs.step(action)
            for mine, its in zip(one[:4], other[:4]):
                np.testing.assert_array_equal(mine, its)


if __name__ == "__main__":
    unittest.main()
