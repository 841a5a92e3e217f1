"""The frames between this process and the host. Everything else that the process prints becomes log lines."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
from typing import Any, Callable, Dict, Iterator, Mapping, TextIO

__all__ = ["Channel", "lines_of"]

#: Characters of a printed line. The rest of a longer one becomes further lines.
_LINE = 16 * 1024

_ANSWERS = ("ok", "error", "invalid")

_READ_BYTES = 1 << 16


def lines_of(descriptor: int) -> Iterator[bytes]:
    """The lines of a descriptor, without their line feeds, until its end."""
    parts = bytearray()
    while True:
        chunk = os.read(descriptor, _READ_BYTES)
        if not chunk:
            return
        start = 0
        end = chunk.find(b"\n")
        while end != -1:
            parts += chunk[start:end]
            yield bytes(parts)
            parts.clear()
            start = end + 1
            end = chunk.find(b"\n", start)
        parts += chunk[start:]


class Channel:
    """Takes the standard input and output for frames. Input of the environment is empty, and its output is a log."""

    def __init__(self) -> None:
        sys.stdout.flush()
        self.input = os.dup(0)
        self._output = os.dup(1)
        self._lock = threading.Lock()
        self._nonce = b""
        self._limit = 0
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        # What C code prints goes to the errors, which the host logs line by line.
        os.dup2(2, 1)
        sys.stdin = io.StringIO("")

    def begin(self, nonce: str, limit: int) -> None:
        """Sends frames that start with the nonce and have at most `limit` bytes, and printed lines as frames."""
        self._nonce = nonce.encode("ascii")
        self._limit = limit
        sys.stdout = _Printed(lambda line: self.log("info", line))

    def log(self, level: str, message: str) -> None:
        """Adds a line to the log."""
        self.send({"type": "log", "level": level, "message": message.encode("utf-8", "replace").decode("utf-8")})

    def send(self, frame: Dict[str, Any]) -> None:
        """Sends a frame in one piece. In place of one that is too long, it says so."""
        line = self._line(frame)
        if len(line) > self._limit:
            line = self._line(_instead(frame, f"expected at most {self._limit} bytes, found {len(line)}"))
        with self._lock:
            left = memoryview(line)
            while left:
                left = left[os.write(self._output, left) :]

    def _line(self, frame: Mapping[str, Any]) -> bytes:
        text = json.dumps(frame, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return self._nonce + text.encode("utf-8", "replace") + b"\n"


def _instead(frame: Mapping[str, Any], reason: str) -> Dict[str, Any]:
    if frame["type"] in _ANSWERS:
        return {"type": "invalid", "id": frame["id"], "reason": reason}
    return {"type": "log", "level": "error", "message": f"{frame['type']} frame left out: {reason}"}


class _Printed(io.TextIOBase, TextIO):
    """The standard output of the environment: sends each line."""

    def __init__(self, send: Callable[[str], None]) -> None:
        super().__init__()
        self._send = send
        self._held = ""
        self._lock = threading.Lock()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1

    def write(self, text: str) -> int:
        with self._lock:
            *lines, self._held = (self._held + text).split("\n")
            if len(self._held) > _LINE:
                lines.append(self._held)
                self._held = ""
        for line in lines:
            for start in range(0, len(line) or 1, _LINE):
                self._send(line[start : start + _LINE])
        return len(text)

    def flush(self) -> None:
        """Keeps a line that is not complete, so that ``print("a", end="", flush=True)`` gives no line of its own."""
