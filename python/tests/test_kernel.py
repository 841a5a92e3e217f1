"""Agents in Python on tasks of the kernel, and rewards that a program gives."""

from __future__ import annotations

import asyncio
import datetime
import json
import os
import pathlib
import signal
import subprocess
import sys
from typing import Any, Dict, List, Literal, Mapping, Optional
import unittest

import hindcast
from hindcast._signature import schema_of

from .story import WithPlace


@hindcast.tool(risk="low")
def lookup(id: int, fields: List[str] = []) -> Dict[str, Any]:
    """Looks a customer up."""
    if id == 3:
        raise KeyError("three")
    return {"id": id, "fields": fields}


@hindcast.sensor
def clock() -> int:
    """The hour."""
    return 12


@hindcast.agent("balancer", "1.2.0")
def balancer(view: hindcast.View) -> Dict[str, Any]:
    """Pushes a pole where it falls."""
    _, _, angle, speed = view.readings["cart-pole/observation"]
    if view.step == 5:
        return {"done": "achieved", "reason": "five steps"}
    return {"act": "cart-pole/step", "args": {"action": 1 if angle + speed > 0 else 0}}


#: Works on a task until its parent kills it.
ENDLESS = """
import sys, hindcast

@hindcast.agent("balancer", "1.2.0")
def balancer(view):
    if view.step == 3:
        print(view.task, flush=True)
        sys.stdin.read()
    _, _, angle, speed = view.readings["cart-pole/observation"]
    return {"act": "cart-pole/step", "args": {"action": 1 if angle + speed > 0 else 0}}

with hindcast.Kernel(sys.argv[1], worlds=["cart-pole"], gate="allow") as kernel:
    kernel.run(balancer, "Keep the pole up", seed=7)
"""


