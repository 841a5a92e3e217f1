"""Clients of a program that serves a port."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import unittest

from typing import Any, List

import hindcast
from hindcast import _program

from .story import WithPlace, run


class Served(WithPlace):
    """A server of its own for each test."""

    def setUp(self) -> None:
        self.file = self.place / f"{self._testMethodName}.json"
        self.process = subprocess.Popen(
            [*_program.find(), "serve", "--port", "0", "--token-file", str(self.file)],
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(self.stop)
        assert self.process.stderr is not None
        self.said = self.process.stderr.readline()
        self.server = hindcast.Server(self.file)

    def stop(self) -> None:
        self.process.terminate()
        assert self.process.stderr is not None
        self.process.stderr.close()
        self.process.wait()

    def contents(self) -> Any:
        return json.loads(self.file.read_text())

    def connected(self) -> socket.socket:
        found = socket.create_connection(("127.0.0.1", self.contents()["port"]), 60)
        self.addCleanup(found.close)
        return found

    def answers(self, client: socket.socket, *lines: bytes) -> List[Any]:
        """What the server writes to these lines until it closes the connection."""
        client.sendall(b"".join(lines))
        client.shutdown(socket.SHUT_WR)
        text = b""
        while chunk := client.recv(1 << 16):
            text += chunk
        return [json.loads(line) for line in text.splitlines()]

    def authenticate(self) -> bytes:
        return request("authenticate", {"token": self.contents()["token"]})

    def test_answers_logs_and_worlds_of_several_clients(self) -> None:
        log = self.place / "several.db"
        with hindcast.make("cart-pole", log=log, seed=1, program=self.server) as env:
            observation, _ = env.reset()
            env.step(1)
            with hindcast.Connection(self.server) as other, hindcast.Connection(self.server) as third:
                self.assertEqual(other.request("ping", {"a": 1}), {"a": 1})
                self.assertEqual(third.request("hello")["pid"], self.process.pid)
        with hindcast.Log(log, program=self.server) as opened:
            (task,) = opened.tasks()
        self.assertEqual((task["outcome"], task["steps"]), ("truncated", 1))

    def test_the_token_is_for_its_owner_alone(self) -> None:
        token = self.contents()["token"]
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)
        self.assertRegex(self.said, r"serving on 127\.0\.0\.1:\d+")
        listed = subprocess.run(
            ["ps", "-o", "args=", "-p", str(self.process.pid)], capture_output=True, text=True
        ).stdout
        self.assertIn("--token-file", listed)
        for text in (listed, self.said, repr(self.server)):
            self.assertNotIn(token, text)
        for name in ("one", "two"):
            with hindcast.make("cart-pole", log=self.place / "owner.db", program=self.server) as env:
                env.reset(seed=1)
        written = b"".join(file.read_bytes() for file in self.place.glob("owner.db*") if file.is_file())
        self.assertNotIn(token.encode(), written)
        os.chmod(self.file, 0o644)
        with self.assertRaisesRegex(hindcast.ConnectionLost, "only its owner may read, found the mode 644"):
            hindcast.Connection(self.server)
        self.stop()
        self.assertFalse(self.file.exists())

    def test_nobody_gets_in_without_the_token(self) -> None:
        for lines, said in (
            ([request("hello", {})], 'found "hello"'),
            ([request("authenticate", {"token": "guessed"})], "found another token"),
            ([request("authenticate", {"token": 1})], 'found "authenticate"'),
            ([b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"], "found no request"),
            ([b"x" * 10_000], "at most 4096 bytes, found more"),
            ([], "found the end of the connection"),
        ):
            (answer,) = self.answers(self.connected(), *lines, request("hello", {}) if lines else b"")
            self.assertEqual(answer["error"]["tag"], "Unauthorized")
            self.assertIn(said, answer["error"]["message"])
        with hindcast.Connection(self.server) as connection:
            self.assertEqual(connection.request("ping"), {})

    @unittest.skipUnless(sys.platform == "linux" and os.getuid() == 0, "needs another user to be")
    def test_another_user_gets_in_not_even_with_it(self) -> None:
        program = """
