"""Worlds, an episode at a time: ``make``, and the class of environments."""

from __future__ import annotations

import importlib.util
import operator
import os
import random
import weakref
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Tuple, Type, Union

from ._connection import Connection, given, shared
from ._program import Program
from .errors import ConnectionLost, HindcastError
from .spaces import from_json

_Path = Union[str, "os.PathLike[str]"]

#: Bits of the seeds that are drawn for episodes without one: JSON's whole numbers are exact up to 2**53.
_SEED_BITS = 53


class EnvCore:
    """A world of Hindcast, an episode at a time, with the methods of ``gymnasium.Env``.

    Each episode is a task of the log: ``reset`` begins one, and ``task_id`` names it. The environment lives in the
    program ``hindcast``, and its process in a sandbox. ``make`` describes the arguments.

    With Gymnasium installed, the class is a ``gymnasium.Env``: its spaces are Gymnasium's, and observations are fresh
    arrays of numpy of the space's dtype. Without it, spaces are those of ``hindcast.spaces``, and observations are
    numbers, lists, tuples, dicts and texts.
    """

    metadata: Dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 30}
    render_mode: Optional[str] = None
    spec: Any = None
    observation_space: Any
    action_space: Any

    def __init__(
        self,
        world: _Path,
        *,
        log: Optional[_Path] = None,
        seed: Optional[int] = None,
        options: Optional[Mapping[str, Any]] = None,
        goal: Optional[str] = None,
        gate: str = "ask",
        sandbox: str = "auto",
        trust: bool = False,
        render_mode: Optional[str] = None,
        program: Optional[Program] = None,
    ) -> None:
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode: expected None or 'ansi', found {render_mode!r}.")
        named = os.fspath(world)
        making = {
            # The program works in the directory where it was started.
            "world": os.path.abspath(named) if os.path.isdir(named) else named,
            "log": None if log is None else os.path.abspath(os.fspath(log)),
            "options": None if options is None else dict(options),
            "goal": goal,
            "gate": gate,
            "sandbox": sandbox,
            "trust": trust,
        }
        self._made: Dict[str, Any] = {"making": making, "seed": seed, "render_mode": render_mode, "program": program}
        self.render_mode = render_mode
        self._first_seed = None if seed is None else _checked_seed(seed)
        self._generator: Optional[random.Random] = None
        self._task: Optional[str] = None
        self._closed = False
        self._connection = shared(program)
        made = self._connection.request("world.make", given(**making))
        self._number: int = made["world"]
        #: The world's plugin, such as ``cart-pole``.
        self.name: str = made["name"]
        #: What its manifest says: ``name``, ``description``, ``version``, ``rules``, ``maxEpisodeSteps`` …
        self.info: Dict[str, Any] = made["info"]
        #: The absolute path of the log that has the episodes.
        self.log: str = made["log"]
        if not made["hasView"]:
            self.metadata = {**self.metadata, "render_modes": []}
        self._spaces: Dict[str, Any] = {}
        self._take_spaces(made["spaces"])
        self._finalizer = weakref.finalize(
            self, Connection.abandon, self._connection, "world.close", {"world": self._number}
        )
        self._finalizer.atexit = False

    @property
    def task_id(self) -> str:
        """The id of the episode's task.

        Raises:
            HindcastError: there is no episode yet.
        """
        if self._task is None:
            raise HindcastError(f"{self.name} has no episode. Call reset first.")
        return self._task

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

    def render(self) -> Optional[str]:
        """The episode as lines of text, with ``render_mode="ansi"``; otherwise None."""
        if self.render_mode is None:
            return None
        text: str = self._ask("world.render", **{"as": "text"})
        return text

    def svg(self) -> str:
        """The episode as an image in SVG.

        Raises:
            Refused: ``ViewNotFound``: the world's manifest has no view.
        """
        image: str = self._ask("world.render", **{"as": "svg"})
        return image

    def action_mask(self) -> Any:
        """The legal actions, 1 or 0, in the shape of ``action_space``; None if the world has no mask."""
        return self._ask("world.mask")

    def state(self) -> Dict[str, Any]:
        """The whole state of the episode as one document. An agent does not see it."""
        document: Dict[str, Any] = self._ask("world.state")
        return document

    def close(self) -> None:
        """Ends the episode, as what it is, and the environment. Nothing happens the second time."""
        if self._closed:
            return
        self._closed = True
        self._finalizer.detach()
        if self._connection.usable:
            self._connection.request("world.close", {"world": self._number})

    @property
    def unwrapped(self) -> Any:
        """The environment itself."""
        return self

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> Any:
        self.close()
        return False

    def __str__(self) -> str:
        return f"<hindcast.Env<{self._made['making']['world']}>>"

    def __reduce__(self) -> Any:
        if self._task is not None and not self._closed:
            raise TypeError(
                f"An environment in an episode cannot be pickled or copied: the episode (task {self._task}) lives in "
                "the program, and a copy could not keep it. Copy it before the first reset, or continue the task from "
                "a moment with `hindcast fork`."
            )
        return (_rebuilt, (self._made,))

    def _ask(self, method: str, **params: Any) -> Any:
        if self._closed:
            raise HindcastError(f"{self.name}: expected an open environment, found one that was closed. Make another.")
        try:
            return self._connection.request(method, {"world": self._number, **params})
        except ConnectionLost:
            self._task = None
            raise

    def _seed_of_episode(self, given: Optional[int]) -> Optional[int]:
        if given is None and self._first_seed is None:
            return None if self._generator is None else self._generator.getrandbits(_SEED_BITS)
        seed = _checked_seed(self._first_seed if given is None else given)
        self._first_seed = None
        self._generator = random.Random(seed)
        return seed

    def _take_spaces(self, spaces: Dict[str, Any]) -> None:
        """Makes the spaces, once for the same ones: wrappers and checks compare the objects."""
        if spaces == self._spaces:
            return
        self._spaces = spaces
        self.observation_space = self._space(spaces["observation"])
        self.action_space = self._space(spaces["action"])

    # A class with Gymnasium replaces these.

    def _space(self, json: Mapping[str, Any]) -> Any:
        return from_json(json)

    def _observation(self, value: Any) -> Any:
        return value

    def _action(self, value: Any) -> Any:
        return value


def _checked_seed(seed: Any) -> int:
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if isinstance(seed, bool) or not 0 <= number < 2**_SEED_BITS:
        raise ValueError(f"seed: expected a whole number from 0 to 2**{_SEED_BITS} - 1, found {seed!r}.")
    return number


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
    world: _Path,
    *,
    log: Optional[_Path] = None,
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
    making = made["making"]
    return make(**making, seed=made["seed"], render_mode=made["render_mode"], program=made["program"])


if TYPE_CHECKING:
    #: For annotations. At run time, ``hindcast.Env`` is the class that ``make`` returns objects of.
    Env = EnvCore
