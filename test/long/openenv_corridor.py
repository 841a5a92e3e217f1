"""A server of the package openenv, with an environment of its own: a corridor of ten cells. Prints its port."""

import socket
import sys
from typing import Optional

import uvicorn
from openenv.core.env_server import Action, Environment, Observation, State, create_fastapi_app
from pydantic import Field


class Move(Action):
    step: int = Field(ge=0, le=1)


class Seen(Observation):
    position: int = Field(ge=0, le=9)


class Corridor(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._state = State(episode_id=None, step_count=0)
        self._position = 0

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **_):
        self._state = State(episode_id=episode_id, step_count=0)
        self._position = (seed or 0) % 5
        return Seen(position=self._position, done=False, reward=0.0)

    def step(self, action: Move, timeout_s: Optional[float] = None, **_):
        self._state.step_count += 1
        self._position += 1 if action.step == 1 else 0
        done = self._position >= 9
        return Seen(position=self._position, done=done, reward=1.0 if done else -0.1)

    @property
    def state(self):
        return self._state


app = create_fastapi_app(Corridor, Move, Seen, max_concurrent_envs=4, env_name="corridor")
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