import json, os, socket, sys
os.setuid(65534)
client = socket.socket()
client.connect(("127.0.0.1", int(sys.argv[1])))
client.sendall(sys.stdin.buffer.read())
print(client.recv(65536).decode())
"""
        done = subprocess.run(
            [sys.executable, "-c", program, str(self.contents()["port"])],
            input=self.authenticate(),
            capture_output=True,
        )
        message = json.loads(done.stdout)["error"]["message"]
        self.assertEqual(message, "Expected a process of the user 0, found one of the user 65534.")

    def test_connections_that_prove_nothing_keep_no_client_out(self) -> None:
        silent = [self.connected() for _ in range(300)]
        with hindcast.Connection(self.server) as connection:
            self.assertEqual(connection.request("ping"), {})
            # The oldest have made room, and the newest may still prove who they are.
            self.assertEqual(silent[0].recv(1), b"")
            (answer,) = self.answers(silent[-1], self.authenticate())
            self.assertEqual(answer, {"id": 1, "result": True})

    def test_bad_input_ends_nobody_elses_connection(self) -> None:
        with hindcast.Connection(self.server) as good:
            found = self.answers(
                self.connected(),
                self.authenticate(),
                b'{"id":2,"method":"ping","params":{"a":NaN}}\n',
                b'{"id":3,"method":"ping","params":{}}\n',
                b'{"id":4,"method":"pi',
            )
            tags = [answer.get("error", {}).get("tag") for answer in found]
            self.assertEqual(tags, [None, "InvalidRequest", None])
            vast = self.connected()
            vast.sendall(self.authenticate())
            for _ in range(100):
                vast.sendall(b"x" * (1 << 20))
            (_, answer, pong) = self.answers(vast, b"\n", b'{"id":5,"method":"ping","params":{}}\n')
            self.assertEqual((answer["error"]["tag"], pong), ("InvalidRequest", {"id": 5, "result": {}}))
            # One that vanishes leaves its episode as truncated.
            log = self.place / "vanish.db"
            vanishing = self.connected()
            making = request("world.make", {"world": "cart-pole", "log": str(log)})
            received = b""
            for sent, awaited in (
                (self.authenticate() + making, b'"world"'),
                (request("world.reset", {"world": 1, "seed": 1}, 3), b'"task"'),
            ):
                vanishing.sendall(sent)
                while awaited not in received:
                    received += vanishing.recv(1 << 16)
            vanishing.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            vanishing.close()
            with hindcast.Log(log) as opened:
                while not [task for task in opened.tasks() if task["outcome"] is not None]:
                    pass
                self.assertEqual([task["outcome"] for task in opened.tasks()], ["truncated"])
            self.assertEqual(good.request("ping", {"still": "here"}), {"still": "here"})

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_a_forked_child_opens_a_connection_of_its_own(self) -> None:
        log = self.place / "fork.db"
        run("demo", "--tasks", "1", "--seed", "7", "--log", str(log))
        with hindcast.Log(log, program=self.server) as opened:
            before = opened.head()
            read, write = os.pipe()
            child = os.fork()
            if child == 0:
                try:
                    os.write(write, json.dumps(opened.head()).encode())
                finally:
                    os._exit(0)
            os.waitpid(child, 0)
            os.close(write)
            with os.fdopen(read) as said:
                self.assertEqual(json.load(said), before)
            self.assertEqual(opened.head(), before)

    def test_a_signal_ends_it_with_its_episodes_while_clients_are_connected(self) -> None:
        log = self.place / "signal.db"
        silent = self.connected()
        with hindcast.make("cart-pole", log=log, program=self.server) as env:
            env.reset(seed=1)
            self.process.send_signal(signal.SIGTERM)
            # A server that waited for its clients would never end.
            self.process.wait(60)
            self.assertEqual(silent.recv(1), b"")
            with self.assertRaises(hindcast.ConnectionLost):
                env.step(1)
        with hindcast.Log(log) as opened:
            self.assertEqual([task["outcome"] for task in opened.tasks()], ["truncated"])
        self.assertFalse(self.file.exists())

    def test_a_server_that_is_gone_is_told(self) -> None:
        with hindcast.make("cart-pole", log=self.place / "gone.db", program=self.server) as env:
            env.reset(seed=1)
            self.process.kill()
            self.process.wait()
            with self.assertRaisesRegex(hindcast.ConnectionLost, "See whether it still runs"):
                env.step(1)
        with self.assertRaisesRegex(hindcast.ConnectionLost, "found none"):
            hindcast.Connection(self.server)
        self.file.write_text("{}")
        with self.assertRaisesRegex(hindcast.ConnectionLost, "found another text"):
            hindcast.Connection(self.server)
        self.file.unlink()
        with self.assertRaisesRegex(hindcast.ConnectionLost, "No such file"):
            hindcast.Connection(self.server)

    def test_a_file_that_exists_is_left_alone(self) -> None:
        done = subprocess.run(
            [*_program.find(), "serve", "--port", "0", "--token-file", str(self.file)], capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("found that it exists", done.stderr)
        with hindcast.Connection(self.server) as connection:
            self.assertEqual(connection.request("ping"), {})


def request(method: str, params: Any, number: int = 1) -> bytes:
    return json.dumps({"id": number, "method": method, "params": params}).encode() + b"\n"


if __name__ == "__main__":
    unittest.main()
