"""Environments of PettingZoo. Only a process that has PettingZoo and Gymnasium, and so numpy, imports this module."""

# Without PettingZoo, a check of types knows its classes as Any.
# mypy: disable-error-code="misc, import-not-found, import-untyped, no-any-return"

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Type

import numpy as np
import pettingzoo

from ._gymnasium import converter, plain, space_of
from ._together import CycleCore, GroupCore, ParallelCore


class _Arrays(GroupCore):
    """Gymnasium's spaces, and observations as arrays and numbers of numpy."""

    def _space(self, json: Mapping[str, Any]) -> Any:
        return space_of(json)

    def _observation(self, agent: str, value: Any) -> Any:
        json = self._spaces[agent]["observation"]
        key = id(json)
        if key not in self._converters:
            self._converters[key] = _number if json["type"] == "Discrete" else converter(json)
        return self._converters[key](value)

    def _mask(self, agent: str, value: Any) -> Any:
        # The type that a space's `sample` wants.
        return np.asarray(value, dtype=np.int8) if self._spaces[agent]["action"]["type"] == "Discrete" else value

    def _action(self, value: Any) -> Any:
        return plain(value)

    def _begin(self, made: Mapping[str, Any]) -> None:
        self._converters: Dict[int, Callable[[Any], Any]] = {}
        super()._begin(made)

    def _take_spaces(self, spaces: Mapping[str, Dict[str, Any]]) -> None:
        self._converters.clear()
        super()._take_spaces(spaces)


def _number(value: Any) -> Any:
    return np.int64(value)


class _Parallel(_Arrays, ParallelCore, pettingzoo.ParallelEnv):
    __doc__ = ParallelCore.__doc__


class _Cycle(_Arrays, CycleCore, pettingzoo.AECEnv):
    __doc__ = CycleCore.__doc__


def class_of(name: str) -> Type[GroupCore]:
    """The class of this name in PettingZoo."""
    return _Parallel if name == "ParallelEnv" else _Cycle
