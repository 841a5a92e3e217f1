"""An environment written in Python as a world: its episode, its checks, its document."""

from __future__ import annotations

import hashlib
import json
import math
import random
import sys
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

from ..spaces import from_json
from .generator import generator_state, restore_generator
from .loading import Facts, Maker, core_of, is_restoring
from .refusal import Refusal
from .values import exact, readable

__all__ = ["Episode"]

#: The document's key for the episode. Hindcast owns it.
_KEY = "episode"

#: The agent's name, if a reset names none.
_ONLY_AGENT = "agent"

#: The largest reward of a step, so that returns do not overflow.
_MAX_REWARD = 1e15

#: Bytes of an observation in the document of a class without `state`. The digest stands for a larger one.
_IN_DOCUMENT = 64 * 1024

Document = Dict[str, Any]


class Episode:
    """One environment, and the episode in it."""

    def __init__(self, make: Maker, facts: Facts, environment: Optional[Any] = None) -> None:
        self._environment = make() if environment is None else environment
        self._core = core_of(self._environment)
        self._restores = is_restoring(self._environment)
        self._max_steps: Optional[int] = facts["maxSteps"]
        self._observations = from_json(facts["spaces"]["observation"])
        self._actions = from_json(facts["spaces"]["action"])
        self._to_action = _converter(self._environment, facts["spaces"]["action"])
        self._agent = _ONLY_AGENT
        self._status: Optional[str] = None
        self._outcome: Optional[str] = None
        self._return = 0.0
        self._step = 0
        self._info: Dict[str, Any] = {}
        #: The last observation, or why it is none.
        self._observed: Union[Refusal, Any] = Refusal("NoEpisode", "expected a reset before the first observation")

    def reset(
        self, options: Mapping[str, Any], seed: int, agents: Optional[List[str]] = None, continued: bool = False
    ) -> None:
        """Begins an episode.

        Args:
            options: for the environment's own `reset`; none if empty.
            seed: of the environment, its spaces, and the modules `random` and `numpy.random`.
            agents: the name of the one agent.
            continued: the environment's random numbers go on, and the seed is not used.
        """
        names = [_ONLY_AGENT] if agents is None else agents
        if len(names) > 1:
            raise Refusal("TooManyAgents", f"expected at most 1 agent, found {len(names)}")
        if not continued:
            self._seed(seed)
        answer = self._environment.reset(seed=None if continued else seed, options=dict(options) or None)
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise Refusal(
                "InvalidReset", f"expected reset to return an observation and an info, found {_short(answer)}"
            )
        observation, info = answer
        if not isinstance(info, dict):
            raise Refusal("InvalidInfo", f"expected the info of the reset to be a dict, found {_short(info)}")
        self._agent = names[0] if names else _ONLY_AGENT
        self._status, self._outcome, self._return, self._step = "active", None, 0.0, 0
        self._info = readable(info, "the info of the reset")
        self._observe(observation)

    def check(self, action: Any, agent: Optional[str] = None) -> None:
        """Raises a refusal unless the agent may take the action now. Changes nothing."""
        self._assert_active(agent)
        if not self._actions.contains(action):
            found = _short(action)
            message = f"the action of {self._agent}: expected {self._actions!r}, found {found}"
            raise Refusal("ActionOutsideSpace", message)

    def step(self, action: Any, agent: Optional[str] = None) -> Dict[str, Any]:
        """Acts, and returns the result as the host records it."""
        self.check(action, agent)
        answer = self._environment.step(self._to_action(action))
        if not isinstance(answer, tuple) or len(answer) != 5:
            count = f"{len(answer)} values" if isinstance(answer, tuple) else _short(answer)
            raise self._wrong("", "observation, reward, terminated, truncated and info", count)
        observation, reward, terminated, truncated, info = answer
        self._step += 1
        self._observe(observation)
        gained = self._reward(reward)
        has_terminated = self._flag("terminated", terminated)
        is_last = self._max_steps is not None and self._step >= self._max_steps
        is_truncated = self._flag("truncated", truncated) or is_last
        readable_info = self._step_info(info)
        self._return += gained
        outcome = _outcome_in(info) if has_terminated else None
        if has_terminated:
            self._status = "terminated"
            self._outcome = "failed" if outcome == "failed" else None
        elif is_truncated:
            self._status = "truncated"
        return {
            "reward": gained,
            "rewards": {"reward": gained},
            "terminated": has_terminated,
            "truncated": is_truncated,
            **({} if outcome is None else {"outcome": outcome}),
            "info": readable_info,
        }

    def observation(self, agent: Optional[str] = None) -> Any:
        """The last observation."""
        self._assert_takes_part(agent)
        if isinstance(self._observed, Refusal):
            raise self._observed
        return self._observed

    def action_mask(self, agent: Optional[str] = None) -> Any:
        """The legal actions, from the environment's method `action_mask`."""
        self._assert_takes_part(agent)
        return exact(self._core.action_mask(), "the mask")

    def document(self) -> Document:
        """The state: the environment's own, or its observation, and the episode."""
        own = self._own_document()
        entry: Dict[str, Any] = {"status": self._status or "active", "return": _whole(self._return)}
        if self._outcome is not None:
            entry["outcome"] = self._outcome
        generator = generator_state(self._core)
        return {
            **own,
            _KEY: {
                "step": self._step,
                **({"info": self._info} if self._info else {}),
                "agents": {self._agent: entry},
                **({} if generator is None else {"rng": generator}),
            },
        }

    def restore(self, options: Mapping[str, Any], document: Document, seed: int) -> None:
        """Restores a document that `document` returned, by the environment's own method `restore`."""
        if not self._restores:
            raise Refusal("NoRestore", "the class has no restore")
        episode = document[_KEY]
        ((agent, entry),) = episode["agents"].items()
        self.reset(options, seed, [agent])
        observation = self._core.restore({key: part for key, part in document.items() if key != _KEY})
        restore_generator(self._core, episode.get("rng"))
        self._step, self._info = episode["step"], episode.get("info", {})
        self._status, self._outcome, self._return = entry["status"], entry.get("outcome"), float(entry["return"])
        self._tell_wrappers()
        self._observe(self._restored_observation() if observation is None else observation)

    def close(self) -> None:
        """Closes the environment."""
        close = getattr(self._environment, "close", None)
        if callable(close):
            close()

    def _own_document(self) -> Document:
        if self._restores:
            own = exact(self._core.state(), "the state")
            if not isinstance(own, dict) or _KEY in own:
                found = f"the key {_KEY}, which is Hindcast's" if isinstance(own, dict) else _short(own)
                raise Refusal("InvalidState", f"expected state() to return a dict, found {found}")
            return own
        if isinstance(self._observed, Refusal):
            return {"observation": None}
        text = json.dumps(self._observed, ensure_ascii=False, sort_keys=True).encode("utf-8")
        if len(text) <= _IN_DOCUMENT:
            return {"observation": self._observed}
        return {"observation": {"sha256": hashlib.sha256(text).hexdigest(), "bytes": len(text)}}

    def _restored_observation(self) -> Any:
        """The observation, if `restore` returned none. Gymnasium's own environments name the method `_get_obs`."""
        for name in ("observation", "_get_obs"):
            method = getattr(self._core, name, None)
            if callable(method):
                return method()
        raise Refusal(
            "NoObservation",
            "expected restore(state) to return the observation, or a method observation() to call then, found neither",
        )

    def _tell_wrappers(self) -> None:
        """`TimeLimit` counts steps outside of the class."""
        layer = self._environment
        while layer is not self._core and layer is not None:
            if isinstance(getattr(layer, "_elapsed_steps", None), int):
                layer._elapsed_steps = self._step
            layer = getattr(layer, "env", None)

    def _seed(self, seed: int) -> None:
        random.seed(seed)
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            numpy.random.seed(seed % 2**32)
        for space in (self._environment.observation_space, self._environment.action_space):
            if callable(getattr(space, "seed", None)):
                space.seed(seed % 2**32)

    def _observe(self, observation: Any) -> None:
        """A wrong observation fails the reading, because the step has happened."""
        try:
            value = exact(observation, f"the observation of {self._agent}")
            if not self._observations.contains(value):
                raise Refusal(
                    "ObservationOutsideSpace",
                    f"the observation of {self._agent}: expected {self._observations!r}, found {_short(value)}",
                )
            self._observed = value
        except Refusal as refusal:
            self._observed = refusal

    def _reward(self, reward: Any) -> float:
        value = reward.item() if hasattr(reward, "item") and getattr(reward, "shape", None) == () else reward
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or abs(value) > _MAX_REWARD:
            raise self._wrong("/reward", f"a finite number of at most {_MAX_REWARD:g}", _short(reward), "InvalidReward")
        return _whole(float(value))

    def _flag(self, name: str, flag: Any) -> bool:
        value = flag.item() if hasattr(flag, "item") else flag
        if not isinstance(value, bool):
            raise self._wrong(f"/{name}", "True or False", _short(flag), "InvalidFlag")
        return value

    def _step_info(self, info: Any) -> Dict[str, Any]:
        if not isinstance(info, dict):
            raise self._wrong("/info", "a dict", _short(info), "InvalidStepInfo")
        made: Dict[str, Any] = readable(info, "the info of the step")
        return made

    def _wrong(self, where: str, expected: str, found: str, code: str = "InvalidStep") -> Refusal:
        return Refusal(
            code, f"the step of {self._agent}{where}: expected {expected}, found {found}; the step has happened"
        )

    def _assert_takes_part(self, agent: Optional[str]) -> None:
        if self._status is None:
            raise Refusal("NoEpisode", "expected a reset first")
        if agent is not None and agent != self._agent:
            raise Refusal("NoSuchAgent", f"expected an agent that takes part ({self._agent}), found {agent}")

    def _assert_active(self, agent: Optional[str]) -> None:
        self._assert_takes_part(agent)
        if self._status != "active":
            raise Refusal(
                "EpisodeOver",
                f"{self._agent}'s episode was {self._status}: it cannot act any more. Open another task",
            )


def _outcome_in(info: Mapping[str, Any]) -> Optional[str]:
    """How a terminated episode ended: by the info's `outcome`, or `is_success`, which several libraries set."""
    outcome = info.get("outcome")
    if outcome in ("achieved", "failed"):
        return str(outcome)
    success: Any = info.get("is_success")
    value = success.item() if hasattr(success, "item") else success
    return None if not isinstance(value, (bool, int, float)) else "achieved" if value else "failed"


def _converter(environment: Any, action: Mapping[str, Any]) -> Callable[[Any], Any]:
    """Turns an action of JSON into a value of the environment's space: of Gymnasium's kinds if the space is one."""
    if type(getattr(environment, "action_space", None)).__module__.partition(".")[0] != "gymnasium":
        return lambda value: value
    from .._gymnasium import converter

    return converter(action)


def _whole(number: float) -> Union[int, float]:
    """JSON of the host writes whole numbers without a point."""
    return int(number) if number == int(number) else number


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except Exception:
        text = f"an instance of {type(value).__name__}"
    return text if len(text) <= 100 else f"{text[:100]}…"
