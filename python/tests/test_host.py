"""The parts of the runner of environments that need no process."""

from __future__ import annotations

import types
import unittest
from typing import Any, Dict

from hindcast import spaces
from hindcast._host.refusal import NotJson, Refusal
from hindcast._host.space_json import difference, space_json
from hindcast._host.values import LARGEST, exact, readable


class Box:
    """As Gymnasium's, with lists for arrays."""

    def __init__(self, low: Any, high: Any, dtype: str = "float32") -> None:
        self.low, self.high, self.shape = low, high, (len(low),)
        self.dtype = types.SimpleNamespace(name=dtype)


class Named(spaces.Discrete):
    """A class of one's own that is a space."""


class Spaces(unittest.TestCase):
    def test_the_class_tells_the_kind_also_through_its_bases(self) -> None:
        self.assertEqual(space_json(Named({"n": 3}), "action"), {"type": "Discrete", "n": 3})

    def test_bounds_are_collapsed_and_infinities_are_texts(self) -> None:
        found = space_json(Box([float("-inf")] * 2, [1.0, 2.0]), "observation")
        self.assertEqual(
            found, {"type": "Box", "dtype": "float32", "shape": [2], "low": "-Infinity", "high": [1.0, 2.0]}
        )

    def test_what_is_no_space_is_refused(self) -> None:
        for wrong in (None, 3, object()):
            with self.assertRaises(Refusal) as caught:
                space_json(wrong, "action_space")
            self.assertEqual(caught.exception.code, "InvalidSpace")

    def test_bounds_are_equal_if_their_type_holds_them_as_equal(self) -> None:
        def box(low: Any) -> Dict[str, Any]:
            return {"type": "Box", "dtype": "float32", "shape": [2], "low": low, "high": 10}

        self.assertIsNone(difference(box(-4.8), box([-4.800000190734863, -4.800000190734863])))
        self.assertEqual(
            difference(box(-4.8), box(-4.9)), f"/low: the manifest has {box_of(-4.8)}, and the class {box_of(-4.9)}"
        )

    def test_a_difference_is_named_by_its_place(self) -> None:
        def nested(n: int) -> Dict[str, Any]:
            return {"type": "Dict", "subspaces": {"a": {"type": "Tuple", "subspaces": [{"type": "Discrete", "n": n}]}}}

        self.assertIsNone(difference(nested(2), nested(2)))
        found = difference(nested(2), nested(5))
        self.assertEqual(found, "/subspaces/a/subspaces/0/n: the manifest has 2, and the class 5")


def box_of(bound: float) -> float:
    import struct

    value: float = struct.unpack("<f", struct.pack("<f", bound))[0]
    return value


class Values(unittest.TestCase):
    def test_what_json_cannot_hold_is_named_by_its_place(self) -> None:
        looped: Dict[str, Any] = {}
        looped["self"] = looped
        wrong = [
            ({"a": [1, float("nan")]}, "/a/1: expected JSON, found nan"),
            ({1: 2}, ": expected JSON, found the key 1, which is no text"),
            (["\ud800"], "/0: expected JSON, found text with a lone surrogate"),
            ({"a": 2**60}, "an integer beyond 2^53 - 1"),
            (looped, "a cycle or more than 140 levels"),
            ([0] * (LARGEST + 1), f"more than {LARGEST} values"),
        ]
        for value, said in wrong:
            with self.assertRaises(NotJson) as caught:
                exact(value, "the state")
            self.assertIn(said, str(caught.exception))

    def test_readers_get_a_text_for_it(self) -> None:
        class Odd:
            def __repr__(self) -> str:
                raise RuntimeError("no")

        self.assertEqual(readable({"a": float("inf"), "b": {1}}, "the info"), {"a": "inf", "b": "{1}"})
        self.assertIn("whose repr raises RuntimeError", readable([Odd()], "the info")[0])


if __name__ == "__main__":
    unittest.main()
