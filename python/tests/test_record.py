"""Runs that this process records and replays, with a scripted model behind a real server."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import unittest
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, List, Optional
from unittest import mock

import hindcast

from .story import WithPlace, run

KEY = "sk-test-0123456789abcdef"


class Model:
    """A provider of OpenAI's format, which answers with the number of the request."""

    def __init__(self) -> None:
        model = self
        self.asked: List[Any] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                model.asked.append(json.loads(body))
                message = {"role": "assistant", "content": f"answer {len(model.asked)}"}
                answer = {
                    "id": f"chatcmpl-{len(model.asked)}",
                    "object": "chat.completion",
                    "model": "gpt-test",
                    "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9},
                }
                data = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def ask(text: str) -> str:
    """What a client of OpenAI sends: to the address in the environment."""
    body = json.dumps({"model": "gpt-test", "messages": [{"role": "user", "content": text}]}).encode()
    request = urllib.request.Request(
        f"{os.environ['OPENAI_BASE_URL']}/chat/completions",
        body,
        {"content-type": "application/json", "authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=60) as answer:
        content: str = json.load(answer)["choices"][0]["message"]["content"]
        return content


calls: List[str] = []


@hindcast.tool(risk="low")
def weather(city: str, days: int = 1) -> dict:
    """What the weather will be."""
    calls.append(city)
    if city == "Atlantis":
        raise LookupError("no such city")
    return {"city": city, "sun": days}


@hindcast.tool
async def later(text: str) -> str:
    await asyncio.sleep(0)
    calls.append(text)
    return text.upper()


@hindcast.sensor
def clock() -> int:
    calls.append("clock")
    return 12


@hindcast.io
def query(sql: str) -> Any:
    calls.append(sql)
    return {1, 2} if sql == "a set" else [1, 2]


def agent(*texts: str) -> List[Any]:
    found: List[Any] = [ask(text) for text in texts]
    return [*found, clock(), weather("Bonn", days=3), asyncio.run(later("x")), query("select")]


ANSWERS = ["answer 1", "answer 2", 12, {"city": "Bonn", "sun": 3}, "X", [1, 2]]


class Recording(WithPlace):
    def setUp(self) -> None:
        self.model = Model()
        self.addCleanup(self.model.close)
        environment = {"OPENAI_BASE_URL": self.model.url, "OPENAI_API_KEY": KEY}
        patched = mock.patch.dict(os.environ, environment)
        patched.start()
        self.addCleanup(patched.stop)
        calls.clear()
        self.log = self.place / f"{self._testMethodName}.db"

    def events(self, *types: str) -> List[Any]:
        with hindcast.Log(self.log) as log:
            return list(log.events(types=list(types)))

    def answered(self, name: str) -> List[Any]:
        payloads = [event["payload"] for event in self.events("IoAnswered")]
        return [payload for payload in payloads if payload["io"] == name]

    def recorded(self) -> str:
        with hindcast.record(self.log, goal="Try it", agent="walker") as recording:
            self.assertEqual(agent("one", "two"), ANSWERS)
            assert recording.task is not None
            return recording.task

    def test_records_models_tools_sensors_and_others(self) -> None:
        before = dict(os.environ)
        task = self.recorded()
        self.assertEqual(dict(os.environ), before)
        self.assertEqual([request["messages"][0]["content"] for request in self.model.asked], ["one", "two"])
        with hindcast.Log(self.log) as log:
            self.assertEqual(log.task(task)["outcome"], "achieved")
            audit = log.audit(task)
        model = audit["model"]
        self.assertEqual((model["calls"], model["inputTokens"], model["outputTokens"]), (2, 14, 4))
        commanded = self.events("ActuatorCommanded")
        self.assertEqual(
            [(event["payload"]["actuator"], event["payload"]["args"]) for event in commanded],
            [("program/weather", {"city": "Bonn", "days": 3}), ("program/later", {"text": "x"})],
        )
        self.assertEqual([e["payload"]["result"] for e in self.events("CommandSucceeded")], ANSWERS[3:5])
        self.assertEqual([e["payload"]["reading"] for e in self.events("SensorRead")], [12])
        self.assertEqual([answered["result"] for answered in self.answered("query")], [[1, 2]])
        self.assertNotIn(KEY.encode(), b"".join(file.read_bytes() for file in self.place.glob(f"{self.log.name}*")))

    def test_replays_without_the_model_and_the_functions(self) -> None:
        task = self.recorded()
        self.model.close()
        calls.clear()
        with hindcast.replay(task, self.log):
            self.assertEqual(agent("one", "two"), ANSWERS)
        self.assertEqual(calls, [])
        # Every mutation is found: another request, one too few, none, and other arguments.
        with self.refused("Diverged"), hindcast.replay(task, self.log):
            try:
                ask("three")
            except urllib.error.HTTPError:
                pass
        with self.refused("Diverged"), hindcast.replay(task, self.log):
            ask("one")
        with self.refused("NothingReplayed"), hindcast.replay(task, self.log):
            pass
        with self.refused("Diverged"), hindcast.replay(task, self.log):
            ask("one"), ask("two"), clock(), weather("Berlin")
        self.assertEqual(calls, [])
        with self.refused("TaskNotFound"), hindcast.replay("nothing-like-it", self.log):
            pass

    def test_a_failure_stays_one(self) -> None:
        with self.assertRaises(LookupError), hindcast.record(self.log, goal="Fail", agent="walker") as recording:
            ask("one")
            weather("Atlantis")
        task = recording.task
        assert task is not None
        (failed,) = self.events("CommandFailed")
        self.assertEqual(failed["payload"]["error"]["code"], "LookupError")
        with hindcast.Log(self.log) as log:
            self.assertEqual(log.task(task)["outcome"], "failed")
            self.assertIn("LookupError: no such city", log.task(task)["reason"])
        with hindcast.replay(task, self.log):
            ask("one")
            with self.assertRaises(hindcast.ToolFailed) as caught:
                weather("Atlantis")
        self.assertEqual((caught.exception.name, caught.exception.message), ("LookupError", "no such city"))
        self.assertEqual(pickle.loads(pickle.dumps(caught.exception)).name, "LookupError")

    def test_the_gate_refuses(self) -> None:
        gate = {"rules": [{"name": "no-weather", "actuator": "program/weather", "decision": "deny"}], "default": "allow"}
        with hindcast.record(self.log, goal="Ask", agent="walker", gate=gate):
            ask("one")
            with self.assertRaises(hindcast.ToolDenied) as caught:
                weather("Bonn")
        self.assertEqual(caught.exception.rule, "no-weather")
        self.assertEqual(calls, [])
        self.assertEqual(len(self.events("CommandDenied")), 1)

    def test_a_person_approves(self) -> None:
        gate = {"rules": [{"name": "ask", "actuator": "*", "decision": "confirm", "confirmWithinMs": 60000}], "default": "allow"}
        said: List[Any] = []
        with hindcast.record(self.log, goal="Ask", agent="walker", gate=gate):
            ask("one")
            thread = threading.Thread(target=lambda: said.append(weather("Bonn")))
            thread.start()
            with hindcast.Log(self.log) as log:
                question: Optional[Any] = None
                while question is None:
                    question = next(iter(log.events(types=["ConfirmationRequested"])), None)
            run("confirm", "approve", question["payload"]["confirmationId"], "--yes", "--log", str(self.log))
            thread.join(60)
        self.assertEqual(said, [{"city": "Bonn", "sun": 1}])

    def test_outside_a_run_functions_are_as_they_were(self) -> None:
        self.assertEqual(weather("Bonn"), {"city": "Bonn", "sun": 1})
        self.assertEqual(weather.__doc__, "What the weather will be.")
        self.assertEqual(query("a set"), {1, 2})

    def test_what_json_cannot_hold_is_left_out_with_the_reason(self) -> None:
        with hindcast.record(self.log, goal="Ask", agent="walker") as recording:
            ask("one")
            self.assertEqual(query("a set"), {1, 2})
            weather(float("nan"))  # type: ignore[arg-type]
        (answered,) = self.answered("query")
        self.assertIn("found set", answered["unrecorded"]["reason"])
        (commanded,) = self.events("ActuatorCommanded")
        self.assertEqual(commanded["payload"]["args"], {"city": "[no JSON: nan]"})
        assert recording.task is not None
        with self.refused("Diverged"), hindcast.replay(recording.task, self.log):
            ask("one")
            query("a set")

    def test_what_the_log_cannot_hold_stops_no_function(self) -> None:
        deep: List[Any] = []
        for _ in range(250):
            deep = [deep]
        endless: List[Any] = []
        endless += [endless, endless]

        class Hostile:
            def tolist(self) -> Any:
                raise RuntimeError("no list")

        odd = {
            "half": "a\ud800",
            "key": {"\ud800": 1},
            "deep": deep,
            "endless": endless,
            "tuple": {(1, 2): 3},
            "hostile": Hostile(),
            "great": 2**53 + 1,
            "greatest": 10**5000,
        }

        @hindcast.io
        def returned(name: str) -> Any:
            return odd[name]

        @hindcast.io
        def taken(value: Any) -> int:
            return 1

        with hindcast.record(self.log, goal="Ask", agent="walker"):
            for name, value in odd.items():
                self.assertIs(returned(name), value)
                self.assertEqual(taken(value), 1)
        reasons = [answered["unrecorded"]["reason"] for answered in self.answered("returned")]
        self.assertEqual(len(reasons), len(odd))
        self.assertIn(f"found {2**53 + 1}", reasons[6])
        self.assertEqual(len(self.answered("taken")), len(odd))
        asked = [event["payload"]["request"] for event in self.events("IoCalled") if event["payload"]["io"] == "taken"]
        self.assertEqual(asked[0], [{"value": "a\ufffd"}])
        self.assertEqual(asked[3], [{"value": ["[no JSON: within itself]"] * 2}])
        self.assertEqual(asked[6], [{"value": f"[no JSON: {2**53 + 1}]"}])

    def test_a_tool_that_waits_for_a_person_keeps_no_other_call_waiting(self) -> None:
        rules = [{"name": "ask", "actuator": "program/weather", "decision": "confirm", "confirmWithinMs": 60000}]
        said: List[Any] = []
        with hindcast.record(self.log, goal="Ask", agent="walker", gate={"rules": rules, "default": "allow"}):
            ask("one")
            thread = threading.Thread(target=lambda: said.append(weather("Bonn")))
            thread.start()
            with hindcast.Log(self.log) as log:
                question: Optional[Any] = None
                while question is None:
                    question = next(iter(log.events(types=["ConfirmationRequested"])), None)
            # Neither a sensor, nor a query, nor another tool waits for the answer.
            self.assertEqual(clock(), 12)
            self.assertEqual(asyncio.run(later("x")), "X")
            self.assertEqual(said, [])
            run("confirm", "approve", question["payload"]["confirmationId"], "--yes", "--log", str(self.log))
            thread.join(60)
        self.assertEqual(said, [{"city": "Bonn", "sun": 1}])

    def test_what_outlives_its_block_is_told_so(self) -> None:
        async def outliving() -> str:
            begun, begun_too, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

            @hindcast.tool
            async def slow() -> str:
                begun.set()
                await ended.wait()
                return "done"

            @hindcast.tool
            async def broken() -> str:
                begun_too.set()
                await ended.wait()
                raise LookupError("its own error")

            with hindcast.record(self.log, goal="Outlive", agent="walker") as recording:
                ask("one")
                within = asyncio.create_task(slow())
                failing = asyncio.create_task(broken())
                await asyncio.gather(begun.wait(), begun_too.wait())
            ended.set()
            with self.assertRaises(hindcast.RunEnded) as caught:
                await within
            with self.assertRaisesRegex(LookupError, "its own error"):
                await failing
            self.assertIn(str(recording.task), str(caught.exception))
            # Outside of a block, a marked function is as it was.
            self.assertEqual(await slow(), "done")
            return str(recording.task)

        task = asyncio.run(outliving())
        with hindcast.Log(self.log) as log:
            self.assertEqual(log.task(task)["outcome"], "achieved")

    def test_an_interrupt_ends_the_question(self) -> None:
        gate = {"rules": [{"name": "ask", "actuator": "*", "decision": "confirm", "confirmWithinMs": 300000}], "default": "allow"}
        said: List[Any] = []

        def interrupt() -> None:
            with hindcast.Log(self.log) as log:
                while not said:
                    said.extend(log.events(types=["ConfirmationRequested"]))
            os.kill(os.getpid(), signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt), hindcast.record(
            self.log, goal="Ask", agent="walker", gate=gate
        ) as recording:
            ask("one")
            threading.Thread(target=interrupt).start()
            weather("Bonn")
        self.assertEqual(calls, [])
        self.assertEqual(self.events("CommandDispatched", "ConfirmationExpired"), [])
        with hindcast.Log(self.log) as log:
            assert recording.task is not None
            self.assertEqual(log.task(recording.task)["outcome"], "abandoned")

    def test_keys_that_the_program_sets_later_stay_out_of_the_log(self) -> None:
        late = "late-key-0123456789"
        with mock.patch.dict(os.environ), hindcast.record(self.log, goal="Ask", agent="walker"):
            os.environ["LATER_API_KEY"] = late
            self.assertEqual(weather(f"the city of {late}")["city"], f"the city of {late}")
        (commanded,) = self.events("ActuatorCommanded")
        self.assertEqual(commanded["payload"]["args"], {"city": "the city of [redacted]"})
        other = self.place / "of-a-command.db"
        words = self.program(f"import os\nos.environ['LATER_API_KEY'] = {late!r}\nprint(weather({late!r}))\n")
        self.assertIn(late, run("record", "--proxy", "--log", str(other), "--", *words))
        for log in (self.log, other):
            self.assertNotIn(late.encode(), b"".join(file.read_bytes() for file in self.place.glob(f"{log.name}*")))

    def test_an_error_without_a_message_stays_itself(self) -> None:
        class Mute(Exception):
            def __str__(self) -> str:
                raise RuntimeError("no text")

        @hindcast.tool
        def mute() -> None:
            raise Mute

        with self.assertRaises(Mute), hindcast.record(self.log, goal="Ask", agent="walker") as recording:
            mute()
        (failed,) = self.events("CommandFailed")
        self.assertEqual(failed["payload"]["error"]["code"], "Mute")
        with hindcast.Log(self.log) as log:
            assert recording.task is not None
            self.assertEqual(log.task(recording.task)["outcome"], "failed")

    def test_marks_whatever_can_be_called(self) -> None:
        def connected(function: Any) -> Any:
            @functools.wraps(function)
            def without_connection(*args: Any) -> Any:
                return function("a connection", *args)

            return without_connection

        @hindcast.io
        @connected
        def rows(connection: str, sql: str) -> Any:
            return [connection, sql]

        @hindcast.io
        def own(self: int, other: int) -> Any:
            return [self, other]

        class Shop:
            @hindcast.io
            @staticmethod
            def price(of: str) -> int:
                return 3

            @hindcast.io
            @classmethod
            def named(cls, as_: str) -> Any:
                return [cls.__name__, as_]

            @hindcast.io
            def sold(self, what: str) -> str:
                return what

        greatest = hindcast.io(name="greatest")(functools.partial(max, 7))
        with self.assertRaisesRegex(TypeError, "name=…"):
            hindcast.io(functools.partial(max, 7))
        with hindcast.record(self.log, goal="Ask", agent="walker"):
            self.assertEqual(rows("select"), ["a connection", "select"])
            self.assertEqual(own(1, 2), [1, 2])
            self.assertEqual((Shop().price("a hat"), Shop.price("a hat")), (3, 3))
            self.assertEqual((Shop().named("x"), Shop.named("x")), (["Shop", "x"], ["Shop", "x"]))
            self.assertEqual(Shop().sold("a hat"), "a hat")
            self.assertEqual(greatest(9), 9)
        self.assertEqual(
            [event["payload"]["request"] for event in self.events("IoCalled")],
            [
                [{"args": ["select"]}],
                [{"self": 1, "other": 2}],
                *[[{"of": "a hat"}]] * 2,
                *[[{"as_": "x"}]] * 2,
                [{"what": "a hat"}],
                [{"args": [9], "kwargs": {}}],
            ],
        )

    def test_one_run_at_a_time_although_two_threads_begin_one(self) -> None:
        before = dict(os.environ)
        begun = threading.Barrier(2)
        found: List[str] = []

        def work(number: int) -> None:
            try:
                begun.wait(60)
                with hindcast.record(self.place / f"{self._testMethodName}-{number}.db", goal="Ask", agent="walker"):
                    found.append("recorded")
                    refused.wait(60)
            except hindcast.HindcastError as error:
                found.append(str(error))
                refused.set()

        refused = threading.Event()
        threads = [threading.Thread(target=work, args=(number,)) for number in (1, 2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        self.assertEqual(found[0], "recorded")
        self.assertIn("no other run", found[1])
        self.assertEqual(dict(os.environ), before)

    def test_a_cancelled_question_makes_no_call(self) -> None:
        gate = {"rules": [{"name": "ask", "actuator": "*", "decision": "confirm", "confirmWithinMs": 60000}], "default": "allow"}

        async def cancelled() -> None:
            asking = asyncio.create_task(later("x"))
            with hindcast.Log(self.log) as log:
                question: Optional[Any] = None
                while question is None:
                    await asyncio.sleep(0)
                    question = next(iter(log.events(types=["ConfirmationRequested"])), None)
            asking.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await asking
            run("confirm", "approve", question["payload"]["confirmationId"], "--yes", "--log", str(self.log))

        with hindcast.record(self.log, goal="Ask", agent="walker", gate=gate):
            asyncio.run(cancelled())
        self.assertEqual(calls, [])
        (failed,) = self.events("CommandFailed")
        self.assertEqual(failed["payload"]["error"]["code"], "CancelledError")

    def test_refuses_what_it_cannot_record(self) -> None:
        with self.refused("InvalidOptions"), hindcast.record(self.log, goal="Ask", agent=""):
            pass
        with self.refused("InvalidOptions"), hindcast.record(self.log, goal="Ask", agent="walker", secrets=["short"]):
            pass
        with hindcast.Connection() as connection:
            with self.refused("NoSuchRun"):
                connection.request("run.end", {"run": 1, "outcome": "achieved"})
            with self.refused("InvalidOptions"):
                connection.request("run.record", {"goal": "Ask", "agent": "walker", "env": {}, "other": 1})
        with self.refused("InvalidOptions"), hindcast.record(self.log, goal="Ask", agent="walker", gate={"rules": 1}):
            pass
        with hindcast.record(self.log, goal="Ask", agent="walker"):
            ask("one")
            weather("Bonn")
            with self.refused("InvalidOptions"):
                hindcast.tool(name="two words")(len)([1])
            with self.assertRaisesRegex(hindcast.HindcastError, "no other run"), hindcast.record(
                self.log, goal="Again", agent="walker"
            ):
                pass

    def test_says_how_it_ended(self) -> None:
        with hindcast.record(self.log, goal="Ask", agent="walker") as recording:
            ask("one")
            recording.end("truncated", "enough")
        with hindcast.Log(self.log) as log:
            assert recording.task is not None
            self.assertEqual((log.task(recording.task)["outcome"], log.task(recording.task)["reason"]), ("truncated", "enough"))

    def program(self, text: str) -> List[str]:
        file = self.place / f"{self._testMethodName}.py"
        here = str(Path(__file__).parent.parent)
        file.write_text(
            f"import sys\nsys.path.insert(0, {here!r})\nimport hindcast\n"
            f"from tests.test_record import ask, calls, later, weather\n{text}"
        )
        return [sys.executable, str(file)]

    def test_replays_as_a_process_answer_its_functions_too(self) -> None:
        words = self.program(
            f"with hindcast.record({str(self.log)!r}, goal='Ask', agent='walker') as run:\n"
            "    print(run.task is None, ask('one'), weather('Bonn'), calls)\n"
        )
        said = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout
        self.assertEqual(said, "False answer 1 {'city': 'Bonn', 'sun': 1} ['Bonn']\n")
        (opened,) = self.events("TaskOpened")
        self.model.close()
        again = run("replay", opened["taskId"], "--log", str(self.log), "--", *words)
        self.assertEqual(again, "True answer 1 {'city': 'Bonn', 'sun': 1} []\n")
        self.assertEqual(len(self.events("TaskOpened")), 1)

    def test_commands_that_record_and_fork_a_program_take_its_functions(self) -> None:
        words = self.program("print(ask('one'), weather('Bonn'), calls)\n")
        said = run("record", "--proxy", "--log", str(self.log), "--", *words)
        self.assertEqual(said, "answer 1 {'city': 'Bonn', 'sun': 1} ['Bonn']\n")
        (commanded,) = self.events("ActuatorCommanded")
        self.assertEqual(commanded["payload"]["args"], {"city": "Bonn"})
        again = run("replay", commanded["taskId"], "--log", str(self.log), "--", *words)
        self.assertEqual(again, "answer 1 {'city': 'Bonn', 'sun': 1} []\n")
        asked = len(self.model.asked)
        forked = run("fork", f"@{commanded['position'] - 1}", "--log", str(self.log), "--", *words)
        self.assertEqual(forked, "answer 1 {'city': 'Bonn', 'sun': 1} ['Bonn']\n")
        self.assertEqual(len(self.model.asked), asked)
        with hindcast.Log(self.log, timeline="fork-1") as log:
            (again,) = log.events(types=["ActuatorCommanded"], since=commanded["position"])
        self.assertEqual(again["payload"]["args"], {"city": "Bonn"})
        other = self.program("ask('one')\nweather('Berlin')\n")
        with self.assertRaisesRegex(AssertionError, "diverged.*Bonn"):
            run("replay", commanded["taskId"], "--log", str(self.log), "--", *other)

    def test_an_address_that_nobody_serves_is_said(self) -> None:
        for address in ("http://127.0.0.1:9/hindcast/x", "nonsense"):
            with mock.patch.dict(os.environ, {"HINDCAST_RUN": address}):
                with self.assertRaisesRegex(hindcast.ConnectionLost, "HINDCAST_RUN does not answer"):
                    weather("Bonn")
        self.assertEqual(calls, [])

    def test_takes_the_functions_of_subprocesses_and_forked_children(self) -> None:
        gate = {"rules": [{"name": "no-x", "actuator": "program/later", "decision": "deny"}], "default": "allow"}
        words = self.program("print(weather('Ulm'))\n")
        with hindcast.record(self.log, goal="Ask", agent="walker", gate=gate):
            weather("Bonn")
            subprocess.run(words, timeout=60, check=True, stdout=subprocess.DEVNULL)
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    weather("Jena")
                    asyncio.run(later("x"))
                except hindcast.ToolDenied:
                    code = 0
                finally:
                    os._exit(code)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            weather("Kiel")
        cities = [event["payload"]["args"].get("city") for event in self.events("ActuatorCommanded")]
        self.assertEqual(cities, ["Bonn", "Ulm", "Jena", None, "Kiel"])
        self.assertEqual(len(self.events("TaskOpened")), 1)
        self.assertNotIn("HINDCAST_RUN", os.environ)

    def test_a_killed_program_leaves_an_abandoned_task(self) -> None:
        program = (
            "import hindcast, os, signal\n"
            f"with hindcast.record({str(self.log)!r}, goal='Ask', agent='walker'):\n"
            "    from tests.test_record import ask\n"
            "    ask('one')\n"
            "    os.kill(os.getpid(), signal.SIGKILL)\n"
        )
        ended = subprocess.run([sys.executable, "-c", program], env=os.environ, timeout=60)
        self.assertLess(ended.returncode, 0)
        closed: List[Any] = []
        while not closed:
            closed = self.events("TaskClosed")
        self.assertEqual(closed[0]["payload"]["outcome"], "abandoned")
        self.assertEqual(len(self.events("ModelResponded")), 1)


if __name__ == "__main__":
    unittest.main()
