"""Spaces without Gymnasium, held against what Gymnasium 1.4 says of them."""

import json
import unittest
from pathlib import Path

from hindcast import spaces

GOLDEN = Path(__file__).parents[2] / "test" / "plugins" / "spaces" / "golden.json"


class SpacesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.cases = json.loads(GOLDEN.read_text("utf-8"))["cases"]

    def test_flattens_as_gymnasium_does(self) -> None:
        compared = 0
        for case in self.cases:
            space = spaces.from_json(case["space"])
            for given in case["values"]:
                if "flat" not in given:
                    continue
                with self.subTest(space=case["space"], value=given["value"]):
                    self.assertTrue(space.contains(given["value"]) or case["space"]["type"] == "Tuple")
                    self.assertEqual(spaces.flatten(space, given["value"]), given["flat"])
                    self.assertEqual(spaces.flatdim(space), given["flatdim"])
                compared += 1
        self.assertGreater(compared, 50)

    def test_flattens_what_it_draws_to_as_many_numbers_as_it_says(self) -> None:
        for case in self.cases:
            space = spaces.from_json(case["space"])
            space.seed(1)
            for _ in range(20):
                drawn = space.sample()
                self.assertTrue(space.contains(drawn))
                flat = spaces.flatten(space, drawn)
                if spaces.flatdim(space) is not None:
                    self.assertEqual(len(flat), spaces.flatdim(space))


if __name__ == "__main__":
    unittest.main()
