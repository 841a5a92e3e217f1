"""Spaces of observations and actions, for a Python without Gymnasium.

They have the names, attributes and methods of Gymnasium's, and hold plain values: numbers, lists, tuples, dicts and
texts. Where Gymnasium is installed, environments have its spaces instead.
"""

from __future__ import annotations

import math
import random
import string
from typing import Any, Dict as _Dict, Mapping, Optional, Sequence as _Sequence, Tuple as _Tuple

__all__ = [
    "Box",
    "Dict",
    "Discrete",
    "Graph",
    "MultiBinary",
    "MultiDiscrete",
    "OneOf",
    "Sequence",
    "Space",
    "Text",
    "Tuple",
    "flatdim",
    "flatten",
    "from_json",
]

_Nested = Any


class Space:
    """A set of values."""

    #: The lengths of the nested lists; empty for a single number, and None if values are no lists of numbers.
    shape: Optional[_Tuple[int, ...]] = None
    #: The name of numpy's type.
    dtype: Optional[str] = None

    def __init__(self, json: Mapping[str, Any]) -> None:
        #: The space in Minari's JSON.
        self.json = dict(json)
        self._random = random.Random()

    def seed(self, seed: Optional[int] = None) -> None:
        """Seeds ``sample``, also of the spaces within."""
        self._random.seed(seed)
        for part in self._parts():
            part.seed(None if seed is None else self._random.getrandbits(32))

    def _parts(self) -> _Sequence[Space]:
        """The spaces within."""
        return ()

    def sample(self) -> Any:
        """A random value of the space."""
        raise NotImplementedError

    def contains(self, x: Any) -> bool:
        """Whether the value is in the space."""
        raise NotImplementedError

    def __contains__(self, x: Any) -> bool:
        return self.contains(x)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self.json == other.json

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        fields = ", ".join(f"{key}={value!r}" for key, value in self.json.items() if key != "type")
        return f"{type(self).__name__}({fields})"


class Box(Space):
    """Numbers within bounds, in nested lists of ``shape``.

    >>> box = Box({"dtype": "float32", "shape": [2], "low": [-1, "-Infinity"], "high": 1})
    >>> box.contains([0.5, -100.0]), box.contains([0.5]), box.contains([2.0, 0.0])
    (True, False, False)
    >>> box.contains(box.sample())
    True
    """

    def __init__(self, json: Mapping[str, Any]) -> None:
        super().__init__(json)
        self.shape = tuple(json["shape"])
        self.dtype = json["dtype"]
        self.low = _filled(json["low"], self.shape)
        self.high = _filled(json["high"], self.shape)
        self._whole = "int" in json["dtype"]

    def sample(self) -> _Nested:
        return _map2(self._cell, self.low, self.high)

    def _cell(self, low: float, high: float) -> Any:
        if self.dtype == "bool":
            return self._random.random() < 0.5 if low != high else bool(low)
        if self._whole:
            return self._random.randint(int(max(low, -(2**31))), int(min(high, 2**31 - 1)))
        # As Gymnasium draws where a bound is infinite.
        if math.isinf(low) and math.isinf(high):
            return self._random.gauss(0.0, 1.0)
        if math.isinf(high):
            return low + self._random.expovariate(1.0)
        if math.isinf(low):
            return high - self._random.expovariate(1.0)
        return self._random.uniform(low, high)

    def contains(self, x: Any) -> bool:
        return _fits(x, self.shape or (), lambda value, at: self._is_in(value, _at(self.low, at), _at(self.high, at)))

    def _is_in(self, value: Any, low: float, high: float) -> bool:
        if isinstance(value, bool) != (self.dtype == "bool") or not isinstance(value, (int, float)):
            return False
        if self._whole and value != int(value):
            return False
        return low <= value <= high


class Discrete(Space):
    """The integers from ``start`` to ``start + n - 1``.

    >>> Discrete({"n": 2}).contains(1), Discrete({"n": 2}).contains(2)
    (True, False)
    """

    shape = ()
    dtype = "int64"

    def __init__(self, json: Mapping[str, Any]) -> None:
        super().__init__(json)
        self.n: int = json["n"]
        self.start: int = json.get("start", 0)

    def sample(self) -> int:
        return self.start + self._random.randrange(self.n)

    def contains(self, x: Any) -> bool:
        return _is_whole(x) and self.start <= x < self.start + self.n


