"""The connection: what it survives, and what it says it cannot."""

from __future__ import annotations

import copy
import os
import pickle
import random
import signal
import sys
import threading
import unittest

import hindcast
from hindcast._connection import shared

from .story import WithPlace


class Survives(WithPlace):
    def setUp(self) -> None:
        self.connection = hindcast.Connection()
        self.addCleanup(self.connection.close)

    def test_answers_what_was_asked(self) -> None:
        values = [0, -1.5, "ü \u202e \ud800", None, True, {"__proto__": {"a": [1]}}, [[]], 2**53, 1e-300, ""]
        self.assertEqual(self.connection.request("ping", {"values": values}), {"values": values})

    def test_threads_take_turns(self) -> None:
        wrong: list[object] = []

        def ask(name: int) -> None:
            for count in range(100):
                answer = self.connection.request("ping", {"name": name, "count": count})
                if answer != {"name": name, "count": count}:
                    wrong.append(answer)

        threads = [threading.Thread(target=ask, args=(name,)) for name in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    @unittest.skipUnless(hasattr(signal, "setitimer"), "this system has no such timer")
    def test_goes_on_after_interrupts_at_any_moment(self) -> None:
        chance = random.Random(7)
        big = {"text": "x" * 200_000}
        before = signal.signal(signal.SIGALRM, _interrupt)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        interrupted = 0
        for count in range(100):
            try:
                signal.setitimer(signal.ITIMER_REAL, chance.uniform(1e-5, 2e-3))
                for _ in range(1000):
                    self.connection.request("ping", big if count % 2 else {"count": count})
            except KeyboardInterrupt:
                interrupted += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            self.assertEqual(self.connection.request("ping", {"after": count}), {"after": count})
        self.assertEqual(interrupted, 100)

    @unittest.skipUnless(hasattr(signal, "setitimer"), "this system has no such timer")
    def test_an_interrupted_question_is_cancelled(self) -> None:
        before = signal.signal(signal.SIGALRM, _interrupt)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        log = self.connection.request("log.open", {"path": str(self.demo(60))})["log"]
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with self.assertRaises(KeyboardInterrupt):
            while True:
                self.connection.request("log.bisect", {"log": log, "when": "position < 0", "scan": True})
        self.assertEqual(self.connection.request("ping", {}), {})

    def test_refuses_what_json_cannot_hold_before_it_is_sent(self) -> None:
        for value in (float("nan"), float("inf"), {1, 2}, object(), b"bytes"):
            with self.subTest(repr(value)), self.assertRaises(hindcast.NotJson):
                self.connection.request("ping", {"value": value})
        endless: list[object] = []
        endless.append(endless)
        with self.assertRaises(hindcast.NotJson):
            self.connection.request("ping", {"value": endless})
        self.assertEqual(self.connection.request("ping", {}), {})

    def test_refusals_have_a_tag_and_can_be_pickled(self) -> None:
        with self.refused("NoSuchMethod"):
            self.connection.request("log.tsks")
        try:
            self.connection.request("log.tsks")
        except hindcast.Refused as refused:
            again = pickle.loads(pickle.dumps(refused))
            self.assertEqual((again.tag, str(again)), ("NoSuchMethod", str(refused)))
            self.assertIn("Did you mean log.tasks", str(refused))
        with self.refused("InvalidOptions"):
            self.connection.request("log.open", {"path": 3})
        with self.refused("NoSuchLog"):
            self.connection.request("log.head", {"log": 3})
        with self.refused("NoSuchWorld"):
            self.connection.request("world.step", {"world": 3, "action": 0})
        with self.refused("NoSuchCursor"):
            self.connection.request("cursor.next", {"cursor": 3})

    @unittest.skipUnless(hasattr(signal, "SIGKILL"), "this system has no such signal")
    def test_says_that_the_program_was_killed_and_logs_start_it_again(self) -> None:
        with hindcast.Log(self.demo()) as log:
            head = log.head()
            os.kill(shared().request("hello")["pid"], signal.SIGKILL)
            with self.assertRaisesRegex(hindcast.ConnectionLost, "ended with -9"):
                log.head()
            self.assertEqual(log.head(), head)

    def test_cannot_be_copied_and_says_so(self) -> None:
        for copied in (pickle.dumps, copy.copy, copy.deepcopy):
            with self.subTest(copied.__name__), self.assertRaisesRegex(TypeError, "belongs to this process"):
                copied(self.connection)

    def test_ends_once(self) -> None:
        self.connection.close()
        self.connection.close()
        with self.assertRaisesRegex(hindcast.ConnectionLost, "it was closed"):
            self.connection.request("ping")
        self.assertEqual(self.connection._transport._process.returncode, 0)

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_a_forked_process_cannot_use_it_and_the_parent_can(self) -> None:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                self.connection.request("ping")
            except hindcast.ForkedProcess as error:
                os.write(write, str(error).encode())
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read) as said:
            self.assertIn(f"Expected the process {os.getpid()}", said.read())
        os.waitpid(child, 0)
        self.assertEqual(self.connection.request("ping", {"a": 1}), {"a": 1})


class Protocol(unittest.TestCase):
    def test_a_program_of_another_protocol_is_refused(self) -> None:
        other = (
            "import sys, json\n"
            "for line in sys.stdin:\n"
            "    answer = {'protocol': 99, 'version': '9.0.0', 'maxLineBytes': 1}\n"
            "    print(json.dumps({'id': json.loads(line)['id'], 'result': answer}), flush=True)\n"
        )
        with self.assertRaisesRegex(hindcast.ConnectionLost, "found Hindcast 9.0.0, which speaks 99"):
            hindcast.Connection([sys.executable, "-c", other])


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
