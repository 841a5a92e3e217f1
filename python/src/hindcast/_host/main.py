"""Serves an environment to the host: loads it, and answers one call after another.

A thread reads the frames, so that a long step does not delay the answer to a ping.
"""

from __future__ import annotations

import inspect
import json
import os
import queue
import sys
import threading
import traceback
import warnings
from typing import Any, Dict, List, Mapping, Optional, Set

from .channel import Channel, lines_of
from .episode import Episode
from .guard import confine, library_directories
from .loading import Facts, Maker, check_spaces, core_of, find, has_mask, is_restoring, spaces_of
from .refusal import NotJson, Refusal

__all__ = ["main"]

#: Characters of a stack trace in the log.
_TRACE = 4_000

#: Characters of a description in a manifest.
_SUMMARY = 500

Frame = Dict[str, Any]


def main(arguments: List[str]) -> None:
    """The program. Returns when the host has gone."""
    sys.stdin.flush()
    if arguments[:1] == ["describe"]:
        return describe(arguments[1], json.loads(arguments[2]), json.loads(arguments[3]))
    channel = Channel()
    lines = lines_of(channel.input)
    first = next(lines, None)
    if first is None:
        return
    init = json.loads(first)
    channel.begin(init["nonce"], init["frameLimit"])
    reader = _Reader(channel, lines)
    reader.start()
    try:
        served = _Served(channel, init)
    except BaseException as error:
        if not isinstance(error, Refusal):
            channel.log("error", _trace(error))
        channel.send({"type": "failed", "error": f"{_said(error)}{_place(error)}"})
        os._exit(1)
    channel.send({"type": "ready", "exports": served.exports})
    for frame in reader.frames():
        served.take(frame)
    served.close()
    os._exit(0)


def describe(entry: str, arguments: Mapping[str, Any], python: Mapping[str, Any]) -> None:
    """Prints what a manifest says of an environment, as one line of JSON at the end of the output."""
    output = os.dup(1)
    os.dup2(2, 1)
    _prepare(python)
    try:
        environment = find(entry, arguments)()
        observation, action = spaces_of(environment)
        spec = getattr(environment, "spec", None)
        found: Dict[str, Any] = {
            "class": type(core_of(environment)).__name__,
            "description": _summary(type(core_of(environment))),
            "spaces": {"observation": observation, "action": action},
            "rewind": ["snapshot", "re-execution"] if is_restoring(environment) else ["re-execution"],
            "mask": has_mask(environment),
            "maxSteps": getattr(spec, "max_episode_steps", None),
        }
    except BaseException as error:
        found = {"error": f"{_said(error)}{_place(error)}"}
    os.write(output, b"\n" + json.dumps(found).encode("utf-8") + b"\n")
    os._exit(0)


def _summary(kind: type) -> str:
    """The first paragraph of a class's own documentation that is no heading, on one line."""
    paragraphs = inspect.cleandoc(kind.__dict__.get("__doc__") or "").split("\n\n")
    text = next((one for one in paragraphs if one.strip() and not one.lstrip().startswith("#")), "")
    return " ".join(text.split())[:_SUMMARY]


class _Reader:
    """Reads frames in a thread. Answers pings, and calls that are cancelled before they began."""

    def __init__(self, channel: Channel, lines: Any) -> None:
        self._channel = channel
        self._lines = lines
        self._waiting: "queue.SimpleQueue[Optional[Frame]]" = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._queued: Set[int] = set()
        self._cancelled: Set[int] = set()

    def start(self) -> None:
        threading.Thread(target=self._read, name="hindcast-frames", daemon=True).start()

    def frames(self) -> Any:
        """The calls to carry out, until the host wants this process to end."""
        while True:
            frame = self._waiting.get()
            if frame is None:
                return
            with self._lock:
                self._queued.discard(frame["id"])
                is_cancelled = frame["id"] in self._cancelled
                self._cancelled.discard(frame["id"])
            if not is_cancelled:
                yield frame

    def _read(self) -> None:
        for line in self._lines:
            frame = json.loads(line)
            kind = frame["type"]
            if kind == "ping":
                self._channel.send({"type": "ok", "id": frame["id"], "value": None})
            elif kind == "cancel":
                self._cancel(frame["id"])
            elif kind == "shutdown":
                self._waiting.put(None)
            elif "id" in frame and kind != "answer":
                with self._lock:
                    self._queued.add(frame["id"])
                self._waiting.put(frame)
        self._waiting.put(None)

    def _cancel(self, call: int) -> None:
        """One that has begun cannot stop: it ends in time, or the host ends the process."""
        with self._lock:
            if call not in self._queued:
                return
            self._cancelled.add(call)
        error = {"code": "Cancelled", "message": "the caller no longer wants the answer"}
        self._channel.send({"type": "error", "id": call, "error": error})


