"""Runs that this process records and replays, with a scripted model behind a real server."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import subprocess
import sys
import threading
import unittest
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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
        file.write_text(f"import hindcast\nfrom tests.test_record import ask, calls, weather\n{text}")
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