class MultiDiscrete(Space):
    """Several integers, each from its ``start`` to its ``start + nvec - 1``, in nested lists."""

    dtype = "int64"

    def __init__(self, json: Mapping[str, Any]) -> None:
        super().__init__(json)
        self.nvec = json["nvec"]
        shape = _shape_of(self.nvec)
        self.shape = shape
        self.start = _filled(json.get("start", 0), shape)

    def sample(self) -> _Nested:
        return _map2(lambda n, start: int(start) + self._random.randrange(n), self.nvec, self.start)

    def contains(self, x: Any) -> bool:
        def is_in(value: Any, at: _Tuple[int, ...]) -> bool:
            return _is_whole(value) and 0 <= value - _at(self.start, at) < _at(self.nvec, at)

        return _fits(x, self.shape or (), is_in)


class MultiBinary(Space):
    """Lists of 0 and 1."""

    dtype = "int8"

    def __init__(self, json: Mapping[str, Any]) -> None:
        super().__init__(json)
        self.n = json["n"]
        self.shape = (self.n,) if isinstance(self.n, int) else tuple(self.n)

    def sample(self) -> _Nested:
        zeros = _filled(0, self.shape or ())
        return _map2(lambda _, __: self._random.randrange(2), zeros, zeros)

    def contains(self, x: Any) -> bool:
        return _fits(x, self.shape or (), lambda value, _: _is_whole(value) and value in (0, 1))


class Tuple(Space):
    """A value of each subspace."""

    def __init__(self, json: Mapping[str, Any]) -> None:
        super().__init__(json)
        self.spaces = tuple(from_json(part) for part in json["subspaces"])

    def _parts(self) -> _Sequence[Space]:
        return self.spaces

    def sample(self) -> _Tuple[Any, ...]:
        return tuple(space.sample() for space in self.spaces)

    def contains(self, x: Any) -> bool:
        is_row = isinstance(x, (tuple, list)) and len(x) == len(self.spaces)
        return is_row and all(space.contains(part) for space, part in zip(self.spaces, x))


class Dict(Space):
    """A dict with exactly these keys."""

    def __init__(self, json: Mapping[str, Any]) -> None:
        super().__init__(json)
        self.spaces: _Dict[str, Space] = {key: from_json(part) for key, part in json["subspaces"].items()}

    def __getitem__(self, key: str) -> Space:
        return self.spaces[key]

    def _parts(self) -> _Sequence[Space]:
        return tuple(self.spaces.values())

    def sample(self) -> _Dict[str, Any]:
        return {key: space.sample() for key, space in self.spaces.items()}

    def contains(self, x: Any) -> bool:
        is_dict = isinstance(x, dict) and x.keys() == self.spaces.keys()
        return is_dict and all(space.contains(x[key]) for key, space in self.spaces.items())


class Text(Space):
    """Texts whose length is within bounds. ``characters`` is None if all characters are allowed."""

    def __init__(self, json: Mapping[str, Any]) -> None:
        super().__init__(json)
        self.min_length: int = json.get("min_length", 1)
        self.max_length: int = json["max_length"]
        self.characters: Optional[str] = json.get("charset")

    def sample(self) -> str:
        characters = self.characters or string.ascii_letters + string.digits
        length = self._random.randint(self.min_length, max(self.min_length, min(self.max_length, 100)))
        return "".join(self._random.choice(characters) for _ in range(length))

    def contains(self, x: Any) -> bool:
        is_text = isinstance(x, str) and self.min_length <= len(x) <= self.max_length
        return is_text and (self.characters is None or all(one in self.characters for one in x))


