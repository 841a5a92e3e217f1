"""Questions about recorded files, compared with the commands that answer them."""

from __future__ import annotations

import json
import os
import subprocess
import unittest
from pathlib import Path

import hindcast
from hindcast import _program

from .story import WithPlace

#: A log with a session that edited ``src/app.ts``, and its directory. `test/python/package.test.ts` makes them.
LOG, ROOT = os.environ.get("HINDCAST_TEST_FILES_LOG"), os.environ.get("HINDCAST_TEST_FILES_ROOT")


@unittest.skipUnless(LOG and ROOT, "needs the log that test/python/package.test.ts makes")
class RecordedFiles(WithPlace):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.log = hindcast.Log(LOG)
        cls.addClassCleanup(cls.log.close)
        cls.before, cls.after = (
            event["position"]
            for event in cls.log.events(types=["EnvironmentReset", "EnvironmentChanged"])
            if event["payload"]["plugin"] == "workspace"
        )

    def command(self, *words: str) -> dict:
        program = [*_program.find(), "files", *words, "--json", "--log", str(LOG)]
        done = subprocess.run(program, capture_output=True, text=True, cwd=ROOT, check=True)
        found = json.loads(done.stdout)
        assert isinstance(found, dict)
        return found

    def test_answers_as_the_commands_do(self) -> None:
        files = self.log.files
        self.assertEqual(files.list(directory=ROOT), self.command("ls")["files"])
        self.assertEqual(files.history("src/app.ts"), self.command("history", "src/app.ts")["versions"])
        blamed = files.blame("src/app.ts", at=self.after, read=True)
        self.assertEqual(blamed, self.command("blame", "src/app.ts", "--at", f"@{self.after}", "--read"))
        wrote = blamed["versions"][blamed["lines"][1]["version"]]
        self.assertEqual([call["actuator"] for call in wrote["calls"]], ["claude-code/Edit"])
        self.assertEqual(wrote["calls"][0]["prompt"]["content"], "add a line")
        chain = [event["type"] for event in files.why("src/app.ts", 2)["chain"]]
        self.assertEqual(chain[0], "EnvironmentChanged")
        self.assertIn("InputReceived", chain)
        (changed,) = files.diff(self.before, self.after)
        self.assertEqual((changed["path"], changed["kind"], changed["added"]), ("src/app.ts", "changed", 1))
        self.assertIn("+const two = 2\n", changed["unified"])
        self.assertNotIn("unified", files.diff(self.before, self.after, stat=True)[0])

    def test_reads_and_restores_a_moment(self) -> None:
        files = self.log.files
        self.assertEqual(files.read("src/app.ts", self.before)["content"]["text"], "const one = 1\n")
        self.assertEqual(files.read("src/app.ts", f"@{self.after}")["content"]["text"], "const one = 1\nconst two = 2\n")
        self.assertEqual(files.read("logo.png")["content"], {"kind": "binary", "base64": "iVAAAQ=="})
        self.assertEqual(files.read(".env")["content"]["kind"], "unknown")
        into = self.place / "restored"
        files.restore(self.before, into)
        self.assertEqual((into / "src" / "app.ts").read_text(), "const one = 1\n")

    def test_moments_are_of_the_logs_timeline(self) -> None:
        with hindcast.Log(LOG, timeline="main") as log:
            self.assertEqual(log.files.read("src/app.ts", self.before)["content"]["text"], "const one = 1\n")
            self.assertEqual(log.files.list(), self.log.files.list())
        with hindcast.Log(LOG, timeline="nowhere") as log, self.refused("TimelineNotFound"):
            log.files.list()

    def test_says_what_is_wrong(self) -> None:
        files = self.log.files
        with self.refused("FileNotRecorded"):
            files.read("src/nothing.ts")
        with self.refused("LineOutOfRange"):
            files.blame("src/app.ts", at=self.after, first=9)
        with self.refused("DirectoryUnfit"):
            files.restore(self.before, str(ROOT))
        with self.refused("InvalidOptions"):
            files.history("src/app.ts", limit=0)
        with self.refused("NoFilesRecorded"):
            files.list(task="nobody")
        with hindcast.Log(self.demo()) as log, self.refused("NoFilesRecorded"):
            log.files.list()
        self.assertTrue(Path(str(ROOT), "src", "app.ts").exists())
