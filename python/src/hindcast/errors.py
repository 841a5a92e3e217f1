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