class Sequence(Space):
    """Any number of values of one space."""

    def __init__(self, json: Mapping[str, Any]) -> None:
        super().__init__(json)
        self.feature_space = from_json(json["feature_space"])

    def _parts(self) -> _Sequence[Space]:
        return (self.feature_space,)

    def sample(self) -> _Tuple[Any, ...]:
        return tuple(self.feature_space.sample() for _ in range(self._random.randrange(8)))

    def contains(self, x: Any) -> bool:
        return isinstance(x, (tuple, list)) and all(self.feature_space.contains(part) for part in x)


class Graph(Space):
    """Dicts of ``nodes``, ``edges`` and ``edge_links``; the last two are None in a graph without edges."""

    def __init__(self, json: Mapping[str, Any]) -> None:
        super().__init__(json)
        self.node_space = from_json(json["node_space"])
        edges = json.get("edge_space")
        self.edge_space = None if edges is None else from_json(edges)

    def _parts(self) -> _Sequence[Space]:
        return (self.node_space,) if self.edge_space is None else (self.node_space, self.edge_space)

    def sample(self) -> _Dict[str, Any]:
        nodes = [self.node_space.sample() for _ in range(1 + self._random.randrange(8))]
        if self.edge_space is None:
            return {"nodes": nodes, "edges": None, "edge_links": None}
        links = [[self._random.randrange(len(nodes)) for _ in range(2)] for _ in range(self._random.randrange(8))]
        return {"nodes": nodes, "edges": [self.edge_space.sample() for _ in links], "edge_links": links}

    def contains(self, x: Any) -> bool:
        if not isinstance(x, dict) or x.keys() != {"nodes", "edges", "edge_links"}:
            return False
        if not all(self.node_space.contains(node) for node in x["nodes"]):
            return False
        if x["edges"] is None or x["edge_links"] is None or self.edge_space is None:
            return x["edges"] is None and x["edge_links"] is None
        ends = [end for link in x["edge_links"] for end in link]
        return (
            len(x["edges"]) == len(x["edge_links"])
            and all(self.edge_space.contains(edge) for edge in x["edges"])
            and all(_is_whole(end) and 0 <= end < len(x["nodes"]) for end in ends)
        )


class OneOf(Space):
    """A pair: the index of a subspace, and a value of it."""

    def __init__(self, json: Mapping[str, Any]) -> None:
        super().__init__(json)
        self.spaces = tuple(from_json(part) for part in json["subspaces"])

    def _parts(self) -> _Sequence[Space]:
        return self.spaces

    def sample(self) -> _Tuple[int, Any]:
        index = self._random.randrange(len(self.spaces))
        return (index, self.spaces[index].sample())

    def contains(self, x: Any) -> bool:
        if not isinstance(x, (tuple, list)) or len(x) != 2 or not _is_whole(x[0]):
            return False
        return 0 <= x[0] < len(self.spaces) and self.spaces[x[0]].contains(x[1])


_TYPES = {
    "Box": Box,
    "Discrete": Discrete,
    "MultiDiscrete": MultiDiscrete,
    "MultiBinary": MultiBinary,
    "Tuple": Tuple,
    "Dict": Dict,
    "Text": Text,
    "Sequence": Sequence,
    "Graph": Graph,
    "OneOf": OneOf,
}


def from_json(json: Mapping[str, Any]) -> Space:
    """The space that Minari's JSON describes.

    >>> from_json({"type": "Discrete", "n": 3})
    Discrete(n=3)
    """
    space: Space = _TYPES[json["type"]](json)
    return space


def flatdim(space: Space) -> Optional[int]:
    """The number of numbers of a flattened value. None if it depends on the value.

    >>> flatdim(from_json({"type": "Discrete", "n": 3}))
    3
    """
    if isinstance(space, (Tuple, Dict)):
        parts = [flatdim(part) for part in space._parts()]
        return None if None in parts else sum(part or 0 for part in parts)
    if isinstance(space, OneOf):
        parts = [flatdim(part) for part in space.spaces]
        return None if None in parts else 1 + max(part or 0 for part in parts)
    if isinstance(space, Discrete):
        return space.n
    if isinstance(space, MultiDiscrete):
        return int(sum(_numbers(space.json["nvec"])))
    if isinstance(space, Text):
        return space.max_length
    if isinstance(space, (Box, MultiBinary)):
        return math.prod(space.shape or ())
    return None