class _Served:
    """The environments of one process: one for its task, or one in each slot."""

    def __init__(self, channel: Channel, init: Frame) -> None:
        self._channel = channel
        python, world = init["python"], init.get("world")
        if world is None:
            raise Refusal("NoSpaces", "expected a manifest with the spaces of the environment, found none")
        if world["maxAgents"] != 1:
            raise Refusal("TooManyAgents", f"expected a manifest for 1 agent, found max_agents {world['maxAgents']}")
        _prepare(python)
        warnings.simplefilter("default")
        self._facts: Facts = world
        self._seed: int = init["seed"]
        self._make: Maker = find(init["entry"], init["variables"])
        environment = self._make()
        check_spaces(init["entry"], environment, world)
        self._task = Episode(self._make, world, environment)
        self._slots: Dict[int, Episode] = {}
        self._has_mask = has_mask(environment)
        self.exports = {
            "sensors": ["observation", *(["action_mask"] if self._has_mask else [])],
            "actuators": ["step"],
            "environment": True,
            "restores": is_restoring(environment),
            "measures": [],
        }

    def take(self, frame: Frame) -> None:
        """Carries out a call and answers it."""
        answer: Dict[str, Any]
        has_state = frame["type"] in ("act", "reset", "round")
        try:
            answer = {"type": "ok", "value": self._call(frame)}
        except NotJson as error:
            answer = {"type": "invalid", "reason": str(error)}
        except BaseException as error:
            if not isinstance(error, Refusal):
                self._channel.log("warn", _trace(error))
            answer = {"type": "error", "error": {"code": _code(error), "message": _said(error)}}
        if has_state:
            try:
                answer["state"] = self._task.document()
            except BaseException as error:
                # A failed reset may leave no state; its failure is then the better answer.
                if answer["type"] == "ok":
                    answer = {"type": "invalid", "reason": f"the state of the environment: {_said(error)}"}
        try:
            self._channel.send({"id": frame["id"], **answer})
        except (ValueError, RecursionError, MemoryError) as error:
            self._channel.send({"type": "invalid", "id": frame["id"], "reason": _said(error)})

    def close(self) -> None:
        """Closes every environment."""
        for episode in [self._task, *self._slots.values()]:
            try:
                episode.close()
            except Exception as error:
                self._channel.log("warn", _trace(error))

    def _call(self, frame: Frame) -> Any:
        kind = frame["type"]
        agent = frame.get("agent")
        if kind == "act" and frame["component"] == "step":
            return self._task.step(frame["args"].get("action"), agent)
        if kind == "read" and frame["component"] == "observation":
            return self._task.observation(agent)
        if kind == "read" and frame["component"] == "action_mask" and self._has_mask:
            return self._task.action_mask(agent)
        if kind == "reset":
            if "state" in frame:
                return self._task.restore(frame["options"], frame["state"], self._seed)
            return self._task.reset(frame["options"], frame.get("seed", self._seed), frame.get("agents"))
        if kind == "round":
            return {name: self._acted(name, action) for name, action in frame["actions"].items()}
        if kind == "slots":
            return [self._slot(call) for call in frame["calls"]]
        raise Refusal(
            "NoSuchComponent", f"an environment written in Python has no {kind} {frame.get('component', '')}".rstrip()
        )

    def _acted(self, agent: str, action: Any) -> Dict[str, Any]:
        """The result of an agent's action in a round. An action that is refused leaves everything as it is."""
        try:
            self._task.check(action, agent)
        except Refusal as refusal:
            return {"error": {"code": refusal.code, "message": str(refusal)}}
        return {"ok": self._task.step(action, agent), "named": 0}

    def _slot(self, call: Mapping[str, Any]) -> Dict[str, Any]:
        slot = call["slot"]
        episode = self._slots.get(slot)
        if episode is None:
            episode = self._slots[slot] = Episode(self._make, self._facts)
        answer: Dict[str, Any] = {}
        if "reset" in call:
            reset = call["reset"]
            episode.reset(reset["options"], reset["seed"], None, reset.get("continued", False))
        elif "restore" in call:
            wanted = call["restore"]["state"]
            episode.restore(call["restore"]["options"], wanted, self._seed)
            if episode.document() != wanted:
                raise Refusal("RestoreDiffers", "expected state() to return the restored state, found another one")
        else:
            try:
                answer["step"] = episode.step(call.get("action"))
            except Exception as error:
                answer["error"] = {"code": _code(error), "message": _said(error)}
        readings = {"observation": episode.observation()}
        if self._has_mask:
            readings["action_mask"] = episode.action_mask()
        return {**answer, "readings": readings, "state": episode.document()}


def _prepare(python: Mapping[str, Any]) -> None:
    """Finds modules in the plugin's directory and among the packages, and confines the process if nothing else does."""
    sys.path.insert(1, python["directory"])
    sys.path.extend(place for place in python["path"] if place not in sys.path)
    guard = python["guard"]
    if guard is not None:
        confine([*guard["readable"], *library_directories()], guard["hidden"], python["directory"])


def _code(error: BaseException) -> str:
    code = getattr(error, "code", None)
    return code if isinstance(code, str) and code else type(error).__name__


def _said(error: BaseException) -> str:
    text = str(error)
    return text if isinstance(error, Refusal) else f"{type(error).__name__}: {text}" if text else type(error).__name__


def _place(error: BaseException) -> str:
    """The line of the environment that raised the error, if it was one of its own."""
    if isinstance(error, Refusal):
        return ""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "hindcast/_host/" not in frame.filename and "importlib" not in frame.filename]
    return f" ({os.path.basename(own[-1].filename)}, line {own[-1].lineno})" if own else ""


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(type(error), error, error.__traceback__))[-_TRACE:]
