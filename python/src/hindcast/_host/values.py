"""Values of an environment as JSON: numbers and arrays of numpy, tuples, graphs."""

from __future__ import annotations

import math
from typing import Any, Dict

from .refusal import NotJson

__all__ = ["LARGEST", "exact", "readable"]

#: The numbers, texts and containers that one value may have: as many as the cells of a space.
LARGEST = 1_048_576

#: The levels that a value may nest. The host accepts 150 of a whole state.
_DEEPEST = 140

#: Integers beyond it lose digits in programs that read JSON as JavaScript does.
_SAFE = 2**53 - 1

_TEXT = 4 * 1024 * 1024

#: The characters of a text that stands for a value that JSON cannot hold.
_SHOWN = 200


def exact(value: Any, what: str) -> Any:
    """The value as JSON, nothing lost but the difference between tuples, arrays and lists.

    >>> exact({"at": (1, 2.5)}, "the state")
    {'at': [1, 2.5]}

    Raises:
        NotJson: the value has NaN, an infinity, an object, or is too large. ``what`` names the value in the message.
    """
    return _Conversion(what, lenient=False).of(value, "", 0)


def readable(value: Any, what: str) -> Any:
    """The value as JSON for readers: a text stands for each part that JSON cannot hold.

    >>> readable({"best": float("nan"), 3: [True]}, "the info")
    {'best': 'nan', '3': [True]}

    Raises:
        NotJson: the value is too large.
    """
    return _Conversion(what, lenient=True).of(value, "", 0)


class _Conversion:
    def __init__(self, what: str, *, lenient: bool) -> None:
        self._what = what
        self._lenient = lenient
        self._left = LARGEST

    def of(self, value: Any, path: str, depth: int) -> Any:
        self._spend(1, path)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            return (
                int(value)
                if -_SAFE <= value <= _SAFE
                else self._cannot(value, path, f"{_short(value)}, an integer beyond 2^53 - 1")
            )
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else self._cannot(value, path, str(float(value)))
        if isinstance(value, str):
            return self._text(value, path)
        if depth >= _DEEPEST:
            raise NotJson(self._what, path, f"a cycle or more than {_DEEPEST} levels")
        if isinstance(value, dict):
            return self._dict(value, path, depth)
        # A graph of Gymnasium is a named tuple.
        fields = getattr(value, "_asdict", None)
        if isinstance(value, tuple) and callable(fields):
            return self._dict(fields(), path, depth)
        if isinstance(value, (list, tuple)):
            return [self.of(part, f"{path}/{index}", depth + 1) for index, part in enumerate(value)]
        return self._array(value, path, depth)

    def _array(self, value: Any, path: str, depth: int) -> Any:
        """Arrays and numbers of numpy, and whatever else has their methods."""
        tolist = getattr(value, "tolist", None)
        dtype = getattr(value, "dtype", None)
        if not callable(tolist) or dtype is None:
            return self._cannot(value, path, f"an instance of {type(value).__name__}")
        size = getattr(value, "size", 1)
        if isinstance(size, int) and size > self._left:
            raise NotJson(self._what, path, f"an array of {size} numbers, which is more than {LARGEST}")
        if getattr(dtype, "kind", "") in "iub" and _SAFE > 2 ** (8 * getattr(dtype, "itemsize", 8) - 1):
            # Every number of these types is JSON, so that images need no look at each.
            self._spend(size, path)
            return tolist()
        plain = tolist()
        if getattr(dtype, "kind", "O") == "O" and type(plain) is type(value):
            return self._cannot(value, path, f"an instance of {type(value).__name__}")
        return self.of(plain, path, depth)

    def _dict(self, value: Dict[Any, Any], path: str, depth: int) -> Dict[str, Any]:
        made: Dict[str, Any] = {}
        for key, part in value.items():
            if not isinstance(key, str):
                if not self._lenient:
                    raise NotJson(self._what, path, f"the key {_short(key)}, which is no text")
                key = _short(key)
            name = self._text(key, path)
            made[name] = self.of(part, f"{path}/{name}", depth + 1)
        return made

    def _text(self, value: str, path: str) -> str:
        if len(value) > _TEXT:
            raise NotJson(self._what, path, f"a text of {len(value)} characters, which is more than {_TEXT}")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            if not self._lenient:
                raise NotJson(self._what, path, "text with a lone surrogate") from None
            return value.encode("utf-8", "replace").decode("utf-8")
        return str(value)

    def _cannot(self, value: Any, path: str, found: str) -> str:
        if not self._lenient:
            raise NotJson(self._what, path, found)
        return self._text(_short(value), path)

    def _spend(self, count: int, path: str) -> None:
        self._left -= count
        if self._left < 0:
            raise NotJson(self._what, path, f"more than {LARGEST} values")


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except Exception as error:
        text = f"an instance of {type(value).__name__} whose repr raises {type(error).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
