"""Agents in Python on tasks of the kernel: it perceives, asks the agent, and takes its commands through the gate."""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
import warnings
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Protocol, Sequence, Union, cast

from . import _rewards
from ._connection import Connection, exact, given, located
from ._program import Program
from ._record import Marked, marked
from ._recordable import message_of, recordable, well_formed
from ._signature import schema_of
from .errors import HindcastError, NotJson, Refused

_Path = Union[str, "os.PathLike[str]"]

#: A decision: ``{"act": "plugin/actuator", "args": {…}}``, ``{"say": "text"}`` or
#: ``{"done": "achieved" | "failed" | "truncated" | "abandoned", "reason": …}``. Each may have a ``rationale``.
Choice = Mapping[str, Any]


class View:
    """What an agent sees when it decides. All of it comes from the log or a recorded seed, so a replay shows it again."""

    def __init__(self, kernel: Kernel, told: Mapping[str, Any], known: Dict[str, Any], past: List[Dict[str, Any]]) -> None:
        self._kernel = kernel
        self._past = past
        #: The task's id.
        self.task: str = told["taskId"]
        self.goal: str = told["goal"]
        #: The number of the decision, from 0.
        self.step: int = told["step"]
        #: The newest readings, by ``plugin/sensor``.
        self.readings: Dict[str, Any] = told["readings"]
        #: What others said since the last decision, oldest first: ``source``, ``content``, ``delivery``.
        self.inputs: List[Dict[str, Any]] = told["inputs"]
        #: How the last command ended: ``status`` and its ``result``, ``error`` or ``reason``; None before the first.
        self.last_outcome: Optional[Dict[str, Any]] = told["lastOutcome"]
        #: The time of the newest event that it sees, in milliseconds since 1970.
        self.now: float = told["now"]
        #: The plugins that take part, with what they say about their environments.
        self.plugins: List[Dict[str, Any]] = known["plugins"]
        self.sensors: List[Dict[str, Any]] = known["sensors"]
        #: The commands that it can give, with the schemas of their arguments.
        self.actuators: List[Dict[str, Any]] = known["actuators"]
        #: Its setup in a scenario; None outside one.
        self.config: Optional[Dict[str, Any]] = known.get("config")

    def random(self) -> float:
        """A number in [0, 1) that follows from the task's seed: a replay draws the same numbers."""
        return float(self._kernel._of_decision("kernel.random"))

    @property
    def history(self) -> List[Dict[str, Any]]:
        """Its earlier decisions in this task, oldest first: ``step``, ``choice`` and ``outcome``."""
        if len(self._past) < self.step:
            self._past += self._kernel._of_decision("kernel.history", **{"from": len(self._past)})
        return self._past[: self.step]

    def consult(
        self, provider: str, model: str, request: Any, answering: Callable[[], Mapping[str, Any]]
    ) -> Any:
        """Asks a language model, and returns the response as the log has it. A replay returns it without asking.

        Args:
            provider: such as ``openai``.
            model: the model's name.
            request: the request as JSON, for the log.
            answering: asks the model. Returns ``{"response": JSON, "usage": {"inputTokens": …, "outputTokens": …}}``.

        Raises:
            Refused: in a replay, the request failed when it was recorded. The log has failures that are a
                ``TimeoutError`` or a ``ConnectionError``; a replay cannot pass others.
        """
        question = {"provider": provider, "model": model, "request": recordable(request)}
        recorded = self._kernel._of_decision("kernel.consult", question=question)
        if recorded is not None:
            return recorded["recorded"]
        try:
            answered = answering()
            answer: Dict[str, Any] = {**answered, "response": recordable(answered["response"])}
        except BaseException as error:
            try:
                self._kernel._of_decision("kernel.consulted", answer={"failed": {**_failed(error), **_kind(error)}})
            except Refused:
                # The answer repeats the failure; the caller gets the error itself.
                pass
            raise
        return self._kernel._of_decision("kernel.consulted", answer=answer)["response"]


