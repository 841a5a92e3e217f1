"""Writes `golden.json` beside this file: what Gymnasium says of spaces and values, which our spaces are held to.

It needs Gymnasium 1.x and numpy 2, neither of which is part of this repository:

    python3 -m venv /tmp/gymnasium && /tmp/gymnasium/bin/pip install gymnasium
    /tmp/gymnasium/bin/python test/plugins/spaces/golden.py

`space_of` writes a space of Gymnasium as Hindcast reads it, `plain` a value as JSON, and `value_of` reads one: a program
that brings an environment of Gymnasium to Hindcast needs no more.
"""

import json
import warnings
from pathlib import Path

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.spaces.graph import GraphInstance
from gymnasium.vector.utils import concatenate, create_empty_array, iterate

warnings.simplefilter("ignore")
gymnasium.logger.min_level = 50


def bound(value):
    if isinstance(value, list):
        return [bound(item) for item in value]
    return {float("inf"): "Infinity", float("-inf"): "-Infinity"}.get(value, value)


def space_of(space):
    """A space of Gymnasium as Hindcast reads it."""
    name = type(space).__name__
    match space:
        case spaces.Box():
            low, high = bound(space.low.tolist()), bound(space.high.tolist())
            return {"type": name, "dtype": str(space.dtype), "shape": list(space.shape), "low": low, "high": high}
        case spaces.Discrete():
            return {"type": name, "n": int(space.n), "start": int(space.start), "dtype": str(space.dtype)}
        case spaces.MultiDiscrete():
            nvec, start = space.nvec.tolist(), space.start.tolist()
            return {"type": name, "nvec": nvec, "start": start, "dtype": str(space.dtype)}
        case spaces.MultiBinary():
            return {"type": name, "n": space.n if isinstance(space.n, int) else [int(n) for n in space.n]}
        case spaces.Text():
            lengths = {"min_length": space.min_length, "max_length": space.max_length}
            return {"type": name, **lengths, "charset": "".join(sorted(space.characters))}
        case spaces.Dict():
            return {"type": name, "subspaces": {key: space_of(part) for key, part in space.spaces.items()}}
        case spaces.Tuple() | spaces.OneOf():
            return {"type": name, "subspaces": [space_of(part) for part in space.spaces]}
        case spaces.Sequence():
            return {"type": name, "feature_space": space_of(space.feature_space), "stack": space.stack}
        case spaces.Graph():
            edges = None if space.edge_space is None else space_of(space.edge_space)
            return {"type": name, "node_space": space_of(space.node_space), "edge_space": edges}
    raise TypeError(f"no such space: {space}")


def plain(space, value):
    """A value of a space as JSON has it."""
    match space:
        case spaces.Dict():
            return {key: plain(part, value[key]) for key, part in space.spaces.items()}
        case spaces.Tuple():
            return [plain(part, item) for part, item in zip(space.spaces, value)]
        case spaces.OneOf():
            return [int(value[0]), plain(space.spaces[int(value[0])], value[1])]
        case spaces.Sequence():
            items = iterate(space.stacked_feature_space, value) if space.stack else value
            return [plain(space.feature_space, item) for item in items]
        case spaces.Graph():
            nodes = [plain(space.node_space, node) for node in iterate(space.batch_node_space, value.nodes)]
            if value.edges is None:
                return {"nodes": nodes, "edges": None, "edge_links": None}
            edges = [plain(space.edge_space, edge) for edge in iterate(space.batch_edge_space, value.edges)]
            return {"nodes": nodes, "edges": edges, "edge_links": value.edge_links.tolist()}
        case spaces.Text():
            return value
    return np.asarray(value).tolist()


def listed(value):
    if not isinstance(value, list):
        raise TypeError(f"expected a list, found {value}")
    return value


def stacked(space, items):
    values = [value_of(space, item) for item in listed(items)]
    empty = create_empty_array(space, len(values))
    return concatenate(space, values, empty) if values else empty


