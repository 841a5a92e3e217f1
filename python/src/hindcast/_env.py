"""Worlds, an episode at a time: ``make``, and the class of environments."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Optional, Tuple, Type

from ._connection import given, shared
from ._program import Program
from ._world import Path, WorldCore
from .spaces import from_json


class EnvCore(WorldCore):
    """A world of Hindcast, an episode at a time, with the methods of ``gymnasium.Env``.

    Each episode is a task of the log: ``reset`` begins one, and ``task_id`` names it. The environment lives in the
    program ``hindcast``, and its process in a sandbox. ``make`` describes the arguments.

    With Gymnasium installed, the class is a ``gymnasium.Env``: its spaces are Gymnasium's, and observations are fresh
    arrays of numpy of the space's dtype. Without it, spaces are those of ``hindcast.spaces``, and observations are
    numbers, lists, tuples, dicts and texts.
    """

    spec: Any = None
    observation_space: Any
    action_space: Any
    _spaces: Dict[str, Any]

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Mapping[str, Any]] = None
    ) -> Tuple[Any, Dict[str, Any]]:
        """Begins an episode. An unfinished one before it ends as truncated.

        Args:
            seed: the episode's seed, 0 or more: the same one gives the same episode, here and in TypeScript. Without
                one, the first episode takes that of ``make``, and a later one a seed that follows from the seeds
                before. If there never was one, the program draws it; the log has it in any case.
            options: the world's options for this episode. Default: those of ``make``.

        Returns:
            The observation, and the world's info.
        """
        drawn = self._seed_of_episode(seed)
        answer = self._ask("world.reset", **given(seed=drawn, options=None if options is None else dict(options)))
        self._task = answer["task"]
        self._take_spaces(answer["spaces"])
        return self._observation(answer["observation"]), answer["info"]

    def step(self, action: Any) -> Tuple[Any, float, bool, bool, Dict[str, Any]]:
        """Acts. ``action`` is a value of ``action_space``.

        Returns:
            The observation, the reward, whether the episode reached an end of its own (``terminated``), whether it was
            cut off (``truncated``), and the world's info.

        Raises:
            Refused: ``ActionRefused``: the world refused the action, and its state is unchanged. ``NoEpisode``: there
                was no ``reset``.
            NotJson: the action has NaN, an infinity, or an object of Python.
        """
        answer = self._ask("world.step", action=self._action(action))
        return (
            self._observation(answer["observation"]),
            float(answer["reward"]),
            answer["terminated"],
            answer["truncated"],
            answer["info"],
        )

    def action_mask(self) -> Any:
        """The legal actions, 1 or 0, in the shape of ``action_space``; None if the world has no mask."""
        return self._ask("world.mask")

    def _take_spaces(self, spaces: Dict[str, Any]) -> None:
        """Makes the spaces, once for the same ones: wrappers and checks compare the objects."""
        if spaces == self._spaces:
            return
        self._spaces = spaces
        self.observation_space = self._space(spaces["observation"])
        self.action_space = self._space(spaces["action"])

    def _begin(self, made: Mapping[str, Any]) -> None:
        self._spaces = {}
        self._take_spaces(made["spaces"])

    def _rebuild(self) -> Callable[[Mapping[str, Any]], WorldCore]:
        return _rebuilt

    # A class with Gymnasium replaces these.

    def _space(self, json: Mapping[str, Any]) -> Any:
        return from_json(json)

    def _observation(self, value: Any) -> Any:
        return value

    def _action(self, value: Any) -> Any:
        return value


_classes: Dict[str, Type[EnvCore]] = {}


def env_class() -> Type[EnvCore]:
    """The class of environments: a ``gymnasium.Env`` if Gymnasium is installed. Made once, at the first use."""
    if "Env" not in _classes:
        if importlib.util.find_spec("gymnasium") is None:
            made: Type[EnvCore] = type("Env", (EnvCore,), {"__doc__": EnvCore.__doc__})
        else:
            from ._gymnasium import GymnasiumEnv as made
        made.__module__, made.__name__, made.__qualname__ = "hindcast", "Env", "Env"
        _classes["Env"] = made
    return _classes["Env"]


def make(
    world: Path,
    *,
    log: Optional[Path] = None,
    seed: Optional[int] = None,
    options: Optional[Mapping[str, Any]] = None,
    goal: Optional[str] = None,
    gate: str = "ask",
    sandbox: str = "auto",
    trust: bool = False,
    render_mode: Optional[str] = None,
    program: Optional[Program] = None,
) -> EnvCore:
    """Makes an environment of a world: a ``gymnasium.Env`` where Gymnasium is installed, and one like it elsewhere.

    Environments of one process that record to the same log share a kernel, which works on that log alone until the last
    of them closes.

    Args:
        world: a world that comes with Hindcast, such as ``"cart-pole"``, a plugin that the log has, or a plugin's
            directory.
        log: the log to record to. It is created if there is none. Default: the variable ``HINDCAST_LOG``, else
            ``.hindcast/log.db``.
        seed: of the first episode. Later ones then follow from it.
        options: the world's options.
        goal: the goal of each task. Default: to act in the world.
        gate: who decides about commands of more than low risk: ``"ask"`` (a person), ``"allow"`` or ``"deny"``.
        sandbox: how to confine the world: ``"auto"``, ``"namespaces"`` or ``"flags"``.
        trust: trust a log that this user did not write on this machine.
        render_mode: ``"ansi"`` for ``render`` as text.
        program: the program ``hindcast``. Default: see the guide.

    Example::

        with hindcast.make("cart-pole", log="agent.db", seed=42) as env:
            observation, info = env.reset()
            observation, reward, terminated, truncated, info = env.step(1)
    """
    return env_class()(
        world,
        log=log,
        seed=seed,
        options=options,
        goal=goal,
        gate=gate,
        sandbox=sandbox,
        trust=trust,
        render_mode=render_mode,
        program=program,
    )


def worlds(program: Optional[Program] = None) -> list[str]:
    """The names of the worlds that come with Hindcast, sorted."""
    names: list[str] = shared(program).request("world.list")
    return names


def _rebuilt(made: Mapping[str, Any]) -> EnvCore:
    making = {name: value for name, value in made["making"].items() if name != "agents"}
    return make(**making, seed=made["seed"], render_mode=made["render_mode"], program=made["program"])


if TYPE_CHECKING:
    #: For annotations. At run time, ``hindcast.Env`` is the class that ``make`` returns objects of.
    Env = EnvCore
