"""Finds the class that a manifest names, and makes its environments."""

from __future__ import annotations

import importlib
import inspect
from typing import Any, Callable, Dict, Mapping, Tuple

from .refusal import Refusal
from .space_json import difference, space_json

__all__ = ["Facts", "Maker", "check_spaces", "core_of", "find", "has_mask", "is_restoring", "spaces_of"]

#: What a manifest says of a world: `spaces`, `maxSteps` and `maxAgents`.
Facts = Mapping[str, Any]

#: Makes an environment.
Maker = Callable[[], Any]


def find(entry: str, arguments: Mapping[str, Any]) -> Maker:
    """The maker of the environments of ``module:name``, a class or a function that returns an environment.

    Raises:
        Refusal: ``NoSuchEnvironment``: the module, or its name, does not exist or cannot be called.
    """
    module_name, _, name = entry.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise Refusal("NoSuchEnvironment", _missing(entry, module_name, error)) from error
    for part in name.split("."):
        if not hasattr(found, part):
            raise Refusal(
                "NoSuchEnvironment", f"{entry}: expected the module {module_name} to have {name}, found no {part}"
            )
        found = getattr(found, part)
    if not callable(found):
        raise Refusal("NoSuchEnvironment", f"{entry}: expected a class or a function, found {type(found).__name__}")
    return lambda: _checked(entry, found(**arguments))


def _missing(entry: str, module_name: str, error: ModuleNotFoundError) -> str:
    absent = error.name or module_name
    if absent == module_name.split(".")[0]:
        return (
            f"{entry}: expected a module {module_name} in the plugin's directory or among this Python's packages, found "
            "none"
        )
    return f"{entry}: its module needs the package {absent}, which this Python does not have"


def _checked(entry: str, environment: Any) -> Any:
    for method in ("reset", "step"):
        if not callable(getattr(environment, method, None)):
            found = type(environment).__name__
            raise Refusal(
                "NotAnEnvironment", f"{entry}: expected the methods of gymnasium.Env, found {found} without {method}"
            )
    try:
        parameters = inspect.signature(environment.reset).parameters.values()
    except (TypeError, ValueError):
        return environment
    takes_any = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters)
    missing = [name for name in ("seed", "options") if name not in {one.name for one in parameters}]
    if missing and not takes_any:
        raise Refusal(
            "NotAnEnvironment",
            f"{entry}: expected reset(*, seed=None, options=None), as in Gymnasium since 0.26, found one without "
            f"{' and '.join(missing)}",
        )
    return environment


def core_of(environment: Any) -> Any:
    """The environment below its wrappers."""
    return getattr(environment, "unwrapped", environment)


def is_restoring(environment: Any) -> bool:
    """Whether the class has the methods ``state()`` and ``restore(state)``. A variable ``state`` does not count."""
    core = core_of(environment)
    return callable(getattr(core, "state", None)) and callable(getattr(core, "restore", None))


def has_mask(environment: Any) -> bool:
    """Whether the class has a method ``action_mask()``. One that needs arguments, as Taxi's, does not count."""
    method = getattr(core_of(environment), "action_mask", None)
    if not callable(method):
        return False
    try:
        inspect.signature(method).bind()
    except (TypeError, ValueError):
        return False
    return True


def spaces_of(environment: Any) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """The spaces of observations and actions, as a manifest has them."""
    return (
        space_json(getattr(environment, "observation_space", None), "observation_space"),
        space_json(getattr(environment, "action_space", None), "action_space"),
    )


def check_spaces(entry: str, environment: Any, facts: Facts) -> None:
    """Raises `SpacesDisagree` unless the class has the spaces of the manifest."""
    for part, found in zip(("observation", "action"), spaces_of(environment)):
        where = difference(facts["spaces"][part], found)
        if where is not None:
            raise Refusal(
                "SpacesDisagree",
                f"{entry}: the {part} space of the class is not the manifest's, at /peas/environment/spaces/{part}"
                f"{where}. Change one of them",
            )
