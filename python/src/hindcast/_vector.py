"""Several episodes of one world at a time: ``make_vec``, and the class of vector environments."""

from __future__ import annotations

import importlib.util
import random
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Type, Union

from ._connection import given, shared
from ._program import Program
from ._world import OpenedCore, Path, checked_seed, making
from .spaces import Tuple as TupleSpace
from .spaces import from_json

#: What becomes of an episode that has ended: Gymnasium's three modes.
MODES = ("NextStep", "SameStep", "Disabled")

#: Bits of the first seed if none is given. The seeds of the other slots follow it.
_SEED_BITS = 48

Info = Dict[str, Any]
Step = Tuple[Any, Any, Any, Any, Info]


class VectorCore(OpenedCore):
    """Several episodes of a world of Hindcast, each in a slot, with the methods of ``gymnasium.vector.VectorEnv``.

    All slots are in one process, which one request steps. Each episode is a task of the log in compact form, and
    ``task_ids`` names those of the slots. ``make_vec`` describes the arguments.

    With Gymnasium installed, the class is a ``gymnasium.vector.VectorEnv``: observations, rewards (float64) and flags
    are arrays of numpy whose first axis is the slot. Without it, they are lists.
    """

    _kind = "vector"
    metadata: Dict[str, Any] = {"render_modes": []}
    render_mode: Optional[str] = None
    spec: Any = None
    single_observation_space: Any
    single_action_space: Any
    observation_space: Any
    action_space: Any

    def __init__(
        self,
        world: Path,
        num_envs: int,
        *,
        log: Optional[Path] = None,
        seed: Optional[int] = None,
        options: Optional[Mapping[str, Any]] = None,
        autoreset: Any = "NextStep",
        policy: Optional[str] = None,
        gate: str = "ask",
        sandbox: str = "auto",
        trust: bool = False,
        program: Optional[Program] = None,
    ) -> None:
        mode = getattr(autoreset, "value", autoreset)
        if mode not in MODES:
            raise ValueError(f"autoreset: expected one of {', '.join(MODES)}, found {autoreset!r}.")
        self._seed = None if seed is None else checked_seed(seed)
        self._begun = False
        self._connection = shared(program)
        params = {**making(world, log, options, gate, sandbox, trust), "count": num_envs, "autoreset": mode, "policy": policy}
        made = self._connection.request("vector.make", given(**params))
        self._opened(made)
        #: The number of slots.
        self.num_envs: int = made["count"]
        #: ``NextStep``, ``SameStep`` or ``Disabled``.
        self.autoreset: str = made["autoreset"]
        self.metadata = {**self.metadata, "autoreset_mode": self._mode(mode)}
        self._task_ids: List[str] = []
        self._take_spaces(made["spaces"])

    @property
    def task_ids(self) -> List[str]:
        """The ids of the slots' tasks, in their order; empty before the first ``reset``."""
        return list(self._task_ids)

    def reset(
        self,
        *,
        seed: Union[int, Sequence[Optional[int]], None] = None,
        options: Optional[Mapping[str, Any]] = None,
    ) -> Tuple[Any, Info]:
        """Begins an episode in each slot, or in those of ``options={"reset_mask": mask}``.

        Args:
            seed: the first slot's; those of the others follow by one. Or a list with a seed for each slot. Without one,
                each slot's random numbers go on; at first, the seed is that of ``make_vec``, or is drawn.
            options: ``reset_mask``, a flag for each slot: the others keep their episodes. The world's own options are
                those of ``make_vec``.

        Returns:
            The observations, and the infos: each key has the values of all slots, and the key with ``_`` before it has
            the slots that gave one.
        """
        mask = _mask_in(options)
        seeds: Union[int, List[int], None]
        if seed is None:
            seeds = None if self._begun else (self._seed if self._seed is not None else _drawn())
        elif isinstance(seed, Sequence):
            seeds = [checked_seed(one) for one in seed]
        else:
            seeds = checked_seed(seed)
        answer = self._ask("vector.reset", **given(seed=seeds, mask=mask))
        self._begun = True
        return self._observations(answer["observations"]), self._columns(answer["infos"])

    def step(self, actions: Any) -> Step:
        """Acts in all slots. ``actions`` has an action for each.

        Returns:
            The observations, the rewards, the flags ``terminated`` and ``truncated``, and the infos. In the mode
            ``SameStep``, ``final_obs`` and ``final_info`` of the infos are those of episodes that this step ended.

        Raises:
            Refused: ``VectorMisused``: nothing was stepped, because there was no ``reset``, or because an episode is
                over in the mode ``Disabled``. ``VectorRefused``: the world refused the action of one slot, and the
                others were stepped.
            NotJson: an action has NaN, an infinity, or an object of Python.
        """
        answer = self._ask("vector.step", actions=self._actions(actions))
        infos = self._columns(answer["infos"])
        finals = answer["finalInfos"]
        if self.autoreset == "SameStep" and any(info is not None for info in finals):
            ended = [info is not None for info in finals]
            infos["final_obs"] = self._finals(answer["finalObservations"], ended)
            infos["_final_obs"] = self._flags(ended)
            infos["final_info"] = self._columns(finals)
            infos["_final_info"] = self._flags(ended)
        return (
            self._observations(answer["observations"]),
            self._rewards(answer["rewards"]),
            self._flags(answer["terminations"]),
            self._flags(answer["truncations"]),
            infos,
        )

    def action_masks(self) -> List[Any]:
        """The legal actions of each slot, as of ``Env.action_mask``; None in a world without masks."""
        return list(self._masks)

    def close(self, **kwargs: Any) -> None:
        """Ends the episodes, as ``truncated``, and the environment. Nothing happens the second time."""
        self._close()

    def __repr__(self) -> str:
        return f"<hindcast.VectorEnv<{self.name} x {self.num_envs}, {self.autoreset}>>"

    __str__ = __repr__

    def __del__(self) -> None:
        """The finalizer ends the episodes. Gymnasium's own would wait for the program."""

    def __reduce__(self) -> Any:
        raise TypeError("A vector environment cannot be pickled or copied: its episodes live in the program.")

    _masks: Sequence[Any] = ()

    def _ask(self, method: str, **params: Any) -> Any:
        answer = self._asked(method, **params)
        self._task_ids, self._masks = answer["tasks"], answer["masks"]
        return answer

    def _take_spaces(self, spaces: Mapping[str, Any]) -> None:
        self.single_observation_space, self.single_action_space = map(
            from_json, (spaces["observation"], spaces["action"])
        )
        self.observation_space, self.action_space = (
            TupleSpace({"type": "Tuple", "subspaces": [spaces[part]] * self.num_envs})
            for part in ("observation", "action")
        )

    # A class with Gymnasium replaces these.

    def _mode(self, mode: str) -> Any:
        return mode

    def _observations(self, values: List[Any]) -> Any:
        return values

    def _actions(self, actions: Any) -> List[Any]:
        return list(actions)

    def _rewards(self, values: List[float]) -> Any:
        return [float(value) for value in values]

    def _flags(self, values: List[bool]) -> Any:
        return values

    def _finals(self, values: List[Any], ended: List[bool]) -> Any:
        return values

    def _column(self, values: List[Any]) -> Any:
        return values

    def _columns(self, infos: Sequence[Optional[Mapping[str, Any]]]) -> Info:
        """The infos of slots by key. A slot without a key has 0, False or None there, as in Gymnasium."""
        made: Info = {}
        for key in dict.fromkeys(key for info in infos if info is not None for key in info):
            present = [info is not None and key in info for info in infos]
            values = [info[key] if info is not None and key in info else None for info in infos]
            known = [value for value, is_there in zip(values, present) if is_there]
            if all(isinstance(value, dict) for value in known):
                made[key] = self._columns(values)
            else:
                absent = _absent(known)
                made[key] = self._column([value if is_there else absent for value, is_there in zip(values, present)])
            made[f"_{key}"] = self._flags(present)
        return made