def value_of(space, value):
    """A value of a space from JSON. What is none may raise, or give what the space does not contain."""
    match space:
        case spaces.Dict():
            return {key: value_of(space.spaces[key], item) for key, item in value.items()}
        case spaces.Tuple():
            return tuple(value_of(part, item) for part, item in zip(space.spaces, value, strict=True))
        case spaces.OneOf():
            index, item = listed(value)
            return index, value_of(space.spaces[index], item)
        case spaces.Sequence():
            if space.stack:
                return stacked(space.feature_space, value)
            return tuple(value_of(space.feature_space, item) for item in listed(value))
        case spaces.Graph():
            nodes = stacked(space.node_space, value["nodes"])
            if value["edges"] is None or value["edge_links"] is None:
                return GraphInstance(nodes, value["edges"], value["edge_links"])
            links = np.asarray(value["edge_links"] or np.zeros((0, 2), np.int32))
            return GraphInstance(nodes, stacked(space.edge_space, value["edges"]), links)
        case spaces.Text():
            return value
        case spaces.Discrete():
            return value if type(value) is int else None
    array = np.asarray(value)
    kind = np.dtype(space.dtype).kind
    if array.dtype.kind == "i" and kind in "iu":
        # JSON does not say how many bits a number has: it is of the space's type if that holds it.
        return array.astype(space.dtype) if np.array_equal(array.astype(space.dtype), array) else array
    return array.astype(space.dtype) if kind == "f" and array.dtype.kind in "if" else array


def contained(space, value):
    try:
        return bool(space.contains(value_of(space, value)))
    except Exception:
        return False


def flat(space, value):
    """A flattened value as JSON has it."""
    match value:
        case GraphInstance():
            links = None if value.edge_links is None else value.edge_links.tolist()
            edges = None if value.edges is None else np.asarray(value.edges).tolist()
            return {"nodes": np.asarray(value.nodes).tolist(), "edges": edges, "edge_links": links}
        case dict():
            return {key: flat(space, part) for key, part in value.items()}
        case tuple() | list():
            return [flat(space, part) for part in value]
    return np.asarray(value).astype(np.float64).tolist()


def flattened(space, value):
    found = value_of(space, value)
    try:
        dimension = int(spaces.utils.flatdim(space))
    except ValueError:
        dimension = None
    if isinstance(space, spaces.Sequence) and space.stack:
        parts = iterate(space.stacked_feature_space, found)
        return {"flatdim": dimension, "flat": [flat(space, spaces.flatten(space.feature_space, part)) for part in parts]}
    return {"flatdim": dimension, "flat": flat(space, spaces.flatten(space, found))}


def flags(*shape):
    return spaces.Box(0, 1, shape, dtype=bool)


