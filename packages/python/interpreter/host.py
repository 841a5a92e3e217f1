"""Stands in for what an operating system would do: waiting, and refusing. A module of the interpreter, `_host`."""

import asyncio
import errno
import functools
import os
import signal
import time

#: Waits for so many milliseconds, or until the interpreter is interrupted. Set when the interpreter starts.
wait_ms = None


def sleep(seconds):
    seconds = float(seconds)
    if not seconds >= 0:
        raise ValueError("sleep length must be non-negative")
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        # An interruption ends the wait and is raised at one of the next turns of this loop.
        wait_ms(min(left, 3600) * 1000)


class _Sleeping:
    """Where a loop would wait for sockets: there are none, so there is only time."""

    def select(self, timeout):
        sleep(60 if timeout is None else max(timeout, 0))
        return []


class Loop(asyncio.BaseEventLoop):
    """An event loop that runs to its end in the call that started it, and needs nothing of JavaScript's."""

    def __init__(self):
        super().__init__()
        self._selector = _Sleeping()

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass


class Policy(asyncio.events._BaseDefaultEventLoopPolicy):
    _loop_factory = Loop


def run(main, *, debug=None, loop_factory=None):
    with asyncio.Runner(debug=debug, loop_factory=loop_factory or Loop) as runner:
        return runner.run(main)


def system(command):
    raise OSError(errno.ENOTSUP, "there are no processes here")


def install(wait):
    global wait_ms
    wait_ms = wait
    time.sleep = sleep
    os.system = os.popen = system
    asyncio.run = run
    asyncio.events._set_event_loop_policy(Policy())
    asyncio.events._set_running_loop(None)
    # KeyboardInterrupt wherever the code is, also in asyncio, which would put a handler of its own in place of the default.
    signal.signal(signal.SIGINT, functools.partial(signal.default_int_handler))