def _absent(known: Sequence[Any]) -> Any:
    """What stands for a value that a slot does not have."""
    if all(isinstance(value, bool) for value in known):
        return False
    return 0 if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in known) else None


def _mask_in(options: Optional[Mapping[str, Any]]) -> Optional[List[bool]]:
    if not options:
        return None
    if set(options) != {"reset_mask"}:
        raise ValueError(
            f"options: expected reset_mask alone, found {', '.join(map(repr, options))}. make_vec takes the world's options."
        )
    return [bool(flag) for flag in options["reset_mask"]]


def _drawn() -> int:
    return random.SystemRandom().getrandbits(_SEED_BITS)


_classes: Dict[str, Type[VectorCore]] = {}


def vector_class() -> Type[VectorCore]:
    """The class of vectors: a ``gymnasium.vector.VectorEnv`` if Gymnasium is installed. Made once, at the first use."""
    if "VectorEnv" not in _classes:
        if importlib.util.find_spec("gymnasium") is None:
            made: Type[VectorCore] = type("VectorEnv", (VectorCore,), {"__doc__": VectorCore.__doc__})
        else:
            from ._gymnasium_vector import GymnasiumVectorEnv as made
        made.__module__, made.__name__, made.__qualname__ = "hindcast", "VectorEnv", "VectorEnv"
        _classes["VectorEnv"] = made
    return _classes["VectorEnv"]


def make_vec(
    world: Path,
    num_envs: int,
    *,
    log: Optional[Path] = None,
    seed: Optional[int] = None,
    options: Optional[Mapping[str, Any]] = None,
    autoreset: Any = "NextStep",
    policy: Optional[str] = None,
    gate: str = "ask",
    sandbox: str = "auto",
    trust: bool = False,
    program: Optional[Program] = None,
) -> VectorCore:
    """Makes a vector environment: several episodes of a world in one process, stepped by one request.

    The log has each episode in compact form, which takes few bytes a step, and which every question reads step by step.
    Only worlds for one agent and without grants have it.

    Args:
        world: as for ``make``.
        num_envs: the number of episodes at a time.
        log: as for ``make``.
        seed: of the first slot's first episode. Those of the others follow by one.
        options: the world's options, for all episodes.
        autoreset: what becomes of an episode that has ended: ``"NextStep"``, ``"SameStep"`` or ``"Disabled"``, or
            Gymnasium's ``AutoresetMode``. The new episode goes on with the random numbers of its slot.
        policy: ``name@version`` of what acts, for the log.
        gate: as for ``make``. It decides once, for all steps.
        sandbox: as for ``make``.
        trust: as for ``make``.
        program: as for ``make``.

    Example::

        with hindcast.make_vec("cart-pole", 64, log="train.db", seed=42) as envs:
            observations, infos = envs.reset()
            observations, rewards, terminated, truncated, infos = envs.step([1] * 64)
    """
    return vector_class()(
        world,
        num_envs,
        log=log,
        seed=seed,
        options=options,
        autoreset=autoreset,
        policy=policy,
        gate=gate,
        sandbox=sandbox,
        trust=trust,
        program=program,
    )


if TYPE_CHECKING:
    #: For annotations. At run time, ``hindcast.VectorEnv`` is the class that ``make_vec`` returns objects of.
    VectorEnv = VectorCore
