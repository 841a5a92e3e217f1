"""Questions about a log, compared with the commands that answer them."""

from __future__ import annotations

import copy
import json
import os
import pickle
import unittest
from itertools import islice
from pathlib import Path

import hindcast

from .story import WithPlace, run


#: A rubric.
SHORT = {
    "name": "short",
    "measures": [
        {
            "name": "brevity",
            "description": "Few steps.",
            "rewards": [
                {
                    "name": "short",
                    "when": "The task took few steps.",
                    "weight": 1,
                    "rule": 'event.type == "TaskClosed" && task.steps < 8',
                }
            ],
        }
    ],
}


class Questions(WithPlace):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.log = hindcast.Log(cls.demo())
        cls.addClassCleanup(cls.log.close)

    def command(self, *words: str) -> object:
        return json.loads(run(*words, "--json", "--log", str(self.demo())))

    def test_lists_the_tasks_that_task_ls_lists(self) -> None:
        listed = self.command("task", "ls", "--all")
        self.assertEqual(list(self.log.tasks(own=True)), listed["tasks"])  # type: ignore[index]
        failed = [task["id"] for task in self.log.tasks(outcomes=["failed"])]
        self.assertEqual(failed, [t["id"] for t in listed["tasks"] if t["outcome"] == "failed"])  # type: ignore[index]
        self.assertGreater(len(failed), 0)
        self.assertEqual(list(self.log.tasks(outcomes=["failed"], where="task.steps > 1000000")), [])

    def test_reads_events_by_range_type_and_task(self) -> None:
        head = self.log.head()["position"]
        events = list(self.log.events())
        self.assertEqual([event["position"] for event in events], list(range(1, head + 1)))
        self.assertEqual(list(self.log.events(since=10, until="@20")), events[10:20])
        opened = list(self.log.events(types=["TaskOpened"]))
        self.assertEqual(opened, [event for event in events if event["type"] == "TaskOpened"])
        task = opened[0]["taskId"]
        self.assertEqual(list(self.log.events(task=task)), [e for e in events if e["taskId"] == task])
        self.assertEqual(self.log.event(opened[0]["id"]), opened[0])

    def test_answers_as_the_commands_do(self) -> None:
        task = self.log.tasks(outcomes=["failed"]).first()
        assert task is not None
        end = task["to"]
        self.assertEqual(self.log.audit(task["id"]), self.command("audit", task["id"]))
        self.assertEqual(self.log.task(task["id"][-12:]), task)
        self.assertEqual(self.log.state(at=end, path="/tasks"), self.command("state", "--at", f"@{end}", "--path", "/tasks")["state"])  # type: ignore[index]
        self.assertEqual(self.log.diff(task["from"], end), self.command("diff", f"@{task['from']}", f"@{end}"))
        self.assertEqual(self.log.why(end), self.command("why", f"@{end}")["chain"])  # type: ignore[index]
        self.assertEqual(self.log.effects(task["from"]), self.command("effects", f"@{task['from']}"))
        path = f"/tasks/{task['id']}/open"
        blamed = self.log.blame(path)
        self.assertEqual(blamed, self.command("blame", path))
        changes = list(self.log.history(path))
        self.assertEqual(changes[-1]["event"], blamed["event"])
        when = f'event.type == "TaskClosed" && event.taskId == "{task["id"]}"'
        self.assertEqual(self.log.bisect(when, scan=True)["event"]["position"], end)
        self.assertEqual([event["position"] for event in self.log.watch(when)], [end])
        explained = self.log.explain(task["id"])
        self.assertEqual(explained, self.command("why", task["id"]))
        self.assertGreater(len(explained["chain"]), 0)

    def test_audits_many_tasks_in_one_pass(self) -> None:
        audits = {audit["taskId"]: audit for audit in self.log.audits()}
        self.assertEqual(audits.keys(), {task["id"] for task in self.log.tasks(own=True) if "timeline" not in task})
        chosen = list(self.log.audits(outcomes=["failed"]))
        self.assertEqual({audit["outcome"] for audit in chosen}, {"failed"})
        for audit in chosen:
            self.assertEqual(audit, audits[audit["taskId"]])

    def test_gives_steps_with_rewards_as_the_export_does(self) -> None:
        file = self.place / "steps.jsonl"
        written = self.log.export("transitions", file)
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        self.assertEqual(list(self.log.transitions()), rows)
        self.assertEqual(written["steps"], len(rows))
        self.assertGreater(len(rows), 0)
        with self.refused("OutputExists"):
            self.log.export("transitions", file)
        self.log.export("transitions", file, force=True)
        with self.refused("InvalidOptions"):
            self.log.export("nothing", file)

    def test_scores_again_and_compares(self) -> None:
        rubric = self.place / "rubric.json"
        rubric.write_text(json.dumps(SHORT))
        before = self.log.head()["position"]
        scored = self.log.rescore(rubric, label="short")
        self.assertGreater(self.log.head()["position"], before)
        self.assertEqual(len(scored["taskIds"]), len([t for t in self.log.tasks() if t["outcome"] is not None]))
        self.assertIn(scored["scoreSetId"], [set_["scoreSetId"] for set_ in self.log.scores()])
        compared = self.log.compare("live", "short")
        self.assertEqual(compared, self.command("compare", "live", "short"))
        with self.refused("ScoringNotFound"):
            self.log.compare("live", "nothing")
        with self.refused("RubricInvalid"):
            broken = self.place / "broken.yaml"
            broken.write_text("measures: 3")
            self.log.rescore(broken)

    def test_refuses_bad_input_and_goes_on(self) -> None:
        for tag, ask in (
            ("TaskNotFound", lambda: self.log.audit("no-such-task")),
            ("OfOneAgent", lambda: self.log.collective(next(iter(self.log.tasks()))["id"])),
            ("PositionOutOfRange", lambda: self.log.state(at=10**9)),
            ("MomentInvalid", lambda: self.log.state(at="yesterday")),
            ("PathInvalid", lambda: self.log.blame("tasks")),
            ("RangeReversed", lambda: list(self.log.events(since=20, until=10))),
            ("InvalidOptions", lambda: self.log.state(at=True)),
            ("InvalidOptions", lambda: self.log.state(at=["__proto__"])),  # type: ignore[arg-type]
            ("PathNotFound", lambda: self.log.state(path="/__proto__")),
            ("TimelineNotFound", lambda: hindcast.Log(self.demo(), timeline="fork-9").state()),
        ):
            with self.subTest(tag), self.refused(tag):
                ask()
        with self.assertRaises(hindcast.NotJson):
            self.log.effects(1, limit=float("nan"))  # type: ignore[arg-type]
        with self.assertRaises(hindcast.NotJson):
            self.log.state(path="x" * (17 << 20))
        with self.assertRaisesRegex(TypeError, r"\['failed'\]"):
            self.log.tasks(outcomes="failed")
        self.assertGreater(self.log.head()["position"], 0)

    def test_a_listing_that_nobody_reads_on_ends(self) -> None:
        events = self.log.events()
        self.assertEqual([event["position"] for event in islice(events, 2)], [1, 2])
        self.assertEqual(len(list(events)), self.log.head()["position"])

    def test_a_missing_log_and_a_file_that_is_none_are_refused(self) -> None:
        with self.refused("LogMissing"):
            hindcast.Log(self.place / "gone.db")
        other = self.place / "other.db"
        other.write_text("no log")
        with self.assertRaises(hindcast.Refused):
            hindcast.Log(other)
        self.assertEqual(other.read_text(), "no log")

    def test_can_be_pickled_copied_and_closed(self) -> None:
        again = pickle.loads(pickle.dumps(self.log))
        self.assertEqual(again.head(), self.log.head())
        with copy.deepcopy(again) as copied:
            self.assertEqual(copied.head(), self.log.head())
        with self.assertRaisesRegex(ValueError, "closed"):
            copied.head()
        self.assertEqual(again.head(), self.log.head())
        closed = pickle.loads(pickle.dumps(copied))
        with self.assertRaisesRegex(ValueError, "closed"):
            closed.head()

    def test_is_relative_to_the_directory_in_which_it_was_opened(self) -> None:
        before = Path.cwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.place)
        with hindcast.Log("demo.db") as log:
            self.assertEqual(log.path, str(self.demo().resolve()))

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_after_a_fork_the_child_opens_it_again_and_the_parent_goes_on(self) -> None:
        rows = iter(self.log.events())
        next(rows)
        head = self.log.head()
        in_child = _in_child(lambda: (self.log.head(), _error_of(lambda: list(rows))))
        self.assertEqual(in_child[0], head)
        self.assertEqual(self.log.head(), head)
        self.assertEqual(sum(1 for _ in rows), head["position"] - 1)


