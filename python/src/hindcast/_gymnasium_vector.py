"""Vector environments of Gymnasium. Only a process that has Gymnasium, and so numpy, imports this module."""

# Without Gymnasium, a check of types knows its classes as Any.
# mypy: disable-error-code="misc, import-not-found, no-any-return"

from __future__ import annotations

from typing import Any, List, Mapping

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

from ._gymnasium import converter, plain, space_of
from ._vector import VectorCore


class GymnasiumVectorEnv(VectorCore, VectorEnv):
    """Several episodes of a world as a ``gymnasium.vector.VectorEnv``. See ``hindcast.make_vec``."""

    __doc__ = VectorCore.__doc__

    def _take_spaces(self, spaces: Mapping[str, Any]) -> None:
        self.single_observation_space = space_of(spaces["observation"])
        self.single_action_space = space_of(spaces["action"])
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._to_value = converter(spaces["observation"])
        single = self.single_observation_space
        is_plain = isinstance(single, (gymnasium.spaces.Box, gymnasium.spaces.Discrete))
        self._dtype = single.dtype if is_plain else None

    def _mode(self, mode: str) -> Any:
        return AutoresetMode(mode)

    def _observations(self, values: List[Any]) -> Any:
        if self._dtype is not None:
            return np.array(values, dtype=self._dtype)
        into: Any = create_empty_array(self.single_observation_space, self.num_envs)
        return concatenate(self.single_observation_space, [self._to_value(value) for value in values], into)

    def _actions(self, actions: Any) -> List[Any]:
        if isinstance(actions, np.ndarray):
            return actions.tolist()
        if isinstance(actions, (list, tuple)):
            return [plain(action) for action in actions]
        return [plain(action) for action in iterate(self.action_space, actions)]

    def _rewards(self, values: List[float]) -> Any:
        return np.array(values, dtype=np.float64)

    def _flags(self, values: List[bool]) -> Any:
        return np.array(values, dtype=np.bool_)

    def _finals(self, values: List[Any], ended: List[bool]) -> Any:
        made = np.empty(len(values), dtype=object)
        for slot, value in enumerate(values):
            made[slot] = self._to_value(value) if ended[slot] else None
        return made

    def _column(self, values: List[Any]) -> Any:
        if all(isinstance(value, bool) for value in values):
            return np.array(values, dtype=np.bool_)
        if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
            # Of all values: Gymnasium takes the type of the first, and loses the fractions of later ones.
            has_fractions = any(isinstance(value, float) for value in values)
            return np.array(values, dtype=np.float64 if has_fractions else np.int64)
        made = np.empty(len(values), dtype=object)
        made[:] = values
        return made