def flatten(space: Space, x: Any) -> Any:
    """Flattens a value of the space to a list of numbers, as ``gymnasium.spaces.flatten`` does.

    Numbers of ``Discrete`` and ``MultiDiscrete`` are one-hot, a ``OneOf`` is its index followed by the value, filled up
    with the value's first number. Values without a fixed size keep their lists and keys. A ``Text`` without a charset has
    the code points of its characters, filled up with -1.

    >>> flatten(from_json({"type": "Discrete", "n": 3}), 1)
    [0, 1, 0]
    """
    if isinstance(space, (Box, MultiBinary)):
        return _numbers(x)
    if isinstance(space, Discrete):
        return _one_hot(space.n, x - space.start)
    if isinstance(space, MultiDiscrete):
        counts, cells = _numbers(space.json["nvec"]), _numbers(x)
        starts = _numbers(space.json["start"]) if "start" in space.json else [0] * len(counts)
        return [one for n, start, cell in zip(counts, starts, cells) for one in _one_hot(n, cell - start)]
    if isinstance(space, Text):
        known = space.characters
        codes = [ord(one) if known is None else known.index(one) for one in x]
        return codes + [-1 if known is None else len(known)] * (space.max_length - len(codes))
    if isinstance(space, Sequence):
        return [flatten(space.feature_space, part) for part in x]
    if isinstance(space, Graph):
        edges = None if space.edge_space is None or x["edges"] is None else x["edges"]
        return {
            "nodes": [flatten(space.node_space, node) for node in x["nodes"]],
            "edges": None if edges is None or space.edge_space is None else [flatten(space.edge_space, e) for e in edges],
            "edge_links": None if x["edge_links"] is None else [_numbers(link) for link in x["edge_links"]],
        }
    length = flatdim(space)
    if isinstance(space, OneOf):
        index, part = x
        flat = flatten(space.spaces[index], part)
        return [[index], flat] if length is None else [index, *flat, *[flat[0]] * (length - 1 - len(flat))]
    if isinstance(space, Dict):
        named = {key: flatten(part, x[key]) for key, part in space.spaces.items()}
        return named if length is None else [one for part in named.values() for one in part]
    parts = [flatten(part, value) for part, value in zip(space._parts(), x)]
    return parts if length is None else [one for part in parts for one in part]


def _numbers(nested: _Nested) -> _Nested:
    """The numbers of nested lists in one; False and True are 0 and 1."""
    if isinstance(nested, (list, tuple)):
        return [one for part in nested for one in _numbers(part)]
    return [int(nested) if isinstance(nested, bool) else nested]


def _one_hot(length: int, index: int) -> _Nested:
    return [1 if at == index else 0 for at in range(length)]


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _filled(bound: Any, shape: _Tuple[int, ...]) -> _Nested:
    """Nested lists of numbers: infinities are texts in JSON, and one bound may stand for all."""
    if isinstance(bound, (list, tuple)):
        return [_filled(part, shape[1:]) for part in bound]
    if shape:
        return [_filled(bound, shape[1:]) for _ in range(shape[0])]
    return float(bound) if isinstance(bound, str) else bound


def _shape_of(nested: _Nested) -> _Tuple[int, ...]:
    return (len(nested), *_shape_of(nested[0])) if isinstance(nested, (list, tuple)) and nested else ()


def _map2(cell: Any, a: _Nested, b: _Nested) -> _Nested:
    return [_map2(cell, x, y) for x, y in zip(a, b)] if isinstance(a, list) else cell(a, b)


def _at(nested: _Nested, at: _Tuple[int, ...]) -> Any:
    for index in at:
        nested = nested[index]
    return nested


def _fits(x: Any, shape: _Tuple[int, ...], is_in: Any, at: _Tuple[int, ...] = ()) -> bool:
    if not shape:
        return bool(is_in(x, at))
    if not isinstance(x, (list, tuple)) or len(x) != shape[0]:
        return False
    return all(_fits(part, shape[1:], is_in, (*at, index)) for index, part in enumerate(x))
