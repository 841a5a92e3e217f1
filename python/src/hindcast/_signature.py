"""The JSON Schema of a function's arguments, from its annotations."""

from __future__ import annotations

import collections.abc
import inspect
import typing
from typing import Any, Callable, Dict, List, Literal, Mapping, Sequence, Union, get_args, get_origin

_PLAIN: Dict[Any, Dict[str, Any]] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    type(None): {"type": "null"},
    list: {"type": "array"},
    tuple: {"type": "array"},
    dict: {"type": "object"},
}

_LISTS = (list, tuple, List, Sequence, collections.abc.Sequence, collections.abc.Iterable)

_OBJECTS = (dict, Dict, Mapping, collections.abc.Mapping)


def schema_of(function: Callable[..., Any]) -> Dict[str, Any]:
    """The schema of an object with an entry for each argument. An annotation that says nothing of JSON allows any value.

    Raises:
        TypeError: an argument cannot be passed by name.

    >>> def lookup(id: int, fields: List[str] = []) -> str: ...
    >>> schema_of(lookup)["required"]
    ['id']
    >>> schema_of(lookup)["properties"]["fields"]
    {'type': 'array', 'items': {'type': 'string'}}
    """
    hints = _hints(function)
    properties: Dict[str, Any] = {}
    required: List[str] = []
    is_open = False
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            is_open = True
            continue
        if parameter.kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL):
            raise TypeError(f"Expected arguments that a call can name, found {name!r} of {function.__name__}, by position.")
        properties[name] = _schema(hints.get(name, Any))
        if parameter.default is inspect.Parameter.empty:
            required.append(name)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": is_open}


def _hints(function: Callable[..., Any]) -> Mapping[str, Any]:
    try:
        return typing.get_type_hints(function)
    except Exception:
        # An annotation may name something that exists for type checkers only.
        return {}


def _schema(hint: Any) -> Dict[str, Any]:
    try:
        if hint in _PLAIN:
            return dict(_PLAIN[hint])
    except TypeError:
        return {}
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is Union or str(type(hint)) == "<class 'types.UnionType'>":
        return {"anyOf": [_schema(one) for one in inner]}
    if origin in _LISTS:
        alike = inner[:1] if origin is not tuple or (len(inner) == 2 and inner[1] is Ellipsis) else ()
        return {"type": "array", **({"items": _schema(alike[0])} if alike else {})}
    if origin in _OBJECTS:
        values = _schema(inner[1]) if len(inner) == 2 else {}
        return {"type": "object", **({"additionalProperties": values} if values else {})}
    return {}
