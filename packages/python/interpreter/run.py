"""Runs code in __main__, as a notebook does, and says in JSON what came of it. A module of the interpreter, `_run`."""

import ast
import json
import linecache
import random
import sys
import traceback

MAIN = sys.modules["__main__"]

#: Longest `repr`, message and traceback that is kept, in characters.
MAX_TEXT = 64 * 1024
#: Longest result as JSON, in characters; of a longer one there is only its `repr`.
MAX_JSON = 1024 * 1024
#: Most values inside a result, and how deep they nest.
MAX_VALUES = 100_000
MAX_DEPTH = 100
#: Integers beyond it lose digits in JSON's numbers as JavaScript reads them.
MAX_INT = 2**53 - 1
#: Kept free, so that there is memory left to say that there is none.
RESERVE_BYTES = 1024 * 1024

_encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False, check_circular=False).encode
_INITIAL = frozenset(MAIN.__dict__)
_reserve = bytearray(RESERVE_BYTES)
_raised = None
_found = {}


class NotPlain(Exception):
    """A value that JSON does not carry unchanged."""


def seed(number):
    random.seed(number)


def run(code, name):
    """Executes code and evaluates its last expression. What it raises is kept for `report`."""
    global _raised, _found
    _raised, _found = None, {"result": None, "repr": None}
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    try:
        tree = ast.parse(code, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), MAIN.__dict__)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), name, "eval"), MAIN.__dict__)
            if value is not None:
                _found = {"result": _plain_or_none(value), "repr": _cut(repr(value))}
    except BaseException as error:
        _raised = error
    _flush()


def report(name):
    """What came of the last run, as JSON: outcome, result, repr, error."""
    global _raised, _reserve
    error, _raised = _raised, None
    if error is None:
        return _encode({"outcome": "ok", **_found, "error": None})
    _reserve = None
    described = _describe(error, name)
    del error
    try:
        _reserve = bytearray(RESERVE_BYTES)
    except MemoryError:
        pass
    return _encode({"outcome": described.pop("outcome"), "result": None, "repr": None, "error": described})


def rehearse():
    """Ends in each way once, so that what that imports is imported; and leaves nothing behind."""
    name = "<rehearsal>"
    for code in ("1+", "undefined", "[1].push", "import nothing_of_that_name", "import sys; sys.exit(1)", "'x'"):
        run(code, name)
        report(name)
    for module in ("base64", "collections", "csv", "dataclasses", "datetime", "decimal", "functools", "hashlib", "io",
                   "itertools", "math", "pathlib", "re", "shutil", "statistics", "string", "tempfile", "typing"):
        __import__(module)
    linecache.cache.clear()
    random.seed(0)
    for added in MAIN.__dict__.keys() - _INITIAL:
        del MAIN.__dict__[added]


def _describe(error, name):
    if isinstance(error, SystemExit):
        return {"outcome": "exit", "type": "SystemExit", "message": _exit_message(error.code), "traceback": ""}
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != name:
        trace = trace.tb_next
    try:
        formatted = traceback.TracebackException(type(error), error, trace, compact=True)
        lines, message = "".join(formatted.format()), "".join(formatted.format_exception_only()).strip()
        if isinstance(error, SyntaxError):
            message = f"{type(error).__name__}: {error.msg}"
    except Exception as cause:
        lines = message = f"{type(error).__name__} (its traceback cannot be told: {type(cause).__name__})"
    return {"outcome": "exception", "type": type(error).__name__, "message": _cut(message), "traceback": _cut(lines)}


def _exit_message(code):
    try:
        return "0" if code is None else _cut(str(code))
    except Exception:
        return "unknown"


def _cut(text):
    if len(text) <= MAX_TEXT:
        return str(text)
    return f"{text[:MAX_TEXT]}\n[… {len(text) - MAX_TEXT} more characters left out]"


def _flush():
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        try:
            stream.flush()
        except Exception:
            pass


def _plain_or_none(value):
    try:
        left = [MAX_VALUES]
        plain = _plain(value, 0, left)
        return plain if len(_encode(plain)) <= MAX_JSON else None
    except (NotPlain, UnicodeEncodeError):
        return None


def _plain(value, depth, left):
    left[0] -= 1
    if left[0] < 0 or depth > MAX_DEPTH:
        raise NotPlain
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is str:
        value.encode()
        return value
    if kind is int and -MAX_INT <= value <= MAX_INT:
        return value
    if kind is float and value - value == 0:
        return value
    if kind is list or kind is tuple:
        return [_plain(item, depth + 1, left) for item in value]
    if kind is dict and all(type(key) is str for key in value):
        return {_plain(key, depth, left): _plain(item, depth + 1, left) for key, item in value.items()}
    raise NotPlain
