"""What several tests share: the program of this repository, and a place of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import hindcast
from hindcast import _program

#: Gold episodes, which Gymnasium itself played.
GOLD = Path(__file__).parent / "gold"


class WithPlace(unittest.TestCase):
    """Tests with a directory of their own, in which the log of the demo may be."""

    place: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.place = Path(tempfile.mkdtemp(prefix="hindcast-python-"))
        cls.addClassCleanup(shutil.rmtree, cls.place, ignore_errors=True)

    @classmethod
    def demo(cls, tasks: int = 12) -> Path:
        """A log of tasks with failures, scores and costs."""
        log = cls.place / "demo.db"
        if not log.exists():
            run("demo", "--tasks", str(tasks), "--seed", "7", "--log", str(log))
        return log

    def refused(self, tag: str) -> unittest.case._AssertRaisesContext[hindcast.Refused]:
        """Expects a refusal with this tag."""
        return _Refusing(self, tag)  # type: ignore[return-value]


class _Refusing:
    def __init__(self, test: unittest.TestCase, tag: str) -> None:
        self._test, self._tag = test, tag
        self._context = test.assertRaises(hindcast.Refused)

    def __enter__(self) -> object:
        return self._context.__enter__()

    def __exit__(self, *exit: object) -> bool:
        caught = self._context.__exit__(*exit)  # type: ignore[arg-type]
        self._test.assertEqual(self._context.exception.tag, self._tag, self._context.exception)
        return bool(caught)


def run(*words: str) -> str:
    """Runs a command of the program. Returns what it wrote to the standard output."""
    done = subprocess.run([*_program.find(), *words], capture_output=True, text=True, env=os.environ)
    if done.returncode != 0:
        raise AssertionError(f"hindcast {' '.join(words)} ended with {done.returncode}: {done.stderr}")
    return done.stdout
