"""What all environments share: a world of the program, its episode's task, seeds, and the end."""

from __future__ import annotations

import operator
import os
import random
import weakref
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Union

from ._connection import Connection, given, located, shared
from ._program import Program
from .errors import ConnectionLost, HindcastError

Path = Union[str, "os.PathLike[str]"]

#: Bits of the seeds that are drawn for episodes without one: JSON's whole numbers are exact up to 2**53.
_SEED_BITS = 53


def making(
    world: Path, log: Optional[Path], options: Optional[Mapping[str, Any]], gate: str, sandbox: str, trust: bool
) -> Dict[str, Any]:
    """The parameters that the program takes to make a world, and several episodes of one."""
    named = os.fspath(world)
    return {
        # The program works in the directory where it was started.
        "world": os.path.abspath(named) if os.path.isdir(named) else named,
        "log": located(log),
        "options": None if options is None else dict(options),
        "gate": gate,
        "sandbox": sandbox,
        "trust": trust,
    }


class OpenedCore:
    """Something that the program has opened for this process, by a number of its own, until it is closed."""

    #: What the program calls it: ``world`` or ``vector``.
    _kind: str
    name: str
    _connection: Connection
    _number: int
    #: Whether it was closed.
    closed = False

    def _opened(self, made: Mapping[str, Any]) -> None:
        """Takes the number that the program has given to it."""
        self._number = made[self._kind]
        #: The world's plugin, such as ``cart-pole``.
        self.name = made["name"]
        #: The absolute path of the log that has the episodes.
        self.log: str = made["log"]
        self._finalizer = weakref.finalize(
            self, Connection.abandon, self._connection, f"{self._kind}.close", {self._kind: self._number}
        )
        self._finalizer.atexit = False

    def _close(self) -> None:
        """Ends it in the program. Nothing happens the second time."""
        if self.closed:
            return
        self.closed = True
        self._finalizer.detach()
        if self._connection.usable:
            self._connection.request(f"{self._kind}.close", {self._kind: self._number})

    def _asked(self, method: str, **params: Any) -> Any:
        if self.closed:
            raise HindcastError(f"{self.name}: expected an open environment, found one that was closed. Make another.")
        return self._connection.request(method, {self._kind: self._number, **params})

    @property
    def unwrapped(self) -> Any:
        """The environment itself."""
        return self

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> Any:
        self.close()
        return False

    def close(self) -> None:
        raise NotImplementedError


class WorldCore(OpenedCore):
    """A world in the program ``hindcast``, an episode at a time. Each episode is a task of the log."""

    _kind = "world"
    metadata: Dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 30}
    render_mode: Optional[str] = None

    def __init__(
        self,
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
        agents: Optional[Sequence[str]] = None,
    ) -> None:
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode: expected None or 'ansi', found {render_mode!r}.")
        params = {
            **making(world, log, options, gate, sandbox, trust),
            "goal": goal,
            "agents": None if agents is None else list(agents),
        }
        self._made: Dict[str, Any] = {"making": params, "seed": seed, "render_mode": render_mode, "program": program}
        self.render_mode = render_mode
        self._first_seed = None if seed is None else checked_seed(seed)
        self._generator: Optional[random.Random] = None
        self._task: Optional[str] = None
        self._connection = shared(program)
        made = self._connection.request("world.make", given(**params))
        self._opened(made)
        #: What its manifest says: ``name``, ``description``, ``version``, ``rules``, ``maxEpisodeSteps`` …
        self.info: Dict[str, Any] = made["info"]
        if not made["hasView"]:
            self.metadata = {**self.metadata, "render_modes": []}
        self._begin(made)

    @property
    def task_id(self) -> str:
        """The id of the episode's task.

        Raises:
            HindcastError: there is no episode yet.
        """
        if self._task is None:
            raise HindcastError(f"{self.name} has no episode. Call reset first.")
        return self._task

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

    def state(self) -> Dict[str, Any]:
        """The whole state of the episode as one document. An agent does not see it."""
        document: Dict[str, Any] = self._ask("world.state")
        return document

    def close(self) -> None:
        """Ends the episode, as what it is, and the environment. Nothing happens the second time."""
        self._close()

    def __str__(self) -> str:
        return f"<hindcast.{type(self).__name__}<{self._made['making']['world']}>>"

    def __reduce__(self) -> Any:
        if self._task is not None and not self.closed:
            raise TypeError(
                f"An environment in an episode cannot be pickled or copied: the episode (task {self._task}) lives in "
                "the program, and a copy could not keep it. Copy it before the first reset, or continue the task from "
                "a moment with `hindcast fork`."
            )
        return (self._rebuild(), (self._made,))

    def _ask(self, method: str, **params: Any) -> Any:
        try:
            return self._asked(method, **params)
        except ConnectionLost:
            self._task = None
            raise

    def _seed_of_episode(self, given: Optional[int]) -> Optional[int]:
        if given is None and self._first_seed is None:
            return None if self._generator is None else self._generator.getrandbits(_SEED_BITS)
        seed = checked_seed(self._first_seed if given is None else given)
        self._first_seed = None
        self._generator = random.Random(seed)
        return seed

    # Classes of environments replace these.

    def _begin(self, made: Mapping[str, Any]) -> None:
        """Takes the answer of ``world.make``."""
        raise NotImplementedError

    def _rebuild(self) -> Callable[[Mapping[str, Any]], WorldCore]:
        """The function that makes the same environment again, from ``_made``."""
        raise NotImplementedError


def checked_seed(seed: Any) -> int:
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if isinstance(seed, bool) or not 0 <= number < 2**_SEED_BITS:
        raise ValueError(f"seed: expected a whole number from 0 to 2**{_SEED_BITS} - 1, found {seed!r}.")
    return number
