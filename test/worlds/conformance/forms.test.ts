import { describe, expect, it } from "vitest"
import type { Json, Space } from "../../../src/plugins/author.ts"
import { formDiffers, hasLegal } from "../../../src/worlds/conformance/forms.ts"

const go: Space = { type: "Discrete", n: 2 }
const list: Space = { type: "Sequence", feature_space: go }
const graph: Space = { type: "Graph", node_space: go, edge_space: go }
const either: Space = { type: "OneOf", subspaces: [go, list] }
const all: Space = { type: "Dict", subspaces: { go, list, graph, either } }
const value = {
  go: 0,
  list: [],
  either: [0, 1],
  graph: { nodes: [0], edges: null, edge_links: null },
}

describe("the form of observations", () => {
  it("may vary where their space admits several forms, and nowhere else", () => {
    const other = { ...value, list: [1], either: [1, []], graph: { nodes: [], edges: [], edge_links: [] } }
    expect(formDiffers(value, other, all)).toBeUndefined()
    expect(formDiffers(value, other, undefined)).toBe("/list: expected a list of 0, found a list of 1")
    expect(formDiffers([value, 0], [{ ...other, go: "x" }, 0], { type: "Tuple", subspaces: [all, go] })).toBe(
      "/0/go: expected a number, found a string",
    )
  })
})

describe("a mask", () => {
  it.each<[boolean, Json, Space | undefined]>([
    [true, [0, 1], go],
    [false, [0, 0], go],
    [true, [0, 0], { type: "MultiBinary", n: 2 }],
    [true, null, list],
    [true, [0, [0, 0]], list],
    [
      true,
      [
        [0, 2],
        [0, 0],
      ],
      list,
    ],
    [false, [2, [0, 0]], list],
    [true, [[2, 3], null], list],
    [true, [null, [0, 1]], list],
    [false, [[0, 0], null], graph],
    [
      true,
      [
        [0, 1],
        [0, 0],
      ],
      graph,
    ],
    [
      true,
      [
        [0, 0],
        [null, [0, 1]],
      ],
      either,
    ],
    [
      false,
      [
        [0, 0],
        [1, [0, 0]],
      ],
      either,
    ],
    [false, { go: [0, 0], list: null, graph: null, either: null }, all],
    [
      false,
      [
        [0, 0],
        [0, 1],
      ],
      undefined,
    ],
  ])("leaves some action: %j, %j", (isLegal, mask, space) => {
    expect(hasLegal(mask, space)).toBe(isLegal)
  })
})