class OnTasks(WithPlace):
    def place_of(self) -> str:
        return str(self.place / f"{self._testMethodName}.db")

    def types(self, log: str, task: str) -> List[str]:
        with hindcast.Log(log) as opened:
            return [event["type"] for event in opened.events(task=task)]

    def test_an_agent_calls_tools_through_the_gate_and_repeats_its_task(self) -> None:
        seen: List[Any] = []

        @hindcast.agent("clerk")
        def clerk(view: hindcast.View) -> Any:
            seen.append([view.step, view.readings, (view.last_outcome or {}).get("status"), view.random()])
            self.assertEqual([past["step"] for past in view.history], list(range(view.step)))
            self.assertEqual([one["name"] for one in view.actuators], ["program/lookup"])
            if view.step == 3:
                return {"done": "achieved"}
            return {"act": "program/lookup", "args": [{"id": 1}, {"id": "x"}, {"id": 3}][view.step]}

        log = self.place_of()
        with hindcast.Kernel(log, tools=[lookup], sensors=[clock]) as kernel:
            audit = kernel.run(clerk, "Find them", seed=1)
            self.assertEqual((audit["outcome"], audit["agent"]), ("achieved", "clerk@1.0.0"))
            live, seen[:] = list(seen), []
            report = kernel.replay(clerk, audit["taskId"])
            self.assertEqual((report["verdict"], report["divergence"]), ("identical", None))
            self.assertEqual(seen, live)
        self.assertEqual([one[2] for one in seen], [None, "succeeded", "denied", "failed"])
        self.assertTrue(all(one[1] == {"program/clock": 12} for one in seen))
        self.assertEqual(len({one[3] for one in seen}), 4)
        types = self.types(log, audit["taskId"])
        wanted = ("CommandSucceeded", "CommandDenied", "CommandFailed", "DecisionMade")
        self.assertEqual([types.count(one) for one in wanted], [1, 1, 1, 4])

    def test_the_gate_refuses_what_a_person_would_have_to_allow(self) -> None:
        called: List[int] = []

        def erase(id: int) -> None:
            called.append(id)

        statuses: List[Any] = []

        @hindcast.agent("clerk")
        async def clerk(view: hindcast.View) -> Any:
            statuses.append((view.last_outcome or {}).get("status"))
            return {"done": "failed"} if view.step == 1 else {"act": "program/erase", "args": {"id": 1}}

        with hindcast.Kernel(self.place_of(), tools=[erase], gate="deny") as kernel:
            kernel.run(clerk, "Erase it")
        self.assertEqual((statuses, called), ([None, "denied"], []))

    def test_an_agent_acts_in_a_world_and_another_continues_from_a_moment(self) -> None:
        log = self.place_of()
        with hindcast.Kernel(log, worlds=["cart-pole"], gate="allow") as kernel:
            self.assertEqual(kernel.plugins, ["cart-pole"])
            audit = kernel.run(balancer, "Keep the pole up", seed=42)
            with hindcast.Log(log) as opened:
                (_, second, *_) = opened.events(task=audit["taskId"], types=["SensorRead"])

            @hindcast.agent("balancer", "1.2.0")
            def lefty(view: hindcast.View) -> Any:
                if view.step < 1:
                    return balancer.decide(view)
                return {"act": "cart-pole/step", "args": {"action": 0}} if view.step < 3 else {"done": "failed"}

            forked = kernel.fork(lefty, f"@{second['position']}")
            self.assertEqual(forked["timeline"], "fork-1")
            report = kernel.replay(lefty, audit["taskId"])
            self.assertEqual(report["verdict"], "diverged")
        with hindcast.Log(log) as opened:
            self.assertEqual(opened.task(audit["taskId"])["outcome"], "achieved")
            forks = [task["outcome"] for task in opened.tasks() if task["id"] == audit["taskId"]]
        with hindcast.Log(log, timeline="fork-1") as opened:
            self.assertEqual(opened.task(audit["taskId"])["outcome"], "failed")
        self.assertEqual(forks, ["achieved", "failed"])
        with hindcast.make("cart-pole", log=self.place / "same.db", seed=42) as env:
            observation, _ = env.reset()
            for _ in range(5):
                observation = env.step(1 if observation[2] + observation[3] > 0 else 0)[0]
        with hindcast.Log(log) as opened:
            readings = [event["payload"]["reading"] for event in opened.events(task=audit["taskId"], types=["SensorRead"])]
        self.assertEqual([float(one) for one in observation], readings[-1])

    @unittest.skipUnless(hasattr(os, "fork"), "needs signals")
    def test_a_killed_process_leaves_a_task_that_another_resumes(self) -> None:
        log = self.place_of()
        program = [sys.executable, "-c", ENDLESS, log]
        with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            task = process.stdout.readline().strip()
            process.send_signal(signal.SIGKILL)
        while True:
            try:
                kernel = hindcast.Kernel(log, worlds=["cart-pole"], gate="allow")
                break
            except hindcast.Refused as refused:
                # Its program needs a moment to notice.
                self.assertEqual(refused.tag, "LeaseHeld")
        with kernel:
            self.assertEqual([one["taskId"] for one in kernel.unfinished()], [task])
            audit = kernel.resume(balancer, task)
            whole = kernel.run(balancer, "Keep the pole up", seed=7)
        self.assertEqual((audit["taskId"], audit["outcome"]), (task, "achieved"))
        self.assertEqual(self.types(log, task).count("TaskResumed"), 1)
        with hindcast.Log(log) as opened:
            reached = [
                [event["payload"]["reading"] for event in opened.events(task=one, types=["SensorRead"])][-1]
                for one in (task, whole["taskId"])
            ]
        self.assertEqual(reached[0], reached[1])

    def test_an_interrupt_closes_the_task(self) -> None:
        log = self.place_of()

        @hindcast.agent("impatient")
        def impatient(view: hindcast.View) -> Any:
            raise KeyboardInterrupt

        with hindcast.Kernel(log, tools=[lookup]) as kernel:
            with self.assertRaises(KeyboardInterrupt):
                kernel.run(impatient, "Wait")
            # The kernel goes on.
            self.assertEqual(kernel.run(_done("achieved"), "Nothing")["outcome"], "achieved")
        with hindcast.Log(log) as opened:
            self.assertEqual([task["outcome"] for task in opened.tasks()], ["abandoned", "achieved"])

    def test_what_an_agent_does_wrong_is_told(self) -> None:
        log = self.place_of()

        @hindcast.agent("broken")
        def broken(view: hindcast.View) -> Any:
            raise ZeroDivisionError("by step 0")

        @hindcast.agent("odd")
        def odd(view: hindcast.View) -> Any:
            return {"act": "program/lookup", "arguments": {}}

        with hindcast.Kernel(log, tools=[lookup]) as kernel:
            with self.assertRaisesRegex(ZeroDivisionError, "by step 0"):
                kernel.run(broken, "Break")
            with self.assertRaisesRegex(hindcast.Refused, "expected a choice"):
                kernel.run(odd, "Break")
            with self.assertRaisesRegex(TypeError, "an agent with a name"):
                kernel.run(lookup, "Break")  # type: ignore[arg-type]
            with self.assertRaises(hindcast.Refused) as caught:
                kernel.replay(odd, "nope")
            self.assertEqual(caught.exception.tag, "TaskNotFound")
            with self.assertRaises(hindcast.Refused) as caught:
                kernel.fork(odd, "@1", io="sideways")
            self.assertEqual(caught.exception.tag, "InvalidOptions")

            @hindcast.agent("greedy")
            def greedy(view: hindcast.View) -> Any:
                kernel.run(odd, "Within")

            with self.assertRaisesRegex(hindcast.HindcastError, "one task at a time"):
                kernel.run(greedy, "Nest")
        with hindcast.Log(log) as opened:
            self.assertEqual({task["outcome"] for task in opened.tasks()}, {"failed"})
        with self.assertRaisesRegex(hindcast.Refused, "expected"):
            hindcast.Kernel(log, worlds=["no-such-world"])
        with self.assertRaisesRegex(TypeError, "by position"):
            hindcast.Kernel(log, tools=[lambda_with_rest])
        with self.assertRaisesRegex(TypeError, "marked as sensor"):
            hindcast.Kernel(log, tools=[clock])

    def test_choices_and_results_are_exact_or_refused(self) -> None:
        given: List[Any] = []
        results: List[Any] = [datetime.date(2026, 1, 1), float("nan"), pathlib.PurePosixPath("/tmp/x"), "x" * (40 << 20)]

        def put(value: Any) -> Any:
            given.append(value)
            return results[len(given) - 1]

        outcomes: List[Any] = []

        def giving(*values: Any) -> hindcast.Agent:
            @hindcast.agent("giver")
            def giver(view: hindcast.View) -> Any:
                outcomes.append(view.last_outcome)
                if view.step == len(values):
                    return {"done": "achieved", "reason": "half \ud800"}
                return {"act": "program/put", "args": {"value": values[view.step]}}

            return giver

        log = self.place_of()
        with hindcast.Kernel(log, tools=[put], gate="allow") as kernel:
            for value in (datetime.date(2026, 1, 1), float("inf"), "half \ud800", 2**60, b"bytes", "x" * (40 << 20)):
                with self.assertRaises(hindcast.NotJson):
                    kernel.run(giving(value), "Put")
            self.assertEqual(given, [])
            outcomes.clear()
            kernel.run(giving(pathlib.PurePosixPath("/tmp/a"), 1, 2, 3), "Put")
            # The kernel can begin another task, and what waits to be sent is not lost.
            self.assertEqual(kernel.run(_done("achieved"), "Nothing")["outcome"], "achieved")
        self.assertEqual(given, ["/tmp/a", 1, 2, 3])
        self.assertEqual([one["status"] for one in outcomes[1:]], ["failed", "failed", "succeeded", "failed"])
        self.assertEqual(outcomes[3]["result"], "/tmp/x")
        self.assertIn("expected a request of at most", json.dumps(outcomes[4]))

    def test_coroutines_of_a_work_share_a_loop(self) -> None:
        loops: List[Any] = []

        @hindcast.agent("waiting")
        async def waiting(view: hindcast.View) -> Any:
            loops.append(asyncio.get_running_loop())
            loops[0].call_soon(lambda: None)
            return {"done": "achieved"} if view.step == 1 else {"say": "Hello"}

        log = self.place_of()
        with hindcast.Kernel(log, tools=[lookup]) as kernel:

            async def within() -> None:
                with self.assertRaisesRegex(hindcast.HindcastError, "asyncio.to_thread"):
                    kernel.run(waiting, "Wait")
                await asyncio.to_thread(kernel.run, waiting, "Wait")

            asyncio.run(within())
        self.assertEqual(len(loops), 2)
        self.assertIs(loops[0], loops[1])
        self.assertTrue(loops[0].is_closed())
        with hindcast.Log(log) as opened:
            self.assertEqual([task["outcome"] for task in opened.tasks()], ["achieved"])

    def test_an_interrupt_after_the_beginning_leaves_the_kernel_free(self) -> None:
        with hindcast.Kernel(self.place_of(), tools=[lookup]) as kernel:
            request = kernel._connection.request

            def interrupted(method: str, params: Any = None) -> Any:
                found = request(method, params)
                if method == "kernel.run":
                    kernel._connection.request = request  # type: ignore[method-assign]
                    raise KeyboardInterrupt
                return found

            kernel._connection.request = interrupted  # type: ignore[method-assign]
            with self.assertRaises(KeyboardInterrupt):
                kernel.run(_done("achieved"), "Interrupted")
            self.assertEqual(kernel.run(_done("achieved"), "Nothing")["outcome"], "achieved")

    def test_a_log_on_a_server_is_no_file(self) -> None:
        url = "postgres://me:secret@127.0.0.1:1/logs"
        before = sorted(os.listdir("."))
        for opening in (
            lambda: hindcast.Kernel(url, tools=[lookup]),
            lambda: hindcast.Log(url),
            lambda: hindcast.make("cart-pole", log=url),
            lambda: hindcast.record(url, goal="Answer", agent="clerk").__enter__(),
            lambda: hindcast.replay("nope", log=url).__enter__(),
        ):
            with self.assertRaises(hindcast.Refused) as caught:
                opening()
            self.assertNotIn("secret", str(caught.exception))
        self.assertEqual(sorted(os.listdir(".")), before)

    def test_a_model_that_never_answers_does_not_keep_the_task_open(self) -> None:
        @hindcast.agent("forgetful")
        def forgetful(view: hindcast.View) -> Any:
            question = {"provider": "acme", "model": "large", "request": {}}
            view._kernel._of_decision("kernel.consult", question=question)
            return {"done": "achieved"}

        log = self.place_of()
        with hindcast.Kernel(log, tools=[lookup]) as kernel:
            kernel.run(forgetful, "Forget")
        with hindcast.Log(log) as opened:
            self.assertEqual([task["outcome"] for task in opened.tasks()], ["achieved"])

    def test_a_replay_answers_for_the_model(self) -> None:
        asked: List[str] = []

        def ask(question: str) -> Mapping[str, Any]:
            asked.append(question)
            if question == "1?":
                raise TimeoutError("no answer")
            return {"response": {"text": f"to {question}"}, "usage": {"inputTokens": 3, "outputTokens": 5}}

        @hindcast.agent("asking")
        def asking(view: hindcast.View) -> Any:
            question = f"{view.step}?"
            try:
                said = view.consult("acme", "large", {"ask": question}, lambda: ask(question))["text"]
            except (TimeoutError, hindcast.Refused):
                said = "nothing"
            return {"done": "achieved", "reason": said} if view.step == 2 else {"say": said}

        log = self.place_of()
        with hindcast.Kernel(log, tools=[lookup]) as kernel:
            audit = kernel.run(asking, "Ask")
            self.assertEqual(asked, ["0?", "1?", "2?"])
            report = kernel.replay(asking, audit["taskId"])
        self.assertEqual((report["verdict"], len(asked)), ("identical", 3))
        types = self.types(log, audit["taskId"])
        self.assertEqual([types.count(one) for one in ("ModelCalled", "ModelResponded", "ModelFailed")], [3, 2, 1])


