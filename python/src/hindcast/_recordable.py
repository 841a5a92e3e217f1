"""What calls of a run record: arguments, results and errors, as the log can hold them."""

from __future__ import annotations

import inspect
from typing import Any, Dict, FrozenSet, List, Mapping, Optional, Sequence, Set, Tuple

from .errors import NotJson

#: Levels of an argument.
_DEEPEST = 50

#: Levels of a result: a little less than the log takes.
_DEEPEST_RESULT = 190

#: JSON's readers round greater integers.
_GREATEST = 2**53 - 1

#: Characters of a message.
_LONGEST = 100_000


def signature_of(function: Any) -> Optional[inspect.Signature]:
    """The signature of a function; None if it tells none, as some that are written in C."""
    try:
        return inspect.signature(function)
    except ValueError:
        return None


def arguments(
    function: Any, signature: Optional[inspect.Signature], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Dict[str, Any]:
    """The arguments by name, without those of a method's own object. Raises ``TypeError`` if the function does not take
    them."""
    bound = _bound(function, signature, args, kwargs)
    first = next(iter(bound), None)
    own = first if first in ("self", "cls") and _is_method(function) else None
    return {name: recordable(value) for name, value in bound.items() if name != own}


def _is_method(function: Any) -> bool:
    """Whether the function is defined in a class."""
    place = getattr(function, "__qualname__", "").rpartition(".")[0]
    return bool(place) and not place.endswith("<locals>")


def _bound(
    function: Any, signature: Optional[inspect.Signature], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Mapping[str, Any]:
    if signature is None:
        return {"args": args, "kwargs": kwargs}
    try:
        return signature.bind(*args, **kwargs).arguments
    except TypeError:
        # A decorator may take other arguments than the function that it wraps, whose signature it shows.
        return inspect.signature(function, follow_wrapped=False).bind(*args, **kwargs).arguments


def recordable(value: Any, above: FrozenSet[int] = frozenset()) -> Any:
    """A value as JSON holds it. What it cannot hold becomes a text that names it."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, int):
        return value if -_GREATEST <= value <= _GREATEST else f"[no JSON: {_digits(value)}]"
    if isinstance(value, float):
        return value if value == value and value not in (float("inf"), float("-inf")) else f"[no JSON: {value}]"
    if id(value) in above:
        return "[no JSON: within itself]"
    if len(above) >= _DEEPEST:
        return "[no JSON: nested too deeply]"
    within = above | {id(value)}
    try:
        if isinstance(value, Mapping):
            return {well_formed(str(key)): recordable(item, within) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [recordable(item, within) for item in value]
        to_list = getattr(value, "tolist", None)
        if callable(to_list):
            return recordable(to_list(), within)
    except Exception:
        # The value's own code failed.
        pass
    return f"[no JSON: {well_formed(type(value).__name__)}]"


def check(result: Any) -> None:
    """Raises ``NotJson`` for what JSON can hold and the log cannot: halves of surrogate pairs, integers that readers would
    round, and deep nesting."""
    left: List[Tuple[Any, int]] = [(result, 0)]
    seen: Set[int] = set()
    while left:
        value, depth = left.pop()
        if isinstance(value, str):
            if not value.isascii() and well_formed(value) != value:
                raise NotJson("Expected well-formed text, found half of a surrogate pair.")
        elif isinstance(value, int):
            if not -_GREATEST <= value <= _GREATEST:
                raise NotJson(f"Expected integers of at most 53 bits, which no reader rounds, found {_digits(value)}.")
        elif isinstance(value, (dict, list, tuple)) and id(value) not in seen:
            if depth >= _DEEPEST_RESULT:
                raise NotJson(f"Expected at most {_DEEPEST_RESULT} levels, found more.")
            seen.add(id(value))
            inner = [*value.keys(), *value.values()] if isinstance(value, dict) else value
            left.extend((one, depth + 1) for one in inner)


def _digits(value: int) -> str:
    return str(int(value)) if value.bit_length() <= 1024 else f"an integer of {value.bit_length()} bits"


def message_of(error: BaseException) -> str:
    """What an error says. Its own code may fail."""
    try:
        said = str(error)
    except Exception as failed:
        return f"[no message: {type(failed).__name__}]"
    return well_formed(said[:_LONGEST])


def well_formed(text: str) -> str:
    """The text with a replacement character for each half of a surrogate pair, which the log cannot hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
