"""Hindcast for Python: record agents, ask their logs, and act in worlds.

::

    import hindcast

    with hindcast.Log("agent.db") as log:
        for task in log.tasks(outcomes=["failed"]):
            print(task["id"], task["goal"])

The package has no dependencies. It starts the program ``hindcast`` (``npm install hindcast``), and talks with it over
pipes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import frameworks, spaces
from ._connection import Connection
from ._env import make, worlds
from ._files import Files
from ._kernel import Agent, Kernel, View, agent
from ._log import Log
from ._program import Server
from ._record import Run, io, record, replay, sensor, tool
from ._rewards import reward
from ._rows import Rows
from ._together import aec_env, parallel_env
from ._vector import make_vec
from .errors import (
    ConnectionLost,
    ForkedProcess,
    HindcastError,
    NotJson,
    ProgramNotFound,
    Refused,
    RunEnded,
    ToolDenied,
    ToolFailed,
)

if TYPE_CHECKING:
    from ._env import Env
    from ._vector import VectorEnv

__version__ = "0.3.1"

__all__ = [
    "Agent",
    "Connection",
    "ConnectionLost",
    "Env",
    "Files",
    "ForkedProcess",
    "HindcastError",
    "Kernel",
    "Log",
    "NotJson",
    "ProgramNotFound",
    "Refused",
    "Rows",
    "Run",
    "RunEnded",
    "Server",
    "ToolDenied",
    "ToolFailed",
    "VectorEnv",
    "View",
    "aec_env",
    "agent",
    "frameworks",
    "io",
    "make",
    "make_vec",
    "parallel_env",
    "record",
    "replay",
    "reward",
    "sensor",
    "spaces",
    "tool",
    "worlds",
]


def __getattr__(name: str) -> Any:
    # Whether there is Gymnasium is looked up at the first use, and pickles find the class here.
    if name == "Env":
        from ._env import env_class

        return env_class()
    if name == "VectorEnv":
        from ._vector import vector_class

        return vector_class()
    if name in ("AECEnv", "ParallelEnv"):
        from ._together import group_class

        return group_class(name)
    raise AttributeError(f"module 'hindcast' has no attribute {name!r}")