class Agent(Protocol):
    """Decides for a task. ``decide`` may be a coroutine function."""

    name: str
    version: str

    def decide(self, view: View) -> Any:
        """Returns the choice."""
        ...


class _Function:
    def __init__(self, decide: Callable[[View], Any], name: str, version: str) -> None:
        self.name, self.version, self.decide = name, version, decide
        self.__doc__ = decide.__doc__


def agent(name: str, version: str = "1.0.0") -> Callable[[Callable[[View], Any]], Agent]:
    """Makes an agent from a function that decides.

    Args:
        name: lower-case letters, digits and hyphens.
        version: as ``1.0.0``. A replay compares it.

    Example::

        @hindcast.agent("balancer")
        def balancer(view):
            ...
            return {"act": "cart-pole/step", "args": {"action": 1}}
    """
    return lambda decide: _Function(decide, name, version)


class Kernel:
    """Runs agents of this program on tasks of a log. One task at a time: a thread that begins another one gets an error.

    Ctrl-C closes the task at work as ``abandoned``. If this process is killed, its task stays open, and ``resume``
    continues it.

    Args:
        log: the log's file; it is made if it does not exist. Default: as for ``Log``. The kernel has it to itself.
        worlds: names of worlds, as for ``make``.
        plugins: directories of plugins.
        tools: functions that agents may call as ``program/NAME``, best marked with ``tool``. The annotations of their
            arguments become the schema that commands must fit.
        sensors: functions without arguments that agents read as ``program/NAME``.
        gate: ``ask`` (a person decides about commands of more than low risk), ``allow`` or ``deny``.
        sandbox: of the plugins, as for ``make``.
        trust: whether to start the plugins of a log from elsewhere.
        seed: of all randomness. Default: random, and recorded.
        workspace: the directory that plugins may work in. Default: the working directory.
        confirm_within: seconds that a person has to answer.
    """

    def __init__(
        self,
        log: Optional[_Path] = None,
        *,
        worlds: Sequence[_Path] = (),
        plugins: Sequence[_Path] = (),
        tools: Iterable[Callable[..., Any]] = (),
        sensors: Iterable[Callable[[], Any]] = (),
        gate: str = "ask",
        sandbox: str = "auto",
        trust: bool = False,
        seed: Optional[int] = None,
        workspace: Optional[_Path] = None,
        confirm_within: Optional[float] = None,
        program: Optional[Program] = None,
    ) -> None:
        self._tools = {found.name: found for found in map(_marked("tool"), tools)}
        self._sensors = {found.name: found for found in map(_marked("sensor"), sensors)}
        self._alone = threading.Lock()
        self._connection = Connection(program)
        try:
            opened = self._connection.request(
                "kernel.open",
                given(
                    log=located(log),
                    worlds=[os.fspath(world) for world in worlds],
                    plugins=[_absolute(plugin) for plugin in plugins],
                    tools=[_declared_tool(tool) for tool in self._tools.values()],
                    sensors=[_declared_sensor(sensor) for sensor in self._sensors.values()],
                    gate=gate,
                    sandbox=sandbox,
                    trust=trust,
                    seed=seed,
                    workspace=_absolute(workspace),
                    confirmWithinMs=_milliseconds(confirm_within),
                ),
            )
        except BaseException:
            self._connection.close()
            raise
        self._kernel: int = opened["kernel"]
        #: The log's file.
        self.log: str = opened["log"]
        #: The names of the plugins that agents of this kernel may use.
        self.plugins: List[str] = opened["plugins"]

    def run(
        self,
        agent: Agent,
        goal: str,
        *,
        plugins: Optional[Sequence[str]] = None,
        options: Optional[Mapping[str, Mapping[str, Any]]] = None,
        seed: Optional[int] = None,
        subject: Optional[str] = None,
        max_steps: Optional[int] = None,
        deadline: Optional[float] = None,
    ) -> Dict[str, Any]:
        """Opens a task, lets the agent work until it is done or out of steps, closes the task and scores it.

        A tool or sensor whose result JSON cannot hold fails. Coroutine functions share one event loop.

        Args:
            goal: what the task is for.
            plugins: the names of those that take part. Default: all of ``plugins``.
            options: of worlds, by plugin, such as ``{"frozen-lake": {"map_name": "8x8"}}``.
            seed: worlds are reset with it. Default: follows from the kernel's.
            subject: the person whose data the task contains; it is encrypted with this person's key.
            max_steps: of the agent. Default: 100.
            deadline: seconds that the sensors may take at each step.

        Returns:
            The audit, as ``Log.audit`` returns it.

        Raises:
            Exception: what the agent raised. The task is closed as failed.
            NotJson: the agent's choice is more than JSON can hold. Numbers and arrays of numpy, and paths, are converted.
            HindcastError: an event loop runs here, and the agent, a tool or a sensor is a coroutine function.
        """
        return self._work(
            "kernel.run",
            agent,
            given(
                goal=goal,
                plugins=self.plugins if plugins is None else list(plugins),
                options=options,
                seed=seed,
                subject=subject,
                maxSteps=max_steps,
                deadlineMs=_milliseconds(deadline),
            ),
            subject,
        )

    def replay(
        self, agent: Agent, task: str, *, timeline: Optional[str] = None, deadline: Optional[float] = None
    ) -> Dict[str, Any]:
        """Lets the agent repeat a recorded task: everything it perceives comes from the log, and nothing is executed.

        Args:
            deadline: seconds for each decision.

        Returns:
            A report, whose ``verdict`` is ``identical`` or ``diverged``; ``divergence`` says where.
        """
        params = given(task=task, timeline=timeline, deadlineMs=_milliseconds(deadline))
        return self._work("kernel.replay", agent, params)

    def fork(
        self,
        agent: Agent,
        at: Union[int, str],
        *,
        task: Optional[str] = None,
        timeline: Optional[str] = None,
        overrides: Optional[Mapping[str, Any]] = None,
        io: Optional[str] = None,
        fresh: Optional[bool] = None,
        accept_unrewound: Optional[bool] = None,
        max_steps: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Lets the agent continue from a past moment, on a timeline of its own. Returns its names and its audit.

        Args:
            at: the last moment that both share, such as ``"@412"``.
            overrides: ``seed``, ``goal``, ``readings`` by sensor and ``world`` by plugin, that are otherwise from then on.
            io: ``live`` (the default), or ``recorded``, which executes nothing.
            fresh: start without a past, instead of repeating the recorded decisions.
        """
        params = given(
            at=at,
            task=task,
            timeline=timeline,
            overrides=overrides,
            io=io,
            fresh=fresh,
            acceptUnrewound=accept_unrewound,
            maxSteps=max_steps,
        )
        return self._work("kernel.fork", agent, params)

    def resume(
        self,
        agent: Agent,
        task: str,
        *,
        accept_unrewound: Optional[bool] = None,
        max_steps: Optional[int] = None,
        deadline: Optional[float] = None,
    ) -> Dict[str, Any]:
        """Continues a task that an earlier kernel left open. The agent must have the same name. Returns the audit."""
        params = given(
            task=task, acceptUnrewound=accept_unrewound, maxSteps=max_steps, deadlineMs=_milliseconds(deadline)
        )
        return self._work("kernel.resume", agent, params)

    def unfinished(self) -> List[Dict[str, Any]]:
        """The open tasks that nobody works on, oldest first. ``resume`` continues them."""
        return cast("List[Dict[str, Any]]", self._connection.request("kernel.unfinished", {"kernel": self._kernel}))

    def close(self) -> None:
        """Ends the kernel, and leaves the log to others. Nothing happens the second time."""
        if self._connection.usable:
            try:
                self._connection.request("kernel.close", {"kernel": self._kernel})
            finally:
                self._connection.close()

    def __enter__(self) -> Kernel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _work(
        self, method: str, agent: Agent, params: Dict[str, Any], subject: Optional[str] = None
    ) -> Dict[str, Any]:
        for field in ("name", "version"):
            if not isinstance(getattr(agent, field, None), str):
                raise TypeError(f"Expected an agent with a {field}, found {agent!r}. `hindcast.agent` makes one of a function.")
        if not self._alone.acquire(blocking=False):
            raise HindcastError("Expected one task at a time on a kernel, found another one at work. Open another kernel.")
        try:
            self._check_loop(agent)
            work = _Work(self, agent)
            with _rewards.of_task() as rewards:
                try:
                    done = work.done(method, params)
                except BaseException:
                    if method in _REWARDED:
                        self._give_of_failed(work.task, rewards, subject)
                    raise
            if method in _REWARDED:
                _rewards.give(self._connection, self.log, done["taskId"], rewards, subject)
            return done
        finally:
            self._alone.release()

    def _check_loop(self, agent: Agent) -> None:
        marked = [*self._tools.values(), *self._sensors.values()]
        functions = [agent.decide, *(one.function for one in marked)]
        if _is_in_loop() and any(inspect.iscoroutinefunction(function) for function in functions):
            raise HindcastError(_IN_LOOP)

    def _give_of_failed(self, task: Optional[str], rewards: List[Dict[str, Any]], subject: Optional[str]) -> None:
        """Writes the rewards of a task whose work ended with an error, which the caller gets."""
        if task is None or not rewards:
            return
        try:
            _rewards.give(self._connection, self.log, task, rewards, subject)
        except HindcastError as error:
            warnings.warn(f"{len(rewards)} rewards of the task {task} are not recorded: {error}", RuntimeWarning, 4)

    def _of_decision(self, method: str, **params: Any) -> Any:
        return self._connection.request(method, {"kernel": self._kernel, **params})


class _Work:
    """Answers the kernel's questions until the work has ended."""

    def __init__(self, kernel: Kernel, agent: Agent) -> None:
        self._kernel, self._agent = kernel, agent
        self._known: Dict[str, Any] = {}
        self._past: List[Dict[str, Any]] = []
        self._error: Optional[Exception] = None
        self._loop = _Loop()
        #: Known from the first question.
        self.task: Optional[str] = None

    def done(self, method: str, params: Mapping[str, Any]) -> Dict[str, Any]:
        """Begins, and answers until the end."""
        agent = {"name": self._agent.name, "version": self._agent.version}
        try:
            self._kernel._of_decision(method, agent=agent, **params)
            found = self._kernel._of_decision("kernel.next")
            while "ask" in found:
                found = self._answered(found["ask"])
            return cast("Dict[str, Any]", found["ended"])
        except HindcastError as error:
            self._stop()
            if self._error is not None:
                # The agent's own error says more than that it failed.
                raise self._error from error
            raise
        except BaseException:
            self._stop()
            raise
        finally:
            self._loop.close()

    def _stop(self) -> None:
        """Ends the work if it has not ended itself, so that the kernel can begin another."""
        if self._kernel._connection.usable:
            self._kernel._of_decision("kernel.stop")

    def _answered(self, ask: Mapping[str, Any]) -> Mapping[str, Any]:
        """Answers a question. Returns the next one, or the end."""
        self.task = ask["decide"]["taskId"] if "decide" in ask else ask["task"]
        try:
            answer = {"ask": ask["ask"], "result": self._result(ask)}
        except Exception as error:
            answer = self._failure(ask, error)
        try:
            return cast("Mapping[str, Any]", self._kernel._of_decision("kernel.next", answer=answer))
        except NotJson as error:
            # It is too large, and was not sent.
            failure = self._failure(ask, error)
        return cast("Mapping[str, Any]", self._kernel._of_decision("kernel.next", answer=failure))

    def _failure(self, ask: Mapping[str, Any], error: Exception) -> Dict[str, Any]:
        if "decide" in ask:
            self._error = error
        return {"ask": ask["ask"], "failed": _failed(error)}

    def _result(self, ask: Mapping[str, Any]) -> Any:
        if "decide" in ask:
            told = ask["decide"]
            if "actuators" in told:
                self._known = told
            choice = dict(self._loop.ended(self._agent.decide(View(self._kernel, told, self._known, self._past))))
            texts = {name: well_formed(choice[name]) for name in _TEXTS if isinstance(choice.get(name), str)}
            return exact({**choice, **texts})
        if "tool" in ask:
            return exact(self._loop.ended(self._kernel._tools[ask["tool"]].function(**ask["args"])))
        return exact(self._loop.ended(self._kernel._sensors[ask["sensor"]].function()))


class _Loop:
    """An event loop for all coroutines of a work: what one opens, such as a client of HTTP, the next one can use."""

    def __init__(self) -> None:
        self._loop: Optional[asyncio.AbstractEventLoop] = None

    def ended(self, value: Any) -> Any:
        """The value, or what it comes to if it is awaitable."""
        if not inspect.isawaitable(value):
            return value
        if _is_in_loop():
            if inspect.iscoroutine(value):
                value.close()
            raise HindcastError(_IN_LOOP)
        if self._loop is None:
            self._loop = asyncio.new_event_loop()

        async def ended() -> Any:
            return await value

        return self._loop.run_until_complete(ended())

    def close(self) -> None:
        loop, self._loop = self._loop, None
        if loop is None:
            return
        try:
            left = asyncio.all_tasks(loop)
            for task in left:
                task.cancel()
            if left:
                loop.run_until_complete(asyncio.wait(left))
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
        finally:
            loop.close()


def _is_in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


_IN_LOOP = (
    "Expected a call outside a running event loop, because the agent, a tool or a sensor is a coroutine function, found one "
    "within. Await `asyncio.to_thread(kernel.run, agent, goal)`, which runs it in a thread."
)

#: The work whose rewards are recorded.
_REWARDED = ("kernel.run", "kernel.resume")

#: The texts of a choice, in which a replacement character changes no command.
_TEXTS = ("say", "reason", "rationale")


def _failed(error: BaseException) -> Dict[str, str]:
    return {"name": well_formed(type(error).__name__), "message": message_of(error)}


def _kind(error: BaseException) -> Dict[str, str]:
    """The kind of a model's failure, as far as every client names it alike. The log records no other failures."""
    if isinstance(error, TimeoutError):
        return {"kind": "timed-out"}
    return {"kind": "unreachable"} if isinstance(error, ConnectionError) else {}


def _marked(kind: str) -> Callable[[Callable[..., Any]], Marked]:
    def of(function: Callable[..., Any]) -> Marked:
        found = marked(function)
        if found.kind not in (None, kind):
            raise TypeError(f"Expected a {kind}, found {found.name!r}, which is marked as {found.kind}.")
        return found

    return of


def _declared_tool(tool: Marked) -> Dict[str, Any]:
    description = tool.options.get("description") or f"The function {tool.name} of the program"
    return {"name": tool.name, **tool.options, "description": description, "args": schema_of(tool.function)}


def _declared_sensor(sensor: Marked) -> Dict[str, Any]:
    text = (inspect.getdoc(sensor.function) or f"The function {sensor.name} of the program").splitlines()[0]
    return {"name": sensor.name, "description": text}


def _milliseconds(seconds: Optional[float]) -> Optional[float]:
    return None if seconds is None else round(seconds * 1000)


def _absolute(path: Optional[_Path]) -> Optional[str]:
    return None if path is None else os.path.abspath(os.fspath(path))
