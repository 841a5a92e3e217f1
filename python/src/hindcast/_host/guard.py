"""What an environment may open where the operating system gives it no disk and network of its own.

An audit hook (PEP 578) raises `PermissionError`. It stops an environment that does not look for a way around it; it is
no wall against one that does, which is why such a start needs a person's consent.
"""

from __future__ import annotations

import os
import sys
from typing import Any, List, Sequence, Tuple

__all__ = ["confine"]

_ALWAYS_READ = (
    "/dev/null",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    "/proc/self/",
    "/proc/cpuinfo",
    "/proc/meminfo",
)

#: Prefixes of audit events, and what they are.
_REFUSED = {
    "socket.connect": "the network",
    "socket.bind": "the network",
    "socket.sendto": "the network",
    "socket.sendmsg": "the network",
    "socket.getaddrinfo": "the network",
    "socket.gethostby": "the network",
    "socket.getnameinfo": "the network",
    "subprocess.Popen": "other programs",
    "os.system": "other programs",
    "os.exec": "other programs",
    "os.posix_spawn": "other programs",
    "os.spawn": "other programs",
    "os.startfile": "other programs",
    "os.fork": "other programs",
    "pty.spawn": "other programs",
    "os.kill": "other programs",
    "os.remove": "writing files",
    "os.rename": "writing files",
    "os.rmdir": "writing files",
    "os.mkdir": "writing files",
    "os.link": "writing files",
    "os.symlink": "writing files",
    "os.truncate": "writing files",
    "os.chmod": "writing files",
    "os.chown": "writing files",
    "os.utime": "writing files",
    "os.setxattr": "writing files",
    "os.removexattr": "writing files",
}

_LISTED = ("os.listdir", "os.scandir", "os.chdir")

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def confine(readable: Sequence[str], hidden: Sequence[str], directory: str) -> None:
    """Refuses, from now on, the network, other programs, writing, and reading elsewhere.

    Args:
        readable: absolute, real paths that the environment may read.
        hidden: those within them that it may not read.
        directory: the plugin's own, readable even within a hidden one.
    """
    allowed = [os.path.realpath(place) for place in readable]
    own = os.path.realpath(directory)
    # Looked up now: the environment may replace them.
    realpath, fspath, isinstance_, text = os.path.realpath, os.fspath, isinstance, str

    def may_read(place: str) -> bool:
        real = realpath(place)
        if _is_in(real, [own]):
            return True
        return (_is_in(real, allowed) and not _is_in(real, hidden)) or place.startswith(_ALWAYS_READ)

    def hook(event: str, arguments: Tuple[Any, ...]) -> None:
        what = next((named for prefix, named in _REFUSED.items() if event.startswith(prefix)), None)
        if what is not None:
            raise PermissionError(f"an environment in this sandbox has no access to {what} ({event})")
        if event == "open" or event in _LISTED:
            place = arguments[0]
            if place is None or isinstance_(place, int):
                return
            name = fspath(place)
            name = name.decode("utf-8", "surrogateescape") if isinstance_(name, bytes) else text(name)
            flags = arguments[2] if event == "open" and len(arguments) > 2 and isinstance_(arguments[2], int) else 0
            if flags & _WRITES and name != os.devnull:
                raise PermissionError(f"an environment in this sandbox writes no files: {name}")
            if not may_read(name):
                raise PermissionError(f"an environment in this sandbox may not read {name}")

    sys.addaudithook(hook)


def _is_in(place: str, directories: Sequence[str]) -> bool:
    return any(place == one or place.startswith(one.rstrip("/") + "/") for one in directories)


def library_directories() -> List[str]:
    """Python's own library and packages: what `sys.path` has, and the prefixes."""
    return [os.path.realpath(place) for place in [*sys.path, sys.prefix, sys.base_prefix] if place and place != "/"]
