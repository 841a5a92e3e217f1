"""Finds the program ``hindcast``."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Mapping, Optional, Sequence, Union

from .errors import ProgramNotFound

class Server:
    """A program ``hindcast serve --port 0 --token-file FILE`` of this user on this machine.

    Pass it wherever a function takes ``program``: ``hindcast.Log("agent.db", program=hindcast.Server("token.json"))``.

    Args:
        token_file: the file that the program made. It is read at each new connection.
    """

    def __init__(self, token_file: Union[str, "os.PathLike[str]"]) -> None:
        self.token_file = os.path.abspath(os.fspath(token_file))

    def __repr__(self) -> str:
        return f"Server({self.token_file!r})"


#: The program: a file, the words of a command, or a server that runs. A file of JavaScript runs with ``node``.
Program = Union[str, "os.PathLike[str]", Sequence[str], Server]

_SCRIPTS = (".js", ".mjs", ".cjs")

_NAMES = ("hindcast.cmd", "hindcast.exe", "hindcast") if os.name == "nt" else ("hindcast",)


def find(
    program: Optional[Program] = None,
    *,
    environ: Optional[Mapping[str, str]] = None,
    directory: Optional[Path] = None,
) -> list[str]:
    """Returns the words that start the program.

    Looks at ``program``, then at the variable ``HINDCAST_BIN``, then at ``node_modules/.bin`` of the working directory
    and of those above it, then at ``PATH``. Starts and downloads nothing.

    Args:
        program: a file, or the words of a command.
        environ: the variables. Default: those of the process.
        directory: where the search begins. Default: the working directory.

    Raises:
        ProgramNotFound: there is none.

    >>> find(["node", "main.js"])
    ['node', 'main.js']
    """
    variables = os.environ if environ is None else environ
    looked: list[str] = []
    if isinstance(program, Server):
        raise TypeError(f"Expected a program to start, found {program!r}, which runs.")
    if program is not None and not isinstance(program, (str, os.PathLike)):
        return list(program)
    for origin, named in (("program", program), ("HINDCAST_BIN", variables.get("HINDCAST_BIN") or None)):
        if named is None:
            looked.append(f"{origin} (not set)")
            continue
        file = Path(named).expanduser()
        if not file.is_file():
            raise ProgramNotFound([f"{origin}: {file} (no such file)"])
        return _words(file.resolve())
    start = (directory or Path.cwd()).resolve()
    for place in (start, *start.parents):
        for name in _NAMES:
            file = place / "node_modules" / ".bin" / name
            if file.is_file():
                return _words(file)
    looked.append(f"node_modules/.bin of {start} and the directories above it")
    found = shutil.which("hindcast", path=variables.get("PATH"))
    if found is not None:
        return [found]
    looked.append("PATH")
    raise ProgramNotFound(looked)


def _words(file: Path) -> list[str]:
    return ["node", str(file)] if file.suffix in _SCRIPTS else [str(file)]
