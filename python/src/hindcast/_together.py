"""Worlds for several agents: environments like PettingZoo's ``ParallelEnv`` and ``AECEnv``."""

from __future__ import annotations

import importlib.util
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Type

from ._connection import given
from ._program import Program
from ._world import Path, WorldCore
from .errors import HindcastError
from .spaces import from_json


class GroupCore(WorldCore):
    """What environments for several agents share: their names and spaces."""

    #: All agents that can take part.
    possible_agents: List[str]
    #: Those whose episode goes on.
    agents: List[str]

    def _begin(self, made: Mapping[str, Any]) -> None:
        self.metadata = {**self.metadata, "name": self.name}
        self.possible_agents = list(made["agents"])
        self.agents = []
        self._spaces: Dict[str, Dict[str, Any]] = {}
        self._made_spaces: Dict[str, Tuple[Any, Any]] = {}
        self._take_spaces(made["agentSpaces"])

    @property
    def num_agents(self) -> int:
        """The number of agents whose episode goes on."""
        return len(self.agents)

    @property
    def max_num_agents(self) -> int:
        """The number of agents that can take part."""
        return len(self.possible_agents)

    def observation_space(self, agent: str) -> Any:
        """What the agent observes: the same object each time, while the spaces are the same."""
        return self._made_spaces[agent][0]

    def action_space(self, agent: str) -> Any:
        """What the agent can do."""
        return self._made_spaces[agent][1]

    def action_mask(self, agent: str) -> Any:
        """The legal actions, 1 or 0, in the shape of ``action_space``; None if the world has no mask."""
        return self._ask("world.mask", agent=agent)

    def _take_spaces(self, spaces: Mapping[str, Dict[str, Any]]) -> None:
        for agent, own in spaces.items():
            if self._spaces.get(agent) == own:
                continue
            self._spaces[agent] = own
            self._made_spaces[agent] = (self._space(own["observation"]), self._space(own["action"]))

    def _began(self, answer: Mapping[str, Any]) -> None:
        self._task = answer["task"]
        self._take_spaces(answer["agentSpaces"])
        self.possible_agents = list(answer["agentSpaces"])

    def _resetting(self, seed: Optional[int], options: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
        drawn = self._seed_of_episode(seed)
        return given(seed=drawn, options=None if options is None else dict(options))

    # A class with PettingZoo replaces these.

    def _space(self, json: Mapping[str, Any]) -> Any:
        return from_json(json)

    def _observation(self, agent: str, value: Any) -> Any:
        return value

    def _mask(self, agent: str, value: Any) -> Any:
        return value

    def _action(self, value: Any) -> Any:
        return value


_Results = Tuple[Dict[str, Any], Dict[str, float], Dict[str, bool], Dict[str, bool], Dict[str, Any]]


class ParallelCore(GroupCore):
    """A world in which all agents act at once, with the methods of PettingZoo's ``ParallelEnv``.

    Each episode is a task of the log. With PettingZoo installed, the class is a ``pettingzoo.ParallelEnv``, with
    Gymnasium's spaces and arrays of numpy.
    """

    def reset(
        self, seed: Optional[int] = None, options: Optional[Mapping[str, Any]] = None
    ) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        """Begins an episode with all agents. Seeds are those of ``hindcast.make``.

        Returns:
            The observations and infos, by agent.

        Raises:
            HindcastError: the world's agents take turns, as its first episode shows. Use ``aec_env``.
        """
        answer = self._ask("world.reset", **self._resetting(seed, options))
        if answer["mode"] == "turn-based":
            raise HindcastError(
                f"{self.name}: expected a world in which agents act at once, found one in which they take turns. "
                "Use hindcast.aec_env."
            )
        self._began(answer)
        shown = answer["agents"]
        self.agents = list(shown)
        return (
            {agent: self._observation(agent, one["observation"]) for agent, one in shown.items()},
            {agent: one["info"] for agent, one in shown.items()},
        )

    def step(self, actions: Mapping[str, Any]) -> _Results:
        """Acts as all agents whose episode goes on. If the world refused an agent's action and carried out others, that
        agent's info has ``refused``: code and reason.

        Returns:
            Observations, rewards, terminations, truncations and infos, by agent.

        Raises:
            Refused: ``ActionRefused``: the world refused all actions, or one is outside its space; nobody has acted.
        """
        results = self._ask("world.together", actions={agent: self._action(one) for agent, one in actions.items()})
        self.agents = [a for a in self.agents if not (a in results and (results[a]["terminated"] or results[a]["truncated"]))]
        return (
            {agent: self._observation(agent, one["observation"]) for agent, one in results.items()},
            {agent: float(one["reward"]) for agent, one in results.items()},
            {agent: one["terminated"] for agent, one in results.items()},
            {agent: one["truncated"] for agent, one in results.items()},
            {agent: one["info"] for agent, one in results.items()},
        )

    def _rebuild(self) -> Callable[[Mapping[str, Any]], WorldCore]:
        return _parallel_again


class CycleCore(GroupCore):
    """A world in which agents act one after another, with the methods of PettingZoo's ``AECEnv``. In a world where all act
    at once, their actions are collected until everybody has chosen.

    Each episode is a task of the log. With PettingZoo installed, the class is a ``pettingzoo.AECEnv``, with Gymnasium's
    spaces and arrays of numpy.
    """

    #: The agent whose turn it is.
    agent_selection: Any
    rewards: Dict[str, float]
    terminations: Dict[str, bool]
    truncations: Dict[str, bool]
    infos: Dict[str, Any]
    _cumulative_rewards: Dict[str, float]
    #: False once the world said that it has no mask, so that no step asks again.
    _has_mask: bool = True

    def reset(self, seed: Optional[int] = None, options: Optional[Mapping[str, Any]] = None) -> None:
        """Begins an episode with all agents. Seeds are those of ``hindcast.make``."""
        answer = self._ask("cycle.reset", **self._resetting(seed, options))
        self._began(answer)
        self._take(answer)

    def step(self, action: Any) -> None:
        """Acts as ``agent_selection``. An agent whose episode is over takes None.

        Raises:
            Refused: ``ActionRefused``: the world refused the action, and it is still the agent's turn.
        """
        self._take(self._ask("cycle.step", action=self._action(action)))

    def observe(self, agent: str) -> Any:
        """The agent's current observation."""
        return self._observation(agent, self._ask("world.observe", agent=agent))

    def last(self, observe: bool = True) -> Tuple[Any, float, bool, bool, Dict[str, Any]]:
        """The observation of the agent whose turn it is, and its rewards and status since its last action.

        In a world with a mask, ``action_mask`` of the info has the legal actions, while the agent's episode continues.
        """
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """Yields the agents whose turn it is, until none is left. Call ``step`` for each."""
        while self.agents and max_iter > 0:
            max_iter -= 1
            yield self.agent_selection

    def _take(self, answer: Mapping[str, Any]) -> None:
        self.agents = answer["agents"]
        self.agent_selection = answer["selected"]
        self.rewards = {agent: float(reward) for agent, reward in answer["rewards"].items()}
        self.terminations = answer["terminations"]
        self.truncations = answer["truncations"]
        self.infos = answer["infos"]
        self._cumulative_rewards = {agent: float(sum_) for agent, sum_ in answer["cumulative"].items()}
        self._add_mask(self.agent_selection)

    def _add_mask(self, agent: Optional[str]) -> None:
        """Adds the legal actions of the agent whose turn it is to its info, where PettingZoo's users look for them."""
        if agent is None or not self._has_mask or self.terminations[agent] or self.truncations[agent]:
            return
        mask = self.action_mask(agent)
        self._has_mask = mask is not None
        if self._has_mask:
            self.infos[agent] = {**self.infos[agent], "action_mask": self._mask(agent, mask)}

    def _rebuild(self) -> Callable[[Mapping[str, Any]], WorldCore]:
        return _cycle_again


_classes: Dict[str, Type[GroupCore]] = {}


def group_class(name: str) -> Type[GroupCore]:
    """``ParallelEnv`` or ``AECEnv``: PettingZoo's if it is installed. Made once, at the first use."""
    if name not in _classes:
        core: Type[GroupCore] = ParallelCore if name == "ParallelEnv" else CycleCore
        if importlib.util.find_spec("pettingzoo") is None or importlib.util.find_spec("gymnasium") is None:
            made: Type[GroupCore] = type(name, (core,), {"__doc__": core.__doc__})
        else:
            from . import _pettingzoo

            made = _pettingzoo.class_of(name)
        made.__module__, made.__name__, made.__qualname__ = "hindcast", name, name
        _classes[name] = made
    return _classes[name]


def parallel_env(
    world: Path,
    *,
    agents: Sequence[str],
    log: Optional[Path] = None,
    seed: Optional[int] = None,
    options: Optional[Mapping[str, Any]] = None,
    goal: Optional[str] = None,
    gate: str = "ask",
    sandbox: str = "auto",
    trust: bool = False,
    render_mode: Optional[str] = None,
    program: Optional[Program] = None,
) -> ParallelCore:
    """Makes an environment in which several agents act at once: a ``pettingzoo.ParallelEnv`` where PettingZoo is
    installed, and one like it elsewhere.

    Args:
        agents: the names of those who take part. Other arguments are those of ``make``.

    Example::

        env = hindcast.parallel_env("prisoners-dilemma", agents=["ada", "bob"], log="games.db", seed=1)
        observations, infos = env.reset()
    """
    made = group_class("ParallelEnv")(
        world,
        agents=agents,
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
    assert isinstance(made, ParallelCore)
    return made


def aec_env(
    world: Path,
    *,
    agents: Sequence[str],
    log: Optional[Path] = None,
    seed: Optional[int] = None,
    options: Optional[Mapping[str, Any]] = None,
    goal: Optional[str] = None,
    gate: str = "ask",
    sandbox: str = "auto",
    trust: bool = False,
    render_mode: Optional[str] = None,
    program: Optional[Program] = None,
) -> CycleCore:
    """Makes an environment in which several agents take turns: a ``pettingzoo.AECEnv`` where PettingZoo is installed, and
    one like it elsewhere.

    Args:
        agents: the names of those who take part. Other arguments are those of ``make``.
    """
    made = group_class("AECEnv")(
        world,
        agents=agents,
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
    assert isinstance(made, CycleCore)
    return made


def _again(make: Callable[..., WorldCore], made: Mapping[str, Any]) -> WorldCore:
    return make(**made["making"], seed=made["seed"], render_mode=made["render_mode"], program=made["program"])


def _parallel_again(made: Mapping[str, Any]) -> WorldCore:
    return _again(parallel_env, made)


def _cycle_again(made: Mapping[str, Any]) -> WorldCore:
    return _again(aec_env, made)