go, push = spaces.Discrete(3, start=-1), spaces.Box(-1, 1, (2,), dtype=np.float32)
CASES = [
    (flags(2), [[True, False], [1, 0], [True], [True, 0.5], ["true", "false"], [None, True]]),
    (spaces.Box(np.array([False, True]), np.array([True, True]), dtype=bool), [[False, True], [False, False]]),
    (spaces.MultiDiscrete([3, 2], start=[-1, 5]), [[-1, 5], [1, 6], [2, 5], [-2, 5], [0, 0], [0.5, 5], [0], [0, 5, 5]]),
    (spaces.MultiDiscrete([[2], [3]], start=[[1], [-3]]), [[[1], [-1]], [[0], [0]], [[2], [-3]], [1, -1]]),
    (spaces.MultiDiscrete([3], dtype=np.uint8, start=[253]), [[253], [255], [256], [252]]),
    (spaces.Sequence(go), [[], [-1], [-1, 0, 1, 1], [2], [0, [0]], 0, None, {}, [0.5], [True, "0"]]),
    (spaces.Sequence(push, stack=True), [[[0, 1]], [[0, 1], [1, 1], [-1, 0]], [[0, 2]]]),
    (spaces.Sequence(spaces.Sequence(spaces.Text(3))), [[], [[]], [["a"], [], ["abc", "de"]], [["abcd"]], ["a"], [[""]]]),
    (spaces.Sequence(spaces.Dict(a=go, b=flags(1))), [[{"a": 0, "b": [True]}], [{"a": 0}], [{"a": 2, "b": [True]}]]),
    (spaces.OneOf([go, push]), [[0, -1], [1, [0, 0.5]], [0, [0, 0.5]], [1, -1], [2, 0], [-1, 0], [0], [0, 0, 0], {}, 0]),
    (spaces.OneOf([go, go]), [[0, 1], [1, 1], [1, 2], ["1", 0], [0.5, 0], [None, 0]]),
    (
        spaces.Graph(push, go),
        [
            {"nodes": [[0, 0], [1, 1]], "edges": [0, 1, 1], "edge_links": [[0, 1], [1, 0], [1, 1]]},
            {"nodes": [[0, 0], [1, 1]], "edges": None, "edge_links": None},
            {"nodes": [[0, 0]], "edges": [0], "edge_links": [[0, 0]]},
            {"nodes": [[0, 0]], "edges": [], "edge_links": []},
            {"nodes": [[0, 0]], "edges": [0], "edge_links": [[0, 1]]},
            {"nodes": [[0, 0]], "edges": [0], "edge_links": [[0, -1]]},
            {"nodes": [[0, 0]], "edges": [0], "edge_links": [[0, 0], [0, 0]]},
            {"nodes": [[0, 0]], "edges": [0], "edge_links": [[0, 0.5]]},
            {"nodes": [[0, 0]], "edges": [0], "edge_links": None},
            {"nodes": [[0, 0]], "edges": None, "edge_links": [[0, 0]]},
            {"nodes": [[0, 0]], "edges": [5], "edge_links": [[0, 0]]},
            {"nodes": [[0, 2]], "edges": None, "edge_links": None},
            {"nodes": [], "edges": None, "edge_links": None},
            {"nodes": [], "edges": [0], "edge_links": [[0, 0]]},
            {"nodes": None, "edges": None, "edge_links": None},
        ],
    ),
    (
        spaces.Graph(go, None),
        [
            {"nodes": [0, 1], "edges": None, "edge_links": None},
            {"nodes": [0, 1], "edges": None, "edge_links": [[0, 1]]},
            {"nodes": [0, 2], "edges": None, "edge_links": None},
        ],
    ),
    (spaces.Text(4, min_length=0, charset="abc"), ["", "ab", "cabc"]),
    (spaces.Box(-1, 1, (2, 2)), [[[0, 1], [1, 0.5]]]),
    (spaces.Dict(b=go, a=spaces.Tuple([push, spaces.MultiBinary([2, 2])])), [{"b": 1, "a": [[0, 1], [[0, 1], [1, 1]]]}]),
    (spaces.Dict(list=spaces.Sequence(go), one=go), [{"list": [0, 1], "one": 1}]),
    (spaces.Tuple([go, spaces.Sequence(push)]), [[1, [[0, 1]]]]),
    (spaces.Tuple([spaces.OneOf([spaces.Graph(go, go), spaces.Sequence(push)]), spaces.MultiBinary(2)]), []),
]


def case(space, values):
    space.seed(1)
    drawn = [plain(space, space.sample()) for _ in range(2)]
    assert all(contained(space, value) for value in drawn), space
    told = [{"value": value, "contained": contained(space, value)} for value in [*drawn, *values]]
    # The indexes of a default charset's characters differ from process to process.
    if "0123456789" in json.dumps(space_of(space)):
        return {"space": space_of(space), "values": told}
    for one in told:
        if one["contained"]:
            try:
                one.update(flattened(space, one["value"]))
            except ValueError:
                # Gymnasium flattens no empty list of edges, and no OneOf with parts of no fixed size.
                pass
    return {"space": space_of(space), "values": told}


written = {"gymnasium": gymnasium.__version__, "cases": [case(*given) for given in CASES]}
text = "{\n" + f'"gymnasium": {json.dumps(written["gymnasium"])},\n"cases": [\n'
text += ",\n".join(json.dumps(one, separators=(",", ":")) for one in written["cases"]) + "\n]\n}\n"
Path(__file__).with_name("golden.json").write_text(text)
