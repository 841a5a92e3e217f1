"""Spaces of Gymnasium, and of classes like them, as the JSON that manifests have; and how two of them differ."""

from __future__ import annotations

import json
import math
import struct
from typing import Any, Dict, Mapping, Optional

from ..spaces import Space
from .refusal import Refusal
from .values import exact

__all__ = ["difference", "space_json"]

_KINDS = ("Box", "Discrete", "MultiDiscrete", "MultiBinary", "Tuple", "Dict", "Text", "Sequence", "Graph", "OneOf")


def space_json(space: Any, what: str) -> Dict[str, Any]:
    """The space in the JSON of a manifest.

    The class tells the kind of a space, by its own name or that of a class that it inherits from.

    Raises:
        Refusal: ``InvalidSpace``: it is no space that a manifest can describe.
    """
    kind = next((base.__name__ for base in type(space).__mro__ if base.__name__ in _KINDS), None)
    if kind is None:
        found = "none" if space is None else f"an instance of {type(space).__name__}"
        raise Refusal("InvalidSpace", f"{what}: expected one of {', '.join(_KINDS)}, found {found}")
    if isinstance(space, Space):
        return {"type": kind, **space.json}
    try:
        return {"type": kind, **_FIELDS[kind](space, what)}
    except AttributeError as error:
        raise Refusal(
            "InvalidSpace", f"{what}: expected the attributes of Gymnasium's {kind}, found that {error}"
        ) from error


def _box(space: Any, what: str) -> Dict[str, Any]:
    shape = [int(length) for length in space.shape]
    ends = {end: _bounds(getattr(space, end), f"{what}, {end}") for end in ("low", "high")}
    return {"dtype": _dtype(space.dtype), "shape": shape, **ends}


def _dtype(dtype: Any) -> str:
    return str(getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or dtype)


def _bounds(bounds: Any, what: str) -> Any:
    plain = bounds.tolist() if hasattr(bounds, "tolist") else bounds
    return _collapsed(_spelled(plain, what))


def _spelled(value: Any, what: str) -> Any:
    """Infinities as texts, because JSON has none."""
    if isinstance(value, (list, tuple)):
        return [_spelled(part, what) for part in value]
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return exact(value, what)


def _collapsed(value: Any) -> Any:
    """One number in place of lists of equal ones."""
    if not isinstance(value, list):
        return value
    parts = [_collapsed(part) for part in value]
    is_same = bool(parts) and not isinstance(parts[0], list) and all(part == parts[0] for part in parts)
    return parts[0] if is_same else parts


def _discrete(space: Any, what: str) -> Dict[str, Any]:
    start = int(getattr(space, "start", 0))
    return {"n": int(space.n), **({} if start == 0 else {"start": start})}


def _multi_discrete(space: Any, what: str) -> Dict[str, Any]:
    start = _collapsed(exact(getattr(space, "start", 0), what))
    return {"nvec": exact(space.nvec, what), **({} if start == 0 else {"start": exact(space.start, what)})}


def _multi_binary(space: Any, what: str) -> Dict[str, Any]:
    n = space.n
    return {"n": [int(one) for one in n] if hasattr(n, "__len__") else int(n)}


def _text(space: Any, what: str) -> Dict[str, Any]:
    characters = getattr(space, "characters", None)
    charset = {} if characters is None else {"charset": "".join(sorted(characters))}
    return {"min_length": int(space.min_length), "max_length": int(space.max_length), **charset}


def _sequence(space: Any, what: str) -> Dict[str, Any]:
    is_stacked = bool(getattr(space, "stack", False))
    feature = space_json(space.feature_space, f"{what}/feature_space")
    return {"feature_space": feature, **({"stack": True} if is_stacked else {})}


def _graph(space: Any, what: str) -> Dict[str, Any]:
    edges = getattr(space, "edge_space", None)
    edge_space = {} if edges is None else {"edge_space": space_json(edges, f"{what}/edge_space")}
    return {"node_space": space_json(space.node_space, f"{what}/node_space"), **edge_space}


def _row(space: Any, what: str) -> Dict[str, Any]:
    return {"subspaces": [space_json(part, f"{what}/{index}") for index, part in enumerate(space.spaces)]}


def _dict(space: Any, what: str) -> Dict[str, Any]:
    return {"subspaces": {str(key): space_json(part, f"{what}/{key}") for key, part in space.spaces.items()}}


_FIELDS: Dict[str, Any] = {
    "Box": _box,
    "Discrete": _discrete,
    "MultiDiscrete": _multi_discrete,
    "MultiBinary": _multi_binary,
    "Tuple": _row,
    "Dict": _dict,
    "Text": _text,
    "Sequence": _sequence,
    "Graph": _graph,
    "OneOf": _row,
}


def difference(declared: Mapping[str, Any], found: Mapping[str, Any], path: str = "") -> Optional[str]:
    """Where two spaces differ, and how; None if they are equal. Bounds count as numbers of the space's type.

    >>> difference({"type": "Discrete", "n": 2}, {"type": "Discrete", "n": 3})
    '/n: the manifest has 2, and the class 3'
    """
    one, other = _canonical(declared), _canonical(found)
    for key in sorted({*one, *other}):
        a, b = one.get(key), other.get(key)
        if a == b:
            continue
        where = f"{path}/{key}"
        if isinstance(a, dict) and isinstance(b, dict) and _is_space(a) and _is_space(b):
            return difference(a, b, where)
        if isinstance(a, list) and isinstance(b, list) and len(a) == len(b) and all(map(_is_space, [*a, *b])):
            return next(filter(None, (difference(x, y, f"{where}/{i}") for i, (x, y) in enumerate(zip(a, b)))), None)
        if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
            return next(filter(None, (difference(a[name], b[name], f"{where}/{name}") for name in a)), None)
        return f"{where}: the manifest has {_short(a)}, and the class {_short(b)}"
    return None


def _is_space(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def _canonical(space: Mapping[str, Any]) -> Dict[str, Any]:
    """The space with every default, and with each bound as its type holds it."""
    made = dict(space)
    kind = made["type"]
    if kind == "Box":
        for end in ("low", "high"):
            made[end] = _collapsed(_rounded(made[end], made["dtype"]))
    elif kind == "Discrete":
        made.setdefault("start", 0)
    elif kind == "MultiDiscrete":
        made["start"] = _collapsed(made.get("start", 0))
    elif kind == "MultiBinary":
        made["n"] = made["n"] if isinstance(made["n"], list) else [made["n"]]
    elif kind == "Text":
        made.setdefault("min_length", 1)
        charset = made.get("charset")
        made["charset"] = None if charset is None else "".join(sorted(set(charset)))
    elif kind == "Sequence":
        made.setdefault("stack", False)
    elif kind in ("Dict", "Tuple", "OneOf"):
        parts = made["subspaces"]
        is_named = isinstance(parts, dict)
        made["subspaces"] = {k: _canonical(v) for k, v in parts.items()} if is_named else [*map(_canonical, parts)]
    for part in ("feature_space", "node_space", "edge_space"):
        if isinstance(made.get(part), dict):
            made[part] = _canonical(made[part])
    return made


def _rounded(bound: Any, dtype: str) -> Any:
    if isinstance(bound, list):
        return [_rounded(part, dtype) for part in bound]
    number = float(bound)
    if dtype != "float32" or math.isinf(number):
        return number
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return number
    return rounded


def _short(value: Any) -> str:
    text = "nothing" if value is None else json.dumps(value, sort_keys=True)
    return text if len(text) <= 200 else f"{text[:200]}…"
