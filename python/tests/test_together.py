"""Worlds for several agents, at once and in turns; with PettingZoo, by its own tests."""

from __future__ import annotations

import importlib.util
import json
import pickle
import random
import unittest
import warnings
from typing import Any, List

import hindcast

from .story import WithPlace, run

HAS_PETTINGZOO = importlib.util.find_spec("pettingzoo") is not None


class Together(WithPlace):
    def parallel(self, **more: Any) -> Any:
        return hindcast.parallel_env("prisoners-dilemma", agents=["ada", "bob"], log=self.place / "games.db", **more)

    def turns(self, **more: Any) -> Any:
        return hindcast.aec_env("connect-four", agents=["x", "o"], log=self.place / "turns.db", **more)

    def test_all_act_at_once_and_the_log_has_each_round(self) -> None:
        with self.parallel(seed=1) as env:
            self.assertEqual((env.possible_agents, env.agents, env.max_num_agents), (["ada", "bob"], [], 2))
            observations, infos = env.reset()
            self.assertEqual([set(observations), set(infos)], [{"ada", "bob"}, {"ada", "bob"}])
            self.assertIs(env.action_space("ada"), env.action_space("ada"))
            rewards: List[Any] = []
            while env.agents:
                _, reward, terminations, truncations, _ = env.step({"ada": 0, "bob": 1})
                rewards.append(reward)
            self.assertEqual(len(rewards), 10)
            self.assertEqual(rewards[0], {"ada": 0.0, "bob": 5.0})
            self.assertEqual((terminations["ada"] or truncations["ada"], env.agents, env.num_agents), (True, [], 0))
            with hindcast.Log(env.log) as log:
                commands = list(log.events(task=env.task_id, types=["ActuatorCommanded"]))
                found = log.collective(env.task_id, cooperative=["prisoners-dilemma/step 0"])
                with self.refused("NoSuchAction"):
                    log.collective(env.task_id, cooperative=["prisoners-dilemma/step 7"])
                with self.refused("TaskNotFound"):
                    log.collective("no-such-task")
            self.assertEqual(len(commands), 20)
            chosen = ["--collective", "--cooperative", "prisoners-dilemma/step 0"]
            self.assertEqual(found, json.loads(run("audit", env.task_id, *chosen, "--json", "--log", str(env.log))))
            self.assertEqual(found["cooperative"], ["prisoners-dilemma/step 0"])

    def test_agents_take_turns_until_one_wins(self) -> None:
        with self.turns(seed=1) as env:
            env.reset()
            draws = random.Random(3)
            order: List[str] = []
            ends = {}
            for agent in env.agent_iter():
                order.append(agent)
                _, reward, terminated, truncated, info = env.last()
                if terminated or truncated:
                    self.assertNotIn("action_mask", info)
                    ends[agent] = reward
                    env.step(None)
                    continue
                mask = env.action_mask(agent)
                self.assertEqual(list(info["action_mask"]), mask)
                legal = [column for column, is_legal in enumerate(mask) if is_legal]
                env.step(draws.choice(legal))
            self.assertEqual(order[:4], [*order[:2], *order[:2]])
            self.assertEqual(set(order[:2]), {"x", "o"})
            self.assertEqual(sorted(ends.values()), [-1.0, 1.0])
            self.assertEqual((env.agents, env.agent_selection), ([], None))

    def test_actions_of_a_round_are_collected(self) -> None:
        with hindcast.aec_env("prisoners-dilemma", agents=["ada", "bob"], log=self.place / "cycle.db", seed=1) as env:
            env.reset()
            env.step(0)
            self.assertEqual((env.agent_selection, env.rewards), ("bob", {"ada": 0.0, "bob": 0.0}))
            env.step(1)
            self.assertEqual((env.agent_selection, env.rewards), ("ada", {"ada": 0.0, "bob": 5.0}))
            env.step(0)
            self.assertEqual(env.rewards, {"ada": 0.0, "bob": 0.0})
            self.assertEqual(env.last()[1], 5.0)

    def test_the_same_seed_gives_the_same_episode(self) -> None:
        options = {"rounds": 40, "continuation": 0.5}
        lengths = []
        for _ in range(2):
            with self.parallel(seed=7, options=options) as env:
                env.reset()
                steps = 0
                while env.agents:
                    env.step({"ada": 0, "bob": 0})
                    steps += 1
                lengths.append(steps)
        self.assertEqual(lengths[0], lengths[1])

    def test_refuses_what_is_wrong(self) -> None:
        with self.assertRaisesRegex(hindcast.HindcastError, "take turns. Use hindcast.aec_env"):
            hindcast.parallel_env("connect-four", agents=["x", "o"], log=self.place / "wrong.db").reset()
        with self.refused("InvalidOptions"):
            hindcast.parallel_env("prisoners-dilemma", agents=["ada", "ada"], log=self.place / "wrong.db")
        with self.parallel() as env:
            with self.refused("NoEpisode"):
                env.step({"ada": 0})
            env.reset(seed=1)
            with self.refused("NoSuchAgent"):
                env.step({"eve": 0})
            with self.refused("ActionRefused"):
                env.step({"ada": 9, "bob": 0})
            with self.assertRaises(TypeError):
                pickle.dumps(env)
        with self.turns(seed=1) as env:
            env.reset()
            first = env.agent_selection
            with self.refused("ActionRefused"):
                env.step(70)
            self.assertEqual(env.agent_selection, first)

    def test_is_copied_before_its_first_episode(self) -> None:
        with self.parallel(seed=4) as env:
            with pickle.loads(pickle.dumps(env)) as other:
                self.assertEqual(other.possible_agents, env.possible_agents)
                self.assertIsInstance(other, hindcast.ParallelEnv)


@unittest.skipUnless(HAS_PETTINGZOO, "PettingZoo is not installed")
class OfPettingZoo(WithPlace):
    """PettingZoo's tests pass an option that no world has, so the environments here drop it."""

    count = 0

    def without_options(self, env: Any) -> Any:
        reset = env.reset
        env.reset = lambda seed=None, options=None: reset(seed=seed)
        return env

    def log(self) -> Any:
        type(self).count += 1
        return self.place / f"{self.count}.db"

    def parallel(self) -> Any:
        return self.without_options(
            hindcast.parallel_env("prisoners-dilemma", agents=["ada", "bob"], log=self.log(), seed=1)
        )

    def cycle(self, world: str) -> Any:
        return self.without_options(hindcast.aec_env(world, agents=["x", "o"], log=self.log(), seed=1))

    def setUp(self) -> None:
        # PettingZoo recommends spaces and names.
        warnings.simplefilter("ignore")
        self.addCleanup(warnings.resetwarnings)

    def test_passes_the_tests_of_parallel_environments(self) -> None:
        import pettingzoo
        from pettingzoo.test import parallel_api_test, parallel_seed_test

        env = self.parallel()
        self.assertIsInstance(env, pettingzoo.ParallelEnv)
        parallel_api_test(env, num_cycles=100)
        env.close()
        parallel_seed_test(self.parallel, num_cycles=20)

    def test_passes_the_tests_of_environments_with_turns(self) -> None:
        import pettingzoo
        from pettingzoo.test import api_test, seed_test

        for world in ("connect-four", "prisoners-dilemma"):
            env = self.cycle(world)
            self.assertIsInstance(env, pettingzoo.AECEnv)
            api_test(env, num_cycles=50)
            env.close()
        seed_test(lambda: self.cycle("prisoners-dilemma"), num_cycles=20)


if __name__ == "__main__":
    unittest.main()
