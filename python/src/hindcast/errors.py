"""The errors of this package. Each says what was expected, what was found, and what to do."""

from __future__ import annotations

from typing import Optional, Sequence

__all__ = [
    "ConnectionLost",
    "ForkedProcess",
    "HindcastError",
    "NotJson",
    "ProgramNotFound",
    "Refused",
    "RunEnded",
    "ToolDenied",
    "ToolFailed",
]


class HindcastError(Exception):
    """Any error of this package."""


class ProgramNotFound(HindcastError):
    """There is no ``hindcast`` program to start.

    Attributes:
        looked: the places that were searched, in order.
    """

    def __init__(self, looked: Sequence[str]) -> None:
        self.looked = list(looked)
        places = "".join(f"\n  {place}" for place in self.looked)
        super().__init__(
            "Expected the program `hindcast`, found none. Install it with `npm install hindcast` "
            "in this directory or one above it, or name it in HINDCAST_BIN or with program=…. "
            f"Looked for it here:{places}"
        )

    def __reduce__(self) -> tuple[type[ProgramNotFound], tuple[list[str]]]:
        return (type(self), (self.looked,))


class ConnectionLost(HindcastError):
    """The program ended, or did not answer as expected. A new question starts it again; worlds are lost."""


class RunEnded(HindcastError):
    """A tool, a sensor or another marked function was called, or returned, after the block of its run had ended."""


class ForkedProcess(HindcastError):
    """The object belongs to the process from which this one was forked. Make another one here."""


class NotJson(HindcastError, ValueError):
    """A value cannot be sent: JSON has no NaN, no infinity, and no objects of Python."""


class Refused(HindcastError):
    """The program refused a request. The request had no effect, unless ``tag`` says otherwise.

    Attributes:
        tag: the kind of error, such as ``"TaskNotFound"`` or ``"ActionRefused"``; programs compare it.
        details: more for programs, such as the stack of a plugin that threw; usually None.
    """

    def __init__(self, tag: str, message: str, details: Optional[str] = None) -> None:
        super().__init__(message)
        self.tag = tag
        self.message = message
        self.details = details

    def __reduce__(self) -> tuple[type[Refused], tuple[str, str, Optional[str]]]:
        return (type(self), (self.tag, self.message, self.details))


class ToolDenied(HindcastError):
    """A tool was not called: the gate or a person refused, or nobody answered in time.

    Attributes:
        tool: the tool's name.
        rule: the gate's rule, or ``expired``.
        reason: why.
    """

    def __init__(self, tool: str, rule: str, reason: str) -> None:
        super().__init__(f"{tool} was not called (rule {rule}): {reason}")
        self.tool, self.rule, self.reason = tool, rule, reason

    def __reduce__(self) -> tuple[type[ToolDenied], tuple[str, str, str]]:
        return (type(self), (self.tool, self.rule, self.reason))


class ToolFailed(HindcastError):
    """In a replay: the recorded call failed.

    Attributes:
        name: the class of the recorded error.
        message: its message.
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name, self.message = name, message

    def __reduce__(self) -> tuple[type[ToolFailed], tuple[str, str]]:
        return (type(self), (self.name, self.message))
