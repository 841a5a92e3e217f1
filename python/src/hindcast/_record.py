"""Records this program, or replays it: its requests to models, and the functions that it marks as tools and sensors."""

from __future__ import annotations

import asyncio
import functools
import http.client
import inspect
import json
import os
import threading
import urllib.parse
from types import TracebackType
from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional, Sequence, Type, TypeVar, Union, cast, overload

from . import _rewards
from ._connection import Connection, encoded, given, located
from ._program import Program
from ._recordable import arguments, check, message_of, signature_of, well_formed
from .errors import ConnectionLost, HindcastError, NotJson, Refused, RunEnded, ToolDenied, ToolFailed

_Path = Union[str, "os.PathLike[str]"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

#: Set by `hindcast record --proxy`, `replay` and `fork`: the address at which they take this program's own calls.
_OUTER = "HINDCAST_RUN"


class _Outer:
    """The run of the command that started this program."""

    def __init__(self, address: str) -> None:
        self._address = urllib.parse.urlsplit(address)

    def request(self, method: str, params: Mapping[str, Any]) -> Any:
        """Asks as ``Connection.request`` does, for the methods of a run."""
        body = encoded({name: value for name, value in params.items() if name != "run"})
        # Each call has a connection of its own: it may wait for a person.
        connection = http.client.HTTPConnection(self._address.hostname or "", self._address.port)
        try:
            connection.request(
                "POST",
                f"{self._address.path}/{method.split('.')[1]}",
                body,
                {"content-type": "application/json"},
            )
            response = connection.getresponse()
            answer = json.loads(response.read())
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise ConnectionLost(f"The run in {_OUTER} does not answer: {error or type(error).__name__}.") from error
        finally:
            connection.close()
        if response.status == 200:
            return answer
        failed = answer["error"]
        raise Refused(failed["type"].partition("_")[2], failed["message"].partition(": ")[2])


class Run:
    """A run that is being recorded or replayed, from ``with hindcast.record(…) as run``.

    Clients of models must be made within the block: they read the addresses from the environment when they are made.
    """

    def __init__(
        self,
        connection: Union[Connection, _Outer],
        number: int,
        task: Optional[str],
        told: Dict[str, str],
        asking: Optional[_Outer] = None,
    ) -> None:
        self._connection = connection
        #: Takes calls that may wait for a person, so that others do not wait behind them.
        self._asking: Union[Connection, _Outer] = connection if asking is None else asking
        self._is_over = False
        #: The variables that the recorder knows, to keep keys in them out of the log.
        self._told = told
        self._number = number
        self._outcome: Optional[tuple[str, Optional[str]]] = None
        #: The id of the task; None where a command (``hindcast record --proxy``, ``replay``, ``fork``) runs this program.
        self.task: Optional[str] = task

    def end(self, outcome: str, reason: Optional[str] = None) -> None:
        """Says how the run ends, when its block does: ``achieved`` (the default), ``failed``, ``truncated`` or
        ``abandoned``."""
        self._outcome = (outcome, reason)

    def _request(self, method: str, **params: Any) -> Any:
        if self._is_over:
            raise self._ended()
        is_asking = method == "run.call" and params["kind"] == "tool"
        connection = self._asking if is_asking else self._connection
        try:
            return connection.request(method, {"run": self._number, **params})
        except ConnectionLost as error:
            if self._is_over:
                raise self._ended() from error
            raise

    def _ended(self) -> RunEnded:
        return RunEnded(
            f"Expected the call within the block of the run {self.task}, found it after the block's end. Await tasks "
            "and join threads before the block ends."
        )

    def _of_call(self, method: str, **params: Any) -> Any:
        """A request about a call, with what the program has changed in its environment."""
        now = {name: os.environ.get(name, "") for name in list(os.environ)}
        env = {name: value for name, value in now.items() if self._told.get(name) != value}
        answer = self._request(method, **params, **({"env": env} if env else {}))
        self._told.update(env)
        return answer

    def _call(self, kind: str, name: str, args: Dict[str, Any], options: Mapping[str, Any]) -> Dict[str, Any]:
        begun = self._of_call("run.call", kind=kind, name=name, args=args, **options)
        if "denied" in begun:
            raise ToolDenied(name, begun["denied"]["rule"], begun["denied"]["reason"])
        if "failed" in begun:
            raise ToolFailed(begun["failed"]["name"], begun["failed"]["message"])
        return cast(Dict[str, Any], begun)

    def _returned(self, call: int, result: Any) -> None:
        try:
            check(result)
            self._of_call("run.ended", call=call, result=result)
        except NotJson as error:
            self._of_call("run.ended", call=call, unrecorded=message_of(error))

    def _raised(self, call: int, error: BaseException) -> None:
        if self._is_over:
            # The function's own error says more, and the log of the run is closed.
            return
        failed = {"name": well_formed(type(error).__name__), "message": message_of(error)}
        self._of_call("run.ended", call=call, failed=failed)


#: The run of this process. The variables of the environment are the process's, too.
_current: Optional[Run] = None

#: Held while a block begins or restores the variables.
_changing = threading.RLock()


#: The variables that the runs of commands know, by their addresses.
_told: Dict[str, Dict[str, str]] = {}


def current_run() -> Optional[Run]:
    """The run that calls belong to: that of the block, else that of the command that started this program."""
    if _current is not None:
        return _current
    address = os.environ.get(_OUTER)
    return None if not address else Run(_Outer(address), 0, None, _told.setdefault(address, {}))


class _Block:
    """The context manager of ``record`` and ``replay``."""

    def __init__(self, method: str, params: Dict[str, Any], program: Optional[Program]) -> None:
        self._method, self._params, self._program = method, params, program
        self._run: Optional[Run] = None
        self._before: Dict[str, Optional[str]] = {}
        self._set: Dict[str, str] = {}

    def __enter__(self) -> Run:
        with _changing:
            return self._begin()

    def _begin(self) -> Run:
        global _current
        if _current is not None:
            raise HindcastError(
                f"Expected no other run in this process, found the run {_current.task}. End it first: its block sets "
                "variables of the whole process."
            )
        outer = current_run()
        if outer is not None:
            # The command that started this program records or replays all of it.
            run = outer
        else:
            connection = Connection(self._program)
            env = dict(os.environ)
            try:
                begun = connection.request(self._method, {**self._params, "env": env})
            except BaseException:
                connection.close()
                raise
            self._set = dict(begun["variables"])
            # Without a gate, nobody is asked, and the connection is quicker.
            asking = _Outer(self._set[_OUTER]) if self._params.get("gate") is not None and _OUTER in self._set else None
            run = Run(connection, begun["run"], begun["task"], {**env, **self._set}, asking)
            if self._method == "run.record":
                _rewards.begin_block()
            self._before = {name: os.environ.get(name) for name in self._set}
            os.environ.update(self._set)
        self._run = _current = run
        return run

    def _restore(self) -> None:
        global _current
        _current = None
        for name, value in self._set.items():
            # The program may have set another one meanwhile.
            if os.environ.get(name) == value:
                before = self._before[name]
                if before is None:
                    del os.environ[name]
                else:
                    os.environ[name] = before

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        run = self._run
        assert run is not None
        with _changing:
            self._restore()
        if isinstance(run._connection, _Outer):
            return
        outcome, reason = _outcome_of(error) if error is not None else run._outcome or ("achieved", None)
        run._is_over = True
        rewards = _rewards.end_block()
        try:
            run._connection.request("run.end", {"run": run._number, "outcome": outcome, **given(reason=reason)})
            _rewards.give(run._connection, self._params.get("log"), run.task, rewards, self._params.get("subject"))
        except Refused as refused:
            # A replay that differs tells more than what the program made of it.
            raise refused from error
        finally:
            run._connection.close()


def _in_child() -> None:
    global _changing, _current
    _changing = threading.RLock()
    # The connection stays with the parent; the variable leads to the same run.
    _current = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


def _outcome_of(error: BaseException) -> tuple[str, Optional[str]]:
    if isinstance(error, SystemExit) and error.code in (None, 0):
        return ("achieved", None)
    if isinstance(error, KeyboardInterrupt):
        return ("abandoned", "it was interrupted")
    return ("failed", f"{well_formed(type(error).__name__)}: {message_of(error)}")


def record(
    log: Optional[_Path] = None,
    *,
    goal: str,
    agent: str,
    id: Optional[str] = None,
    continue_: bool = False,
    subject: Optional[str] = None,
    gate: Optional[Mapping[str, Any]] = None,
    secrets: Optional[Sequence[str]] = None,
    workspace: Optional[_Path] = None,
    program: Optional[Program] = None,
) -> _Block:
    """Records a block of this program as a task: requests of model clients that are made within the block, by a proxy
    to which the variables of the environment (``OPENAI_BASE_URL`` …) lead meanwhile, and calls of functions marked with
    ``tool``, ``sensor`` and ``io``. One run at a time in a process.

    Args:
        log: the log's file; it is made if it does not exist. Default: as for ``Log``.
        goal: what the run is for.
        agent: the program's name, or ``name@version``.
        id: the task's id. Default: a new one.
        continue_: continue the run with this id, which another process left open.
        subject: the person whose personal data the run holds; it is encrypted with this subject's key.
        gate: rules for tools, as in ``hindcast.gate.yaml``. Default: every call is allowed.
        secrets: texts never to record, besides the keys in the environment and in requests.
        workspace: a directory whose files to record.

    Example::

        @hindcast.tool
        def weather(city: str) -> str: ...

        with hindcast.record("agent.db", goal="Plan a walk", agent="guide") as run:
            client = openai.OpenAI()
            ...
    """
    params = given(
        log=located(log),
        goal=goal,
        agent=agent,
        id=id,
        subject=subject,
        gate=gate,
        secrets=None if secrets is None else list(secrets),
        workspace=_absolute(workspace),
    )
    return _Block("run.record", {**params, **({"continue": True} if continue_ else {})}, program)


def replay(task: str, log: Optional[_Path] = None, *, program: Optional[Program] = None) -> _Block:
    """Runs a block of this program on a recorded task: models and marked functions answer as recorded. The block raises
    ``Refused`` (``Diverged``) at its end if the program asked something else, or not all that was recorded, and
    ``NothingReplayed`` if it asked nothing.

    Everything else in the process keeps its network: ``hindcast replay TASK -- python agent.py`` closes it.

    Args:
        task: the task's id, or a unique beginning or end of it.
        log: the log's file. Default: as for ``Log``.
    """
    return _Block("run.replay", given(log=located(log), task=task), program)


@overload
def tool(function: _Function) -> _Function: ...


@overload
def tool(
    *, name: Optional[str] = None, risk: Optional[str] = None, description: Optional[str] = None
) -> Callable[[_Function], _Function]: ...


def tool(
    function: Optional[Callable[..., Any]] = None,
    *,
    name: Optional[str] = None,
    risk: Optional[str] = None,
    description: Optional[str] = None,
) -> Any:
    """Marks a function as a tool: within a run, each call is a command, which passes the gate, and its outcome is
    recorded. Outside a run, the function is as it was. Works with ``async`` functions.

    Results are recorded as JSON, so a replay returns lists for tuples. One that JSON cannot hold is left out, with the
    reason, and cannot be replayed.

    Args:
        name: the tool's name. Default: the function's.
        risk: ``none``, ``low``, ``medium``, ``high`` or ``critical``; rules of the gate use it.
        description: shown to people who confirm a call. Default: the first line of the docstring.

    Raises:
        ToolDenied: the gate, or a person, refused the call.
        ToolFailed: in a replay, the call failed when it was recorded.
    """

    def marked(wrapped: Callable[..., Any]) -> Callable[..., Any]:
        says = description or next(iter((inspect.getdoc(_documented(wrapped)) or "").splitlines()), None)
        return _recorded("tool", wrapped, name, given(risk=risk, description=says or None))

    return marked if function is None else marked(function)


@overload
def sensor(function: _Function) -> _Function: ...


@overload
def sensor(*, name: Optional[str] = None) -> Callable[[_Function], _Function]: ...


def sensor(function: Optional[Callable[..., Any]] = None, *, name: Optional[str] = None) -> Any:
    """Marks a function without arguments as a sensor: within a run, its readings are recorded."""
    if function is None:
        return lambda wrapped: _recorded("sensor", wrapped, name, {})
    return _recorded("sensor", function, name, {})


@overload
def io(function: _Function) -> _Function: ...


@overload
def io(*, name: Optional[str] = None) -> Callable[[_Function], _Function]: ...


def io(function: Optional[Callable[..., Any]] = None, *, name: Optional[str] = None) -> Any:
    """Marks any other function, such as a query of a database: within a run, its calls and results are recorded, and a
    replay returns them."""
    if function is None:
        return lambda wrapped: _recorded("io", wrapped, name, {})
    return _recorded("io", function, name, {})


class Marked(NamedTuple):
    """A function of this program, and what its mark says."""

    #: ``tool``, ``sensor`` or ``io``; None without a mark.
    kind: Optional[str]
    name: str
    options: Mapping[str, Any]
    #: Without what records its calls within a run.
    function: Callable[..., Any]


def marked(function: Callable[..., Any]) -> Marked:
    """The mark of a function. Raises ``TypeError`` if it has no name."""
    # A bound method has the mark of its function, and the object besides.
    of = getattr(function, "__func__", function)
    found = getattr(of, _MARK, None)
    if isinstance(found, Marked):
        own = getattr(function, "__self__", None)
        return found if of is function else found._replace(function=functools.partial(found.function, own))
    name = getattr(function, "__name__", None)
    if not callable(function) or name is None:
        raise TypeError(f"Expected a function with a name, found {type(function).__name__}.")
    text = next(iter((inspect.getdoc(function) or "").splitlines()), None)
    return Marked(None, name, given(description=text or None), function)


_MARK = "__hindcast_mark__"


def _recorded(
    kind: str, function: Callable[..., Any], name: Optional[str], options: Mapping[str, Any]
) -> Callable[..., Any]:
    wrapped = _recording(kind, function, name, options)
    if not isinstance(wrapped, (staticmethod, classmethod)):
        setattr(wrapped, _MARK, Marked(kind, name or function.__name__, options, function))
    return wrapped


def _recording(
    kind: str, function: Callable[..., Any], name: Optional[str], options: Mapping[str, Any]
) -> Callable[..., Any]:
    if isinstance(function, (staticmethod, classmethod)):
        return cast("Callable[..., Any]", type(function)(_recorded(kind, function.__func__, name, options)))
    called = name or getattr(function, "__name__", None)
    if called is None:
        raise TypeError(f"Expected a function with a name, found {type(function).__name__}. Name it: name=….")
    signature = signature_of(function)

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def asynchronous(*args: Any, **kwargs: Any) -> Any:
            run = current_run()
            if run is None:
                return await function(*args, **kwargs)
            begun = await _begun(run, kind, called, arguments(function, signature, args, kwargs), options)
            if "result" in begun:
                return begun["result"]
            try:
                result = await function(*args, **kwargs)
            except GeneratorExit as error:
                # It may await nothing.
                run._raised(begun["call"], error)
                raise
            except BaseException as error:
                await asyncio.to_thread(run._raised, begun["call"], error)
                raise
            await asyncio.to_thread(run._returned, begun["call"], result)
            return result

        return asynchronous

    @functools.wraps(function)
    def synchronous(*args: Any, **kwargs: Any) -> Any:
        run = current_run()
        if run is None:
            return function(*args, **kwargs)
        begun = run._call(kind, called, arguments(function, signature, args, kwargs), options)
        if "result" in begun:
            return begun["result"]
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            run._raised(begun["call"], error)
            raise
        run._returned(begun["call"], result)
        return result

    return synchronous


async def _begun(
    run: Run, kind: str, name: str, args: Dict[str, Any], options: Mapping[str, Any]
) -> Dict[str, Any]:
    """Begins a call in a thread, since it may wait for a person. If it is cancelled, nobody makes a call that begins
    later: that one fails."""
    lock = threading.Lock()
    begun: Optional[Dict[str, Any]] = None
    is_cancelled = False

    def begin() -> Optional[Dict[str, Any]]:
        nonlocal begun
        found = run._call(kind, name, args, options)
        with lock:
            if not is_cancelled:
                begun = found
                return found
        if "call" in found:
            run._raised(found["call"], asyncio.CancelledError())
        return None

    try:
        return cast(Dict[str, Any], await asyncio.to_thread(begin))
    except asyncio.CancelledError as error:
        with lock:
            is_cancelled = True
        if begun is not None and "call" in begun:
            await asyncio.to_thread(run._raised, begun["call"], error)
        raise


def _documented(function: Any) -> Any:
    """The function that the documentation is about."""
    while isinstance(function, functools.partial):
        function = function.func
    return getattr(function, "__func__", function)


def _absolute(path: Optional[_Path]) -> Optional[str]:
    return None if path is None else os.path.abspath(os.fspath(path))
