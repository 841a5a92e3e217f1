"""Environments and spaces of Gymnasium. Only a process that has Gymnasium, and so numpy, imports this module."""

# Without Gymnasium, a check of types knows its classes as Any.
# mypy: disable-error-code="misc, import-not-found, no-any-return"

from __future__ import annotations

import string
from typing import Any, Callable, Mapping, Optional, Tuple

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec

from ._env import EnvCore


class GymnasiumEnv(EnvCore, gymnasium.Env):
    """A world of Hindcast as a ``gymnasium.Env``. See ``hindcast.make``."""

    __doc__ = EnvCore.__doc__

    def __init__(self, world: Any, **arguments: Any) -> None:
        self._to_array: Callable[[Any], Any] = _same
        super().__init__(world, **arguments)
        kwargs = {"world": world, **{k: v for k, v in arguments.items() if k != "render_mode" and v is not None}}
        # What `gymnasium.make(env.spec)` makes is the same environment. Its own wrappers stay away: the program checks
        # actions, and the world's own limit ends an episode.
        self.spec = EnvSpec(
            id=f"hindcast/{self.name}-v0",
            entry_point="hindcast:Env",
            kwargs=kwargs,
            disable_env_checker=True,
            order_enforce=False,
        )

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Mapping[str, Any]] = None
    ) -> Tuple[Any, dict[str, Any]]:
        # Seeds `np_random`, which the world does not use: it has numpy's generator of the same seed.
        gymnasium.Env.reset(self, seed=seed)
        return super().reset(seed=seed, options=options)

    reset.__doc__ = EnvCore.reset.__doc__

    def _space(self, json: Mapping[str, Any]) -> Any:
        space = space_of(json)
        if json == self._spaces["observation"]:
            self._to_array = converter(json)
        return space

    def _observation(self, value: Any) -> Any:
        return self._to_array(value)

    def _action(self, value: Any) -> Any:
        return plain(value)


class AnyText(spaces.Text):
    """Texts of any characters. Gymnasium's own ``Text`` always has a set of them."""

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and self.min_length <= len(x) <= self.max_length


def space_of(json: Mapping[str, Any]) -> spaces.Space[Any]:
    """Gymnasium's space for Minari's JSON."""
    kind = json["type"]
    if kind == "Box":
        dtype, shape = np.dtype(json["dtype"]), tuple(json["shape"])
        low, high = (np.broadcast_to(_bounds(json[end], dtype), shape) for end in ("low", "high"))
        return spaces.Box(low=low.copy(), high=high.copy(), shape=shape, dtype=dtype.type)
    if kind == "Discrete":
        return spaces.Discrete(json["n"], start=json.get("start", 0))
    if kind == "MultiDiscrete":
        start = None if "start" not in json else np.array(json["start"])
        return spaces.MultiDiscrete(np.array(json["nvec"]), start=start)
    if kind == "MultiBinary":
        return spaces.MultiBinary(json["n"])
    if kind == "Tuple":
        return spaces.Tuple([space_of(part) for part in json["subspaces"]])
    if kind == "Dict":
        return spaces.Dict({key: space_of(part) for key, part in json["subspaces"].items()})
    if kind == "Text":
        lengths = {"min_length": json.get("min_length", 1), "max_length": json["max_length"]}
        if "charset" in json:
            return spaces.Text(charset=json["charset"], **lengths)
        return AnyText(charset=string.ascii_letters + string.digits + string.punctuation + " ", **lengths)
    if kind == "Sequence":
        return spaces.Sequence(space_of(json["feature_space"]), stack=json.get("stack", False))
    if kind == "Graph":
        edges = json.get("edge_space")
        return spaces.Graph(space_of(json["node_space"]), None if edges is None else space_of(edges))
    return spaces.OneOf([space_of(part) for part in json["subspaces"]])


def _bounds(bound: Any, dtype: Any) -> Any:
    # Infinities are texts in JSON, and numpy reads them as numbers.
    return np.array(bound, dtype=np.float64 if dtype.kind == "f" else None).astype(dtype)


def converter(json: Mapping[str, Any]) -> Callable[[Any], Any]:
    """Turns a value of JSON into a fresh value of Gymnasium's space."""
    kind = json["type"]
    if kind == "Box":
        dtype = np.dtype(json["dtype"])
        return lambda value: np.array(value, dtype=dtype)
    if kind == "MultiDiscrete":
        return lambda value: np.array(value, dtype=np.int64)
    if kind == "MultiBinary":
        return lambda value: np.array(value, dtype=np.int8)
    if kind == "Tuple":
        parts = [converter(part) for part in json["subspaces"]]
        return lambda value: tuple(part(one) for part, one in zip(parts, value))
    if kind == "Dict":
        named = {key: converter(part) for key, part in json["subspaces"].items()}
        return lambda value: {key: part(value[key]) for key, part in named.items()}
    if kind == "Sequence":
        feature = converter(json["feature_space"])
        if json.get("stack", False):
            return lambda value: np.stack([feature(one) for one in value])
        return lambda value: tuple(feature(one) for one in value)
    if kind == "Graph":
        return _graph(json)
    if kind == "OneOf":
        subspaces = [converter(part) for part in json["subspaces"]]
        return lambda value: (np.int64(value[0]), subspaces[value[0]](value[1]))
    return _same


def _graph(json: Mapping[str, Any]) -> Callable[[Any], Any]:
    node, edge = converter(json["node_space"]), json.get("edge_space")
    edge_of = _same if edge is None else converter(edge)

    def convert(value: Any) -> Any:
        edges, links = value["edges"], value["edge_links"]
        return spaces.GraphInstance(
            nodes=np.array([node(one) for one in value["nodes"]]),
            edges=None if edges is None else np.array([edge_of(one) for one in edges]),
            edge_links=None if links is None else np.array(links, dtype=np.int32),
        )

    return convert


def _same(value: Any) -> Any:
    return value


def plain(value: Any) -> Any:
    """A value of Gymnasium's as one of JSON. The connection converts arrays and numbers of numpy."""
    if isinstance(value, spaces.GraphInstance):
        return {key: plain(part) for key, part in value._asdict().items()}
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    return value
