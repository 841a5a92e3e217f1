"""The two ways to the program: a process of one's own, over pipes, and one that serves a port of this machine."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
from typing import Any, Optional, Protocol

from ._program import Program, Server, find
from .errors import ConnectionLost

#: Seconds that the program has to end its episodes and itself, once nobody needs it.
_END_SECONDS = 30.0

_READ_BYTES = 1 << 16

#: Seconds to connect to a port.
_CONNECT_SECONDS = 10.0


class Transport(Protocol):
    """A way to the program."""

    #: What messages call it.
    name: str
    #: What to do if it has ended.
    advice: str
    #: Proves that this process may use it; None if nothing has to.
    token: Optional[str]
    #: The descriptor to write to.
    input: int
    #: The descriptor to read from.
    output: int

    def end(self) -> str:
        """Ends the connection, and says how."""
        ...

    def leave(self) -> None:
        """In a forked process: closes its copies of the descriptors, and nothing else."""
        ...


def opened(program: Optional[Program]) -> Transport:
    """Starts the program, or connects to one."""
    return _Connected(program) if isinstance(program, Server) else _Spawned(program)


def key_of(program: Optional[Program]) -> tuple[str, ...]:
    """Equal for the same program."""
    return ("a server", program.token_file) if isinstance(program, Server) else tuple(find(program))


class _Spawned:
    token: Optional[str] = None
    advice: str = "What it wrote to the standard error says why."

    def __init__(self, program: Any) -> None:
        command = [*find(program), "serve", "--stdio"]
        self.name = command[0]
        # In a session of its own, Ctrl-C reaches only Python, which then decides what ends.
        own_session: dict[str, Any] = (
            {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
            if os.name == "nt"
            else {"start_new_session": True}
        )
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, **own_session
            )
        except OSError as error:
            raise ConnectionLost(f"Could not start {self.name}: {error.strerror or error}.") from error
        assert self._process.stdin is not None and self._process.stdout is not None
        self.input = self._process.stdin.fileno()
        self.output = self._process.stdout.fileno()

    def end(self) -> str:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        try:
            code = self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._process.stdout.close()
        return f"the program ended with {code}"

    def leave(self) -> None:
        for file in (self._process.stdin, self._process.stdout):
            if file is not None:
                file.close()
        self._process.returncode = 0


class _Connected:
    advice: str = "See whether it still runs."
    token: Optional[str]

    def __init__(self, server: Server) -> None:
        port, self.token = _contents(server.token_file)
        self.name = f"the server on port {port}"
        try:
            self._socket = socket.create_connection(("127.0.0.1", port), _CONNECT_SECONDS)
        except OSError as error:
            raise ConnectionLost(
                f"Expected a server on port {port}, as {server.token_file} says, found none: {error.strerror or error}."
            ) from error
        self._socket.settimeout(None)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.input = self.output = self._socket.fileno()

    def end(self) -> str:
        try:
            # The server closes its side when it has ended the episodes.
            self._socket.settimeout(_END_SECONDS)
            self._socket.shutdown(socket.SHUT_WR)
            while self._socket.recv(_READ_BYTES):
                pass
        except socket.timeout:
            return f"the server did not close it within {_END_SECONDS:.0f} seconds"
        except OSError as error:
            return f"the server ended it: {error.strerror or error}"
        finally:
            self._socket.close()
        return "the server closed it"

    def leave(self) -> None:
        self._socket.close()


def _contents(file: str) -> tuple[int, str]:
    """The port and the token in a server's file."""
    try:
        with open(file, encoding="utf-8") as opened_file:
            mode = os.fstat(opened_file.fileno()).st_mode
            found = json.load(opened_file)
        port, token = int(found["port"]), found["token"]
    except OSError as error:
        raise ConnectionLost(
            f"{file}: expected the file of `hindcast serve --port 0 --token-file FILE`, found: {error.strerror or error}."
        ) from error
    except (ValueError, TypeError, KeyError) as error:
        raise ConnectionLost(f"{file}: expected a server's port and token, found another text.") from error
    if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        raise ConnectionLost(f"{file}: expected a file that only its owner may read, found the mode {mode & 0o777:o}.")
    return port, str(token)
