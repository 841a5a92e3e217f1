"""A connection to a process of ``hindcast serve --stdio``: one request at a time, each a line of JSON."""

from __future__ import annotations

import atexit
import json
import os
import re
import threading
import weakref
from typing import Any, Iterator, Mapping, Optional, Union

from ._program import Program
from ._recordable import check, message_of
from ._transport import Transport, key_of, opened
from .errors import ConnectionLost, ForkedProcess, NotJson, Refused

#: The version of the protocol that this package speaks.
PROTOCOL = 1

_READ_BYTES = 1 << 16

#: Bytes of a request before the program has told its limit.
_FIRST_LINES = 1 << 16

Params = Mapping[str, Any]


class Connection:
    """Starts the program, or connects to one that runs, and asks it. Threads may share a connection: their requests take turns.

    After a ``KeyboardInterrupt``, the program cancels the request, and the connection goes on with the next one. A
    process that is forked from this one cannot use the connection, which stays with the parent.
    """

    def __init__(self, program: Optional[Program] = None) -> None:
        self._transport: Transport = opened(program)
        self._lock = threading.Lock()
        self._abandoned: list[tuple[str, Params]] = []
        self._id = 0
        self._buffer = bytearray()
        self._interrupted = False
        self._ended: Optional[str] = None
        self._forked_from: Optional[int] = None
        self._max_line = _FIRST_LINES
        self._in = self._transport.input
        self._out = self._transport.output
        _connections.add(self)
        token = self._transport.token
        if token is not None:
            try:
                self.request("authenticate", {"token": token})
            except Refused as error:
                self.close()
                raise ConnectionLost(f"{self._transport.name} refused this program: {error}") from error
        hello = self.request("hello")
        if hello["protocol"] != PROTOCOL:
            self.close()
            raise ConnectionLost(
                f"Expected a program that speaks version {PROTOCOL} of the protocol, found Hindcast "
                f"{hello['version']}, which speaks {hello['protocol']}. Install the package that comes with it: "
                "`npx hindcast python`."
            )
        self.version: str = hello["version"]
        self._max_line = hello["maxLineBytes"]

    @property
    def usable(self) -> bool:
        """Whether requests are possible: the program runs, and this is the process that started it."""
        return self._ended is None and self._forked_from is None

    def request(self, method: str, params: Optional[Params] = None) -> Any:
        """Asks, and returns the result.

        Raises:
            Refused: the program refused the request.
            NotJson: the parameters cannot be sent.
            ConnectionLost: the program ended.
            ForkedProcess: this process is forked from the one that opened the connection.
        """
        # Encode before the lock: a parameter's own code may run.
        body = encoded({} if params is None else dict(params))
        with self._lock:
            self._check()
            if self._interrupted:
                self._resynchronise()
            count = len(self._abandoned)
            lines = b"".join([self._line(*one) for one in self._abandoned[:count]])
            self._id += 1
            ours = self._id
            line = b'{"id":%d,"method":"%s","params":%s}\n' % (ours, method.encode("ascii"), body)
            if len(line) > self._max_line:
                raise NotJson(f"{method}: expected a request of at most {self._max_line} bytes, found {len(line)}.")
            del self._abandoned[:count]
            self._interrupted = True
            self._write(lines + line)
            answer = self._answer_of(ours)
            self._interrupted = False
        error = answer.get("error")
        if error is None:
            return answer["result"]
        raise Refused(error["tag"], error["message"], error.get("details"))

    def abandon(self, method: str, params: Params) -> None:
        """Sends a request with the next one, and drops its answer. Finalizers call it: it neither waits nor locks."""
        if self.usable:
            self._abandoned.append((method, params))

    def pages(self, method: str, params: Params) -> Iterator[Any]:
        """Yields the items of a listing. Reads a page when it is needed, and ends the listing when nobody reads on."""
        page = self.request(method, params)
        cursor = page["cursor"]
        try:
            while True:
                yield from page["items"]
                if cursor is None:
                    return
                number, cursor = cursor, None
                page = self.request("cursor.next", {"cursor": number})
                cursor = page["cursor"]
        finally:
            if cursor is not None:
                self.abandon("cursor.close", {"cursor": cursor})

    def close(self) -> None:
        """Ends the program, which first ends the episodes of its worlds. Nothing happens the second time."""
        if not self.usable:
            return
        with self._lock:
            self._end("it was closed")

    def _check(self) -> None:
        if self._forked_from is not None:
            raise ForkedProcess(
                f"Expected the process {self._forked_from}, which opened this connection, found {os.getpid()}, which "
                "was forked from it. The parent keeps the connection, its worlds and its listings; open another one "
                "in this process."
            )
        if self._ended is not None:
            raise ConnectionLost(f"The connection to {self._transport.name} has ended: {self._ended}.")

    def _line(self, method: str, params: Params) -> bytes:
        self._id += 1
        return b'{"id":%d,"method":"%s","params":%s}\n' % (self._id, method.encode("ascii"), encoded(dict(params)))

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while len(rest) > 0:
                rest = rest[os.write(self._in, rest) :]
        except OSError as error:
            raise self._lost() from error

    def _read_line(self) -> bytes:
        searched = 0
        buffer = self._buffer
        while True:
            end = buffer.find(b"\n", searched)
            if end >= 0:
                line = bytes(buffer[:end])
                del buffer[: end + 1]
                return line
            searched = len(buffer)
            try:
                data = os.read(self._out, _READ_BYTES)
            except ConnectionError:
                data = b""
            if not data:
                raise self._lost()
            buffer += data

    def _answer_of(self, ours: int) -> dict[str, Any]:
        while True:
            line = self._read_line()
            try:
                answer = json.loads(line)
                found = answer["id"]
            except (ValueError, TypeError, KeyError):
                raise self._lost(f"it answered {line[:80]!r}, which is no answer") from None
            # Answers to abandoned requests are dropped. An answer to no request is about ours.
            if found == ours or found is None:
                result: dict[str, Any] = answer
                return result

    def _resynchronise(self) -> None:
        """After an interrupt, part of a request may be unwritten, and part of an answer unread."""
        cancelled = self._id
        last = self._id + 3
        # The empty line ends half a request, and the first answer half an answer.
        self._write(
            b"\n"
            + self._line("cancel", {"id": cancelled})
            + self._line("ping", {})
            + self._line("ping", {})
        )
        while True:
            try:
                if json.loads(self._read_line()).get("id") == last:
                    break
            except (ValueError, AttributeError):
                continue
        self._interrupted = False

    def _lost(self, reason: Optional[str] = None) -> ConnectionLost:
        ended = self._end(reason)
        return ConnectionLost(
            f"The connection to {self._transport.name} has ended: {ended}. {self._transport.advice} "
            "A new question starts it again; episodes of worlds have ended."
        )

    def _end(self, reason: Optional[str]) -> str:
        _connections.discard(self)
        if reason is not None:
            self._ended = reason
        found = self._transport.end()
        self._ended = reason or found
        return self._ended

    def _leave_to_parent(self, parent: int) -> None:
        """In a forked process: closes its copies of the pipes, so that the program still notices the parent's end."""
        self._forked_from = parent
        self._lock = threading.Lock()
        self._abandoned = []
        self._transport.leave()

    def __reduce__(self) -> Any:
        raise TypeError(
            "A connection cannot be pickled or copied: its program belongs to this process. Open one where you need it."
        )

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def given(**params: Any) -> dict[str, Any]:
    """Parameters without those that are None, which the program would take for null."""
    return {name: value for name, value in params.items() if value is not None}


