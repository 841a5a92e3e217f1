import { describe, expect, it } from "vitest"
import { maskFlaw, type Space } from "../../../src/plugins/spaces/Space.ts"

const go: Space = { type: "Discrete", n: 3, start: -1 }
const grid: Space = { type: "MultiDiscrete", nvec: [[2, 3]] }
const switches: Space = { type: "MultiBinary", n: [1, 2] }
const push: Space = { type: "Box", dtype: "float32", shape: [1], low: -1, high: 1 }
const both: Space = { type: "Dict", subspaces: { "a/b": go, push } }
const pair: Space = { type: "Tuple", subspaces: [grid, switches] }

const moves: Space = { type: "Sequence", feature_space: go }
const web: Space = { type: "Graph", node_space: go, edge_space: go }
const bare: Space = { type: "Graph", node_space: go }
const either: Space = { type: "OneOf", subspaces: [go, push] }

describe("a mask of an action space", () => {
  it.each<[Space, unknown]>([
    [go, [0, 1, 1]],
    [
      grid,
      [
        [
          [0, 1],
          [1, 1, 0],
        ],
      ],
    ],
    [grid, [[null, [1, 1, 0]]]],
    [switches, [[0, 2]]],
    [push, null],
    [{ type: "Text", max_length: 3 }, null],
    [both, { "a/b": [1, 0, 0], push: null }],
    [pair, [[[[1, 1], null]], null]],
    [moves, [null, [1, 0, 0]]],
    [moves, [3, null]],
    [
      moves,
      [
        [0, 2, 65_536],
        [0, 0, 1],
      ],
    ],
    [{ type: "Sequence", feature_space: push }, [3, null]],
    [web, [[1, 0, 0], null]],
    [web, [null, [0, 1, 1]]],
    [bare, [[1, 0, 0], null]],
    [either, [[1, 0, 0], null]],
    [either, [null, null]],
  ])("has its shape: %j, %j", (space, mask) => {
    expect(maskFlaw(space, mask)).toBe(undefined)
    expect(maskFlaw(space, null)).toBe(undefined)
  })

  it.each<[Space, unknown, string]>([
    [go, [1, 1], "expected a list of 3, found a list of 2"],
    [go, [1, 1, 2], "/2: expected a whole number from 0 to 1, found 2"],
    [go, undefined, "expected a list of 3, found nothing"],
    [
      grid,
      [
        [
          [0, 1],
          [1, 1],
        ],
      ],
      "/0/1: expected a list of 3, found a list of 2",
    ],
    [
      grid,
      [
        [
          [0, 1],
          [1, 1, -1],
        ],
      ],
      "/0/1/2: expected a whole number from 0 to 1, found -1",
    ],
    [switches, [[0, 3]], "/0/1: expected a whole number from 0 to 2, found 3"],
    [push, [1], "expected null, since there are no masks of Box, found a list of 1"],
    [both, { push: null }, "expected an object with a/b, push, found an object"],
    [both, { "a/b": [1], push: null }, "/a~1b: expected a list of 3, found a list of 1"],
    [pair, [null], "expected a list of 2, found a list of 1"],
    [moves, [1, 0, 0], "expected a list of 2: the length and a mask of the values, found a list of 3"],
    [moves, [-1, null], "/0: expected null, a whole number from 0 to 65536, or a list of such numbers, found -1"],
    [
      moves,
      [1e9, null],
      "/0: expected null, a whole number from 0 to 65536, or a list of such numbers, found 1000000000",
    ],
    [
      moves,
      [[], null],
      "/0: expected null, a whole number from 0 to 65536, or a list of such numbers, found an empty list",
    ],
    [
      moves,
      [[1, 0.5], null],
      "/0: expected null, a whole number from 0 to 65536, or a list of such numbers, found a list of 2",
    ],
    [moves, [2, [1]], "/1: expected a list of 3, found a list of 1"],
    [{ type: "Sequence", feature_space: push }, [3, 1], "/1: expected null, since there are no masks of Box, found 1"],
    [web, [1, 0, 0], "expected a list of 2: a mask of the nodes and one of the edges, found a list of 3"],
    [web, [[1, 0], null], "/0: expected a list of 3, found a list of 2"],
    [web, [null, [1, 0, 2]], "/1/2: expected a whole number from 0 to 1, found 2"],
    [bare, [null, [1, 0, 0]], "/1: expected null, since the edges have no space, found a list of 3"],
    [either, [[1, 0, 0]], "expected a list of 2, found a list of 1"],
    [either, [null, [0]], "/1: expected null, since there are no masks of Box, found a list of 1"],
  ])("says what is wrong: %j, %j", (space, mask, flaw) => {
    expect(maskFlaw(space, mask)).toBe(flaw)
  })
})
