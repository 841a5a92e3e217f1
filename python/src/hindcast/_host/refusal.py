"""The failure of a call, with a code for programs."""

from __future__ import annotations

__all__ = ["NotJson", "Refusal"]


class Refusal(Exception):
    """A call that fails with a code and a message. The environment is as it was before, unless the message says so."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class NotJson(Refusal):
    """A value of the environment that JSON cannot hold, or that is too large."""

    def __init__(self, what: str, path: str, found: str) -> None:
        where = "" if path == "" else f" at {path}"
        super().__init__("NotJson", f"{what}{where}: expected JSON, found {found}")