class Frames(unittest.TestCase):
    ROWS = hindcast.Rows(lambda: iter([{"id": "a", "model": {"calls": 2}}, {"id": "b", "model": None}]))

    def test_become_data_frames_of_pandas(self) -> None:
        try:
            import pandas  # noqa: F401
        except ImportError:
            with self.assertRaises(ImportError):
                self.ROWS.to_pandas()
            return
        self.assertEqual(list(self.ROWS.to_pandas()["id"]), ["a", "b"])
        self.assertEqual(list(self.ROWS.to_pandas(flatten=True)["model.calls"])[:1], [2])

    def test_become_data_frames_of_polars(self) -> None:
        try:
            import polars  # noqa: F401
        except ImportError:
            with self.assertRaises(ImportError):
                self.ROWS.to_polars()
            return
        self.assertEqual(self.ROWS.to_polars().to_dicts(), [{"id": "a", "model": '{"calls": 2}'}, {"id": "b", "model": None}])


def _in_child(ask):  # type: ignore[no-untyped-def]
    """What a forked process answers."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, pickle.dumps(ask()))
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as answer:
        found = pickle.load(answer)
    os.waitpid(child, 0)
    return found


def _error_of(ask):  # type: ignore[no-untyped-def]
    try:
        ask()
    except hindcast.HindcastError as error:
        return type(error).__name__
    return None
