"""How the program is found."""

from __future__ import annotations

import os
import pickle
import stat
import sys
import tempfile
import unittest
from pathlib import Path

import hindcast
from hindcast._program import find


class Program(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name).resolve()

    def program(self, *names: str) -> Path:
        file = self.place.joinpath(*names)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("#!/bin/sh\n")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
        return file

    def test_finds_the_nearest_node_modules_above_the_directory(self) -> None:
        self.program("node_modules", ".bin", "hindcast")
        nearest = self.program("project", "node_modules", ".bin", "hindcast")
        inner = self.place / "project" / "src" / "deep"
        inner.mkdir(parents=True)
        self.assertEqual(find(environ={"PATH": ""}, directory=inner), [str(nearest)])

    def test_prefers_the_argument_then_the_variable_then_the_path(self) -> None:
        named, listed = self.program("a", "hindcast"), self.program("b", "hindcast")
        environ = {"HINDCAST_BIN": str(named), "PATH": str(listed.parent)}
        empty = self.place / "empty"
        empty.mkdir()
        script = self.program("main.js")
        self.assertEqual(find(script, environ=environ, directory=empty), ["node", str(script)])
        self.assertEqual(find(environ=environ, directory=empty), [str(named)])
        self.assertEqual(find(environ={"PATH": str(listed.parent)}, directory=empty), [str(listed)])

    def test_says_where_it_looked_if_there_is_none(self) -> None:
        with self.assertRaises(hindcast.ProgramNotFound) as caught:
            find(environ={"PATH": str(self.place)}, directory=self.place)
        self.assertIn("npm install hindcast", str(caught.exception))
        self.assertIn(f"node_modules/.bin of {self.place}", str(caught.exception))
        self.assertEqual(str(pickle.loads(pickle.dumps(caught.exception))), str(caught.exception))

    def test_a_named_program_that_is_missing_is_an_error_and_not_replaced(self) -> None:
        self.program("node_modules", ".bin", "hindcast")
        with self.assertRaisesRegex(hindcast.ProgramNotFound, "no such file"):
            find(environ={"HINDCAST_BIN": str(self.place / "gone"), "PATH": ""}, directory=self.place)

    def test_another_program_is_no_hindcast(self) -> None:
        with self.assertRaisesRegex(hindcast.ConnectionLost, "is no answer|has ended"):
            hindcast.Connection([sys.executable, "-c", "print('hello')"])

    @unittest.skipIf(os.name == "nt", "Windows has other errors")
    def test_a_program_that_cannot_start_is_named(self) -> None:
        file = self.place / "hindcast"
        file.write_text("")
        with self.assertRaisesRegex(hindcast.ConnectionLost, str(file)):
            hindcast.Connection(str(file))
