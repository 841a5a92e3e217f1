"""The examples in the documentation of functions."""

from __future__ import annotations

import doctest
import importlib
import unittest

MODULES = (
    "hindcast._host.space_json",
    "hindcast._host.values",
    "hindcast._program",
    "hindcast._rows",
    "hindcast.spaces",
)


def load_tests(_loader: unittest.TestLoader, tests: unittest.TestSuite, _pattern: object) -> unittest.TestSuite:
    for name in MODULES:
        tests.addTests(doctest.DocTestSuite(importlib.import_module(name)))
    return tests