def located(log: Optional[Union[str, "os.PathLike[str]"]]) -> Optional[str]:
    """The name of a log as the program takes it: an absolute path, or the URL of a server as it is. The program says
    where it takes no URL."""
    if log is None:
        return None
    name = os.fsdecode(log)
    return name if is_address(name) else os.path.abspath(name)


def is_address(log: str) -> bool:
    """Whether this is the URL of a log on a server."""
    return re.match("postgres(ql)?:", log, re.IGNORECASE) is not None


def exact(value: Any) -> Any:
    """A value as JSON holds it, where a placeholder would be another value. Raises ``NotJson``."""
    found = json.loads(encoded(value))
    check(found)
    return found


def encoded(value: Any) -> bytes:
    """A value as JSON in ASCII. Raises ``NotJson``."""
    try:
        return _encoder.encode(value).encode("ascii")
    except NotJson:
        raise
    except Exception as error:
        # The value's own code may fail, too.
        found = message_of(error)
        raise NotJson(f"Expected a value that JSON can hold, found one that it cannot: {found}.") from error


def _plain(value: Any) -> Any:
    """Numbers and arrays of numpy, and paths."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    to_list = getattr(value, "tolist", None)
    if to_list is not None:
        return to_list()
    raise NotJson(f"Expected a value that JSON can hold, found {type(value).__name__}.")


_encoder = json.JSONEncoder(allow_nan=False, separators=(",", ":"), default=_plain)

_connections: weakref.WeakSet[Connection] = weakref.WeakSet()

_shared: dict[tuple[str, ...], Connection] = {}
_shared_lock = threading.Lock()


def shared(program: Optional[Program] = None) -> Connection:
    """The connection of this process that logs and worlds share. Starts the program, or starts it again."""
    key = key_of(program)
    with _shared_lock:
        known = _shared.get(key)
        if known is None or not known.usable:
            known = _shared[key] = Connection(program)
        return known


def _in_child() -> None:
    global _shared_lock
    _shared_lock = threading.Lock()
    _shared.clear()
    for connection in list(_connections):
        connection._leave_to_parent(os.getppid())
    _connections.clear()


def _at_exit() -> None:
    for connection in list(_connections):
        connection.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
atexit.register(_at_exit)
