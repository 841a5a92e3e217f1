"""The state of numpy's generator, `np_random` of an environment, in JSON."""

from __future__ import annotations

from typing import Any, Optional

__all__ = ["generator_state", "restore_generator"]

#: JSON of other programs loses digits of larger integers, so these are texts.
_SAFE = 2**53 - 1

_INTEGER = "int:"


def generator_state(core: Any) -> Optional[Any]:
    """The generator's state, or None if the environment has none yet. Does not make one."""
    found = getattr(getattr(core, "_np_random", None), "bit_generator", None)
    return None if found is None else _spelled(found.state)


def restore_generator(core: Any, state: Optional[Any]) -> None:
    """Puts a state of `generator_state` back."""
    found = getattr(getattr(core, "_np_random", None), "bit_generator", None)
    if found is not None and state is not None:
        found.state = _parsed(state)


def _spelled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _spelled(part) for key, part in value.items()}
    if hasattr(value, "tolist"):
        return value.tolist()
    return f"{_INTEGER}{value}" if isinstance(value, int) and value > _SAFE else value


def _parsed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _parsed(part) for key, part in value.items()}
    if isinstance(value, list):
        import numpy

        return numpy.array(value, dtype=numpy.uint32)
    return int(value[len(_INTEGER) :]) if isinstance(value, str) and value.startswith(_INTEGER) else value