class Rewards(WithPlace):
    def test_the_numbers_that_marked_functions_return_are_scores_of_the_run(self) -> None:
        @hindcast.reward
        def short(answer: str) -> float:
            return 1.5 if len(answer) < 10 else -2

        @hindcast.reward(name="polite")
        async def is_polite(answer: str) -> bool:
            return "please" in answer

        log = self.place / "rewards.db"
        self.assertEqual(short("outside"), 1.5)
        with hindcast.record(log, goal="Answer", agent="clerk") as run:
            short("Yes.")
            short("Yes, of course, always.")
        with hindcast.Kernel(log, tools=[lookup], gate="allow") as kernel:

            @hindcast.agent("clerk")
            async def clerk(view: hindcast.View) -> Any:
                await is_polite("Yes, please")
                return {"done": "achieved"}

            audit = kernel.run(clerk, "Answer")
            kernel.replay(clerk, audit["taskId"])
        with hindcast.Log(log) as opened:
            found = {one["label"]: one for one in opened.scores()}
        self.assertEqual(sorted(found), ["polite", "short"])
        self.assertEqual(found["short"]["critic"], "program/short")
        assert run.task is not None
        totals = found["short"]["totals"][run.task]
        self.assertEqual((totals["earned"], totals["lost"], totals["net"]), (1.5, 2, -0.5))
        self.assertEqual(found["polite"]["totals"][audit["taskId"]]["net"], 1)

    def test_a_run_that_ends_with_an_error_keeps_its_rewards(self) -> None:
        @hindcast.reward
        def kept(value: float) -> float:
            return value

        log = self.place / "kept.db"
        with hindcast.Kernel(log, tools=[lookup]) as kernel:
            for count, error in enumerate((ZeroDivisionError, KeyboardInterrupt)):

                @hindcast.agent("clerk")
                def clerk(view: hindcast.View) -> Any:
                    kept(count + 1)
                    raise error

                with self.assertRaises(error):
                    kernel.run(clerk, "Break")
        with hindcast.Log(log) as opened:
            found = [total["net"] for one in opened.scores() for total in one["totals"].values()]
        self.assertEqual(sorted(found), [1, 2])

    def test_no_other_value_is_a_reward(self) -> None:
        @hindcast.reward
        def odd(value: Any) -> Any:
            return value

        with hindcast.record(self.place / "odd.db", goal="Answer", agent="clerk"):
            for value in ("1", None, float("nan"), float("inf")):
                with self.assertRaisesRegex(TypeError, "Expected a finite number from the reward 'odd'"):
                    odd(value)
        with hindcast.Log(self.place / "odd.db") as opened:
            self.assertEqual(list(opened.scores()), [])


class Signatures(unittest.TestCase):
    def test_annotations_become_the_schema_of_arguments(self) -> None:
        def everything(
            a: int, b: Optional[str], c: Literal["x", "y"], d: Dict[str, float], e: bool = True, f: Any = None, g=1  # type: ignore[no-untyped-def]
        ) -> None: ...

        self.assertEqual(
            schema_of(everything),
            {
                "type": "object",
                "properties": {
                    "a": {"type": "integer"},
                    "b": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    "c": {"enum": ["x", "y"]},
                    "d": {"type": "object", "additionalProperties": {"type": "number"}},
                    "e": {"type": "boolean"},
                    "f": {},
                    "g": {},
                },
                "required": ["a", "b", "c", "d"],
                "additionalProperties": False,
            },
        )
        self.assertEqual(json.loads(json.dumps(schema_of(lookup)))["required"], ["id"])


def lambda_with_rest(*values: int) -> None: ...


def _done(outcome: str) -> hindcast.Agent:
    return hindcast.agent("done")(lambda view: {"done": outcome})


if __name__ == "__main__":
    unittest.main()
