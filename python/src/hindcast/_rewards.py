"""Rewards that a program gives itself: the numbers that marked functions return within a run become a score set."""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
import os
from contextvars import ContextVar
from typing import Any, Callable, Dict, Iterator, List, Optional, TypeVar, overload

from ._connection import Connection, given
from ._recordable import well_formed

_Function = TypeVar("_Function", bound=Callable[..., Any])

_Rewards = List[Dict[str, Any]]

#: The rewards of the task at work on a kernel: threads and coroutines may work on different ones.
_of_task: ContextVar[Optional[_Rewards]] = ContextVar("hindcast rewards", default=None)

#: The rewards of the block of ``record``, of which a process has one at a time.
_of_block: Optional[_Rewards] = None


@overload
def reward(function: _Function) -> _Function: ...


@overload
def reward(*, name: Optional[str] = None) -> Callable[[_Function], _Function]: ...


def reward(function: Optional[Callable[..., Any]] = None, *, name: Optional[str] = None) -> Any:
    """Marks a function that judges: within ``record`` or ``Kernel.run``, the numbers that it returns are rewards, or
    punishments if they are negative, also if the run ends with an error. A thread that an agent of a ``Kernel`` starts
    gathers none, unless ``contextvars.copy_context().run`` or ``asyncio.to_thread`` starts it there. At the end of the run they become a score set of the task, with the critic
    ``program/NAME``, for ``audit --scores``, ``transitions`` and comparisons. Outside a run, and in a replay or fork, the
    function is as it was. Works with ``async`` functions.

    Args:
        name: the reward's name. Default: the function's.

    Raises:
        TypeError: within a run, it returned something other than a finite number.

    >>> @reward
    ... def short(answer: str) -> float:
    ...     return 1.0 if len(answer) < 100 else 0.0
    >>> short("Yes.")
    1.0
    """

    def marked(wrapped: Callable[..., Any]) -> Callable[..., Any]:
        called = name or wrapped.__name__
        if inspect.iscoroutinefunction(wrapped):

            @functools.wraps(wrapped)
            async def asynchronous(*args: Any, **kwargs: Any) -> Any:
                return _gather(called, await wrapped(*args, **kwargs))

            return asynchronous

        @functools.wraps(wrapped)
        def synchronous(*args: Any, **kwargs: Any) -> Any:
            return _gather(called, wrapped(*args, **kwargs))

        return synchronous

    return marked if function is None else marked(function)


def _gather(name: str, value: Any) -> Any:
    gathered = _of_task.get()
    if gathered is None:
        gathered = _of_block
    if gathered is not None:
        number = float(value) if hasattr(value, "__float__") else math.nan
        if isinstance(value, str) or not math.isfinite(number):
            raise TypeError(f"Expected a finite number from the reward {name!r}, found {type(value).__name__} {value!r:.80}.")
        gathered.append({"scorer": well_formed(name), "name": well_formed(name), "value": number})
    return value


@contextlib.contextmanager
def of_task() -> Iterator[_Rewards]:
    """Gathers the rewards of a task on a kernel."""
    rewards: _Rewards = []
    token = _of_task.set(rewards)
    try:
        yield rewards
    finally:
        _of_task.reset(token)


def begin_block() -> None:
    """Gathers rewards from now on."""
    global _of_block
    _of_block = []


def end_block() -> _Rewards:
    """Gathers no more. Returns those of the block."""
    global _of_block
    rewards, _of_block = _of_block, None
    return rewards or []


def give(
    connection: Connection, log: Optional[str], task: Optional[str], rewards: _Rewards, subject: Optional[str] = None
) -> None:
    """Writes the rewards of a task to its log."""
    if rewards:
        connection.request("score.give", given(path=log, task=task, scores=rewards, subject=subject))


def _in_child() -> None:
    # The run stays with the parent, which gives the rewards.
    end_block()
    _of_task.set(None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
