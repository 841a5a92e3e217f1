"""A log, and questions about it."""

from __future__ import annotations

import os
import weakref
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union, cast

from ._connection import Connection, given, is_address, located, shared
from ._files import Files
from ._program import Program
from ._rows import Rows
from ._types import Blame, Diff, Event, Head, Json, Moment, Task

_Path = Union[str, "os.PathLike[str]"]


class Log:
    """A log, open for questions. Nothing that it does changes the log, except ``rescore``.

    The log may be in use by any process. A ``Log`` can be pickled, copied and used after a fork: it opens the file
    again where it is.

    Args:
        path: the log's file. Default: the variable ``HINDCAST_LOG``, else ``.hindcast/log.db``.
        personal: decrypt personal data whose keys exist on this machine.
        timeline: the timeline that all questions are about. Default: ``main``.
        program: the program ``hindcast``. Default: see the guide.

    Raises:
        Refused: there is no such log (``LogMissing``), or the file is none.

    Example::

        with hindcast.Log("agent.db") as log:
            for task in log.tasks(outcomes=["failed"]):
                print(task["id"], task["goal"])
                print(log.explain(task["id"])["sentence"])
    """

    def __init__(
        self,
        path: Optional[_Path] = None,
        *,
        personal: bool = True,
        timeline: Optional[str] = None,
        program: Optional[Program] = None,
    ) -> None:
        self._given = located(path)
        self._personal = personal
        self._timeline = timeline
        self._program = program
        self._closed = False
        self._open()

    def _open(self) -> None:
        self._connection = shared(self._program)
        opened = self._connection.request("log.open", given(path=self._given, personal=self._personal))
        self._number: int = opened["log"]
        #: The absolute path of the log's file.
        self.path: str = opened["path"]
        if not is_address(self.path):
            # Another process opens the same file, even if it works elsewhere. What is shown of an address has no password.
            self._given = self.path
        self._finalizer = weakref.finalize(self, Connection.abandon, self._connection, "log.close", {"log": self._number})
        self._finalizer.atexit = False

    def _opened(self) -> Connection:
        if self._closed:
            raise ValueError(f"{self.path}: expected an open log, found one that was closed. Open it again.")
        # After a fork, and after the end of the program.
        if not self._connection.usable:
            self._finalizer.detach()
            self._open()
        return self._connection

    def _ask(self, method: str, **params: Any) -> Any:
        connection = self._opened()
        return connection.request(method, given(log=self._number, timeline=self._timeline, **params))

    def _request(self, method: str, **params: Any) -> Any:
        """Asks a question whose moments name their timeline."""
        connection = self._opened()
        return connection.request(method, given(log=self._number, **params))

    def _list(self, method: str, **params: Any) -> Iterator[Any]:
        connection = self._opened()
        return connection.pages(method, given(log=self._number, timeline=self._timeline, **params))

    def __repr__(self) -> str:
        return f"hindcast.Log({self.path!r})"

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the log. Nothing happens the second time."""
        self._closed = True
        self._finalizer()

    def __getstate__(self) -> Dict[str, Any]:
        return {
            "path": self._given,
            "personal": self._personal,
            "timeline": self._timeline,
            "program": self._program,
            "closed": self._closed,
        }

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__init__(  # type: ignore[misc]
            state["path"], personal=state["personal"], timeline=state["timeline"], program=state["program"]
        )
        if state["closed"]:
            self.close()

    @property
    def files(self) -> Files:
        """The recorded files of coding sessions: ``log.files.blame("src/main.ts")``."""
        return Files(self)

    # Tasks and events

    def head(self) -> Head:
        """The position and hash of the last event; position 0 for an empty log."""
        return cast(Head, self._ask("log.head"))

    def tasks(
        self,
        *,
        tasks: Optional[Sequence[str]] = None,
        agents: Optional[Sequence[str]] = None,
        plugins: Optional[Sequence[str]] = None,
        tags: Optional[Sequence[str]] = None,
        outcomes: Optional[Sequence[str]] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
        where: Optional[str] = None,
        own: bool = False,
    ) -> Rows[Task]:
        """Tasks, oldest first: those of this timeline, then those of its forks.

        Values of one argument are alternatives; different arguments must all match.

        Args:
            tasks: ids, or unique ends of ids.
            agents: ``name@version``, or a name for all versions.
            plugins: plugins that take part.
            tags: tags that people or programs gave to tasks.
            outcomes: ``achieved``, ``finished`` (nobody judged it), ``failed``, ``truncated``, ``abandoned``, ``open``.
            since: only tasks that opened after this moment.
            until: only tasks that closed by this moment.
            where: a CEL expression over ``task``, such as ``"task.steps > 10"``.
            own: also tasks in which Hindcast itself searched or restored files.
        """
        selection = _selection(tasks, agents, plugins, tags, outcomes, since, until, where)
        return Rows(lambda: self._list("log.tasks", own=own or None, **selection))

    def task(self, task: str) -> Task:
        """One task, by its id or a unique beginning or end of it (at least four characters)."""
        return cast(Task, self._ask("log.task", task=task))

    def events(
        self,
        *,
        task: Optional[str] = None,
        since: Optional[Moment] = None,
        until: Optional[Moment] = None,
        types: Optional[Sequence[str]] = None,
    ) -> Rows[Event]:
        """Events in order of their positions, up to the head at the start of each iteration.

        Args:
            task: only this task's events.
            since: only events after this moment.
            until: only events up to this moment.
            types: only events of these types.
        """
        return Rows(lambda: self._list("log.events", task=task, since=since, until=until, types=_listed(types)))

    def event(self, event: Moment) -> Event:
        """The event at a position, or with an id."""
        return cast(Event, self._ask("log.event", event=event))

    # The past

    def state(self, at: Optional[Moment] = None, path: str = "") -> Json:
        """The environment at a moment (default: now), or its part at a JSON Pointer such as ``/tasks``."""
        return self._ask("log.state", at=at, path=path)

    def diff(self, from_: Moment, to: Moment) -> Diff:
        """The differences of the environment between two moments, each with the event that caused it."""
        return cast(Diff, self._ask("log.diff", **{"from": from_, "to": to}))

    def history(
        self, path: str, *, since: Optional[Moment] = None, until: Optional[Moment] = None
    ) -> Rows[Dict[str, Json]]:
        """Every value that a path of the environment has had, oldest first, with the event that set it."""
        return Rows(lambda: self._list("log.history", path=path, since=since, until=until))

    def blame(self, path: str, at: Optional[Moment] = None) -> Blame:
        """The event that last changed the value at a JSON Pointer, up to a moment (default: now)."""
        return cast(Blame, self._ask("log.blame", path=path, at=at))

    def why(self, event: Moment) -> List[Event]:
        """The event, its cause, the cause's cause, and so on. A cause with ``inferred`` was found by its content."""
        return cast(List[Event], self._ask("log.why", event=event))

    def effects(self, event: Moment, *, limit: int = 100, forks: bool = False) -> Dict[str, Json]:
        """The events that an event caused, directly or through others. ``more``: the search ended at ``limit``."""
        return cast(Dict[str, Json], self._ask("log.effects", event=event, limit=limit, forks=forks))

    def bisect(
        self,
        when: str,
        *,
        from_: Optional[Moment] = None,
        to: Optional[Moment] = None,
        scan: bool = False,
    ) -> Dict[str, Json]:
        """The first moment at which a CEL expression over ``state``, ``event`` and ``position`` holds.

        Args:
            scan: examine every moment, instead of halving the range.
        """
        return cast(Dict[str, Json], self._ask("log.bisect", when=when, scan=scan, **{"from": from_, "to": to}))

    def watch(
        self,
        when: str,
        path: Optional[str] = None,
        *,
        since: Optional[Moment] = None,
        until: Optional[Moment] = None,
    ) -> Rows[Event]:
        """Each past event at which a CEL expression turned true; with a path, when the value there changed."""
        return Rows(lambda: self._list("log.watch", when=when, path=path, since=since, until=until))

    def explain(self, task: str) -> Dict[str, Json]:
        """Why a task failed: one ``sentence``, the ``moment`` to look at first, and a ``chain`` of events, each with its
        ``role`` and whether the log records it or a rule inferred it (``basis``). A task that did not fail says so."""
        return cast(Dict[str, Json], self._ask("log.explain", task=task))

    # Scores

    def audit(self, task: str) -> Dict[str, Json]:
        """The audit of a task: readings, commands, confirmations, changes, costs and scores."""
        return cast(Dict[str, Json], self._ask("log.audit", task=task))

    def audits(
        self,
        *,
        tasks: Optional[Sequence[str]] = None,
        agents: Optional[Sequence[str]] = None,
        plugins: Optional[Sequence[str]] = None,
        tags: Optional[Sequence[str]] = None,
        outcomes: Optional[Sequence[str]] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
        where: Optional[str] = None,
    ) -> Rows[Dict[str, Json]]:
        """The audits of all tasks, or of those selected (see ``tasks``), in one pass over the log. Closed tasks come
        first. Each equals the result of ``audit``."""
        selection = _selection(tasks, agents, plugins, tags, outcomes, since, until, where)
        return Rows(lambda: self._list("log.audits", **selection))

    def collective(self, task: str, *, cooperative: Optional[Sequence[str]] = None) -> Dict[str, Json]:
        """How the agents of a task behave together: who spoke to whom, who acted differently after hearing whom, and
        rewards and cooperation over time. The unknown is ``None``, never 0.

        Args:
            task: a task of several agents; another one is refused.
            cooperative: the actions that count as cooperation, such as ``["prisoners-dilemma/step 0"]``. Default: the
                cooperation is unknown.
        """
        return cast(Dict[str, Json], self._ask("log.collective", task=task, cooperative=_listed(cooperative)))

    def transitions(self, *, scores: Optional[str] = None) -> Rows[Dict[str, Json]]:
        """Every step of every task as state, action, reward and next state, for learning.

        Args:
            scores: a pointer, a score set's id or the end of it, or a label. Default: official if it names a set, else
                live.
        """
        return Rows(lambda: self._list("log.transitions", scores=scores))

    def scores(self) -> List[Dict[str, Json]]:
        """The score sets, oldest first, with the pointers that name them."""
        return cast(List[Dict[str, Json]], self._ask("log.scores"))

    def rescore(
        self,
        rubric: _Path,
        *,
        label: Optional[str] = None,
        tasks: Optional[Sequence[str]] = None,
        agents: Optional[Sequence[str]] = None,
        plugins: Optional[Sequence[str]] = None,
        tags: Optional[Sequence[str]] = None,
        outcomes: Optional[Sequence[str]] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
        where: Optional[str] = None,
    ) -> Dict[str, Json]:
        """Scores past tasks by the rubric in a file, as a new score set. Earlier scores stay. Runs no agent.

        Args:
            rubric: a YAML or JSON file of measures.
            label: the new score set's label. Default: the rubric's name.

        Returns:
            ``scoreSetId``, ``label``, ``taskIds``, ``totals`` and ``summary``.
        """
        selection = _selection(tasks, agents, plugins, tags, outcomes, since, until, where)
        file = os.path.abspath(os.fspath(rubric))
        return cast(Dict[str, Json], self._ask("log.rescore", rubric=file, label=label, **selection))

    def compare(
        self,
        a: str,
        b: str,
        *,
        models: bool = False,
        scores: Optional[str] = None,
        by: str = "net",
        pass_above: float = 0.0,
        seed: int = 1,
    ) -> Dict[str, Json]:
        """Compares two scorings of the same tasks, or two models on the same tasks; differences are B minus A.

        Args:
            a: a pointer, a score set's id or the end of it, or a label such as ``live``; with ``models``, a model as
                ``provider/model``.
            by: ``net``, or ``normalized``, which is net / possible.
            pass_above: a task passes with more than this.
            seed: of the resampling.
        """
        found = self._ask(
            "log.compare", a=a, b=b, models=models, scores=scores, by=by, passAbove=pass_above, seed=seed
        )
        return cast(Dict[str, Json], found)

    def export(
        self,
        what: str,
        output: _Path,
        *,
        format: Optional[str] = None,
        force: bool = False,
        decrypt: bool = False,
        task: Optional[str] = None,
        scores: Optional[str] = None,
    ) -> Dict[str, Json]:
        """Writes some of the log to a file, as ``hindcast export`` does.

        Args:
            what: ``events``, ``audits``, ``transitions``, ``otlp``, ``mcap``, ``piaavt``, ``html`` or ``studio``.
            output: the file. The end of its name chooses the format, unless ``format`` does.
            force: replace the file if it exists.
            decrypt: write personal data as plain text. The file stays readable after a key is destroyed.

        Returns:
            What was written: ``file``, ``bytes``, and counts.
        """
        file = os.path.abspath(os.fspath(output))
        found = self._ask(
            "log.export",
            what=what,
            output=file,
            format=format,
            force=force,
            decrypt=decrypt,
            task=task,
            scores=scores,
        )
        return cast(Dict[str, Json], found)


def _listed(values: Optional[Sequence[str]]) -> Optional[List[str]]:
    if isinstance(values, str):
        raise TypeError(f"Expected a list of texts, found the text {values!r}. Write [{values!r}].")
    return None if values is None else list(values)


def _selection(
    tasks: Optional[Sequence[str]],
    agents: Optional[Sequence[str]],
    plugins: Optional[Sequence[str]],
    tags: Optional[Sequence[str]],
    outcomes: Optional[Sequence[str]],
    since: Optional[str],
    until: Optional[str],
    where: Optional[str],
) -> Dict[str, Any]:
    return {
        "tasks": _listed(tasks),
        "agents": _listed(agents),
        "plugins": _listed(plugins),
        "tags": _listed(tags),
        "outcomes": _listed(outcomes),
        "since": since,
        "until": until,
        "where": where,
    }
