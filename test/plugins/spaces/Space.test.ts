import { Ajv2020 } from "ajv/dist/2020.js"
import { Either, Schema } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Json, Space } from "../../../src/plugins/author.ts"
import { seeded } from "../../../src/plugins/numpy/Generator.ts"
import { cellsOf } from "../../../src/plugins/spaces/cells.ts"
import { TYPES } from "../../../src/plugins/spaces/flaws.ts"
import { contains, flatdim, flatten, flaws, isSpace, jsonSchemaOf, sample } from "../../../src/plugins/spaces/Space.ts"
import { SpaceSchema } from "../../../src/plugins/spaces/SpaceSchema.ts"
import { issuesOf } from "../../../src/values/OptionIssues.ts"
import golden from "./golden.json" with { type: "json" }
import { spaces, spacesWithoutGraphs } from "./spaces.ts"

const cartPole: Space = {
  type: "Box",
  dtype: "float32",
  shape: [4],
  low: [-4.8, "-Infinity", -0.418, "-Infinity"],
  high: [4.8, "Infinity", 0.418, "Infinity"],
}

const graph: Space = { type: "Graph", node_space: { type: "Discrete", n: 2 }, edge_space: { type: "Discrete", n: 1 } }

const partOf = (value: Json | undefined, token: string): Json | undefined =>
  typeof value === "object" && value !== null
    ? new Map(Object.entries(value)).get(token.replaceAll("~1", "/").replaceAll("~0", "~"))
    : undefined

/** A space, a value in it, and the same value with one part replaced by something that may be wrong there. */
const mutated = (of: fc.Arbitrary<Space>) =>
  fc
    .tuple(of, fc.maxSafeNat(), fc.nat(), fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.integer({ min: -6, max: 6 })))
    .map(([space, seed, place, other]) => {
      const value = sample(space, seeded(seed))
      return { space, value: replaced(value, place, other as Json) }
    })

const replaced = (value: Json, place: number, other: Json): Json => {
  if (typeof value !== "object" || value === null || place % 4 === 0) return other
  const keys = Object.keys(value)
  const chosen = keys[place % keys.length]
  const entries = Object.entries(value).map(([key, part]): [string, Json] => [
    key,
    key === chosen ? replaced(part, Math.floor(place / 4), other) : part,
  ])
  return Array.isArray(value) ? entries.map(([, part]) => part) : Object.fromEntries(entries)
}

const ajv = new Ajv2020({ strict: false, ownProperties: true, validateSchema: false, addUsedSchema: false })

const valid = (space: Space, value: Json): boolean => ajv.compile(jsonSchemaOf(space))(value)

describe("a space", () => {
  it("contains what is drawn from it, and its JSON Schema says so too", () => {
    fc.assert(
      fc.property(spaces, fc.maxSafeNat(), (space, seed) => {
        expect(flaws(space)).toEqual([])
        const value = sample(space, seeded(seed))
        expect(contains(space, value)).toBeUndefined()
        expect(JSON.parse(JSON.stringify(value))).toEqual(value)
        expect(valid(space, value)).toBe(true)
      }),
    )
  })

  it("contains exactly what its JSON Schema admits", () => {
    fc.assert(
      fc.property(mutated(spacesWithoutGraphs), ({ space, value }) => {
        expect(contains(space, value) === undefined).toBe(valid(space, value))
      }),
    )
  })

  it("contains what its JSON Schema admits but for the links of graphs, and refuses with a place that is in the value", () => {
    fc.assert(
      fc.property(mutated(spaces), ({ space, value }) => {
        const why = contains(space, value)
        if (why === undefined) expect(valid(space, value)).toBe(true)
        else if (valid(space, value)) expect(why).toMatch(/\/edge(?:s|_links)(?:\/\d+)*: /)
        const [place = ""] = /^\/.*?(?=: expected )/s.exec(why ?? "") ?? []
        const tokens = place.split("/").slice(1)
        const parent = tokens.slice(0, -1).reduce<Json | undefined>(partOf, value)
        expect(tokens.length === 0 || (typeof parent === "object" && parent !== null)).toBe(true)
      }),
    )
  })

  it("draws lists of any length that end, however deep they are nested", () => {
    let deep: Space = { type: "Discrete", n: 2 }
    for (let level = 0; level < 15; level++)
      deep =
        level % 2 === 0
          ? { type: "Sequence", feature_space: deep }
          : { type: "Graph", node_space: deep, edge_space: deep }
    expect(flaws(deep)).toEqual([])
    const value = sample(deep, seeded(7))
    expect(contains(deep, value)).toBeUndefined()
    expect(JSON.stringify(value).length).toBeLessThan(5_000_000)
    expect(flaws({ type: "Tuple", subspaces: [{ type: "Sequence", feature_space: deep }] })).not.toEqual([])
  })

  it("draws about a million numbers and characters into lists at most, however large their values are", () => {
    const sizeOf = (value: Json): number =>
      typeof value === "string"
        ? value.length
        : typeof value === "object" && value !== null
          ? Object.values(value).reduce<number>((sum, part) => sum + sizeOf(part), 0)
          : 1
    const image = (...shape: ReadonlyArray<number>): Space => ({
      type: "Box",
      dtype: "bool",
      shape,
      low: true,
      high: true,
    })
    const listOf = (feature_space: Space): Space => ({ type: "Sequence", feature_space })
    expect(sample(listOf(image(1000, 1000)), seeded(5), [64, null])).toHaveLength(1)
    const text: Space = { type: "Text", min_length: 100_000, max_length: 100_000, charset: "ab" }
    const images: Space = { type: "Graph", node_space: image(300, 300), edge_space: image(300, 300) }
    const nested = listOf({ type: "Tuple", subspaces: [images, listOf(text)] })
    expect(flaws(nested)).toEqual([])
    const value = sample(nested, seeded(5), [64, [null, [3, null]]])
    expect(contains(nested, value)).toBeUndefined()
    expect(value).toHaveLength(64)
    expect(sizeOf(value)).toBeGreaterThan(500_000)
    expect(sizeOf(value)).toBeLessThan(1_050_000)
    // Lists of what is usual are as long as they were drawn.
    expect(sample(listOf(image(64, 64)), seeded(5), [64, null])).toHaveLength(64)
    expect(sample(listOf(image(4, 4)), seeded(5), [9_000, null])).toHaveLength(9_000)
  })

  it.each<[Space, number]>([
    [cartPole, 4],
    [{ type: "Box", dtype: "int8", shape: [], low: 0, high: 1 }, 1],
    [{ type: "Box", dtype: "int8", shape: [7, 3], low: 0, high: 1 }, 21],
    [
      {
        type: "MultiDiscrete",
        nvec: [
          [2, 3],
          [4, 5],
        ],
      },
      4,
    ],
    [{ type: "MultiBinary", n: 9 }, 9],
    [{ type: "MultiBinary", n: [9, 2] }, 18],
    [{ type: "Text", max_length: 20 }, 20],
    [{ type: "Text", max_length: 1_000_000 }, 1_000],
    [{ type: "Text", min_length: 5_000, max_length: 1_000_000 }, 5_000],
    [{ type: "Tuple", subspaces: [cartPole, { type: "Discrete", n: 2 }] }, 5],
    [{ type: "Dict", subspaces: { a: cartPole, b: { type: "Sequence", feature_space: cartPole } } }, 5],
    [{ type: "OneOf", subspaces: [{ type: "Discrete", n: 2 }, cartPole] }, 5],
    [graph, 1],
  ])("of %j draws at most %d numbers and characters", (space, cells) => {
    expect(cellsOf(space)).toBe(cells)
  })

  it("bounds lists of any length", () => {
    const bits: Space = { type: "Sequence", feature_space: { type: "Discrete", n: 2 } }
    expect(contains(bits, Array(65_536).fill(1))).toBeUndefined()
    expect(valid(bits, Array(65_536).fill(1))).toBe(true)
    expect(contains(bits, Array(65_537).fill(1))).toBe("expected a list of at most 65536, found a list of 65537")
    expect(valid(bits, Array(65_537).fill(1))).toBe(false)
  })

  it.each(golden.cases.flatMap(({ space, values }) => values.map((told) => ({ space: space as Space, ...told }))))(
    "contains what Gymnasium's does: $space, $value",
    ({ space, value, contained }) => {
      expect(flaws(space)).toEqual([])
      expect(contains(space, value) === undefined).toBe(contained)
      if (contained) expect(valid(space, value as Json)).toBe(true)
    },
  )

  it("draws the same values from the same seed", () => {
    fc.assert(
      fc.property(spaces, fc.maxSafeNat(), (space, seed) => {
        expect(sample(space, seeded(seed))).toEqual(sample(space, seeded(seed)))
      }),
    )
  })

  it.each<[Space, Json, string]>([
    [cartPole, [0, 0, 0], "expected a list of 4, found a list of 3"],
    [cartPole, [0, 1e300, 0.5, 0], "/2: expected a number from -0.4180000126361847 to 0.4180000126361847, found 0.5"],
    [cartPole, [5, 0, 0, 0], "/0: expected a number from -4.800000190734863 to 4.800000190734863, found 5"],
    [cartPole, [0, "1", 0, 0], '/1: expected a number, found "1"'],
    [cartPole, [0, null, 0, 0], "/1: expected a number, found null"],
    [
      { type: "Box", dtype: "uint8", shape: [], low: 0, high: 255 },
      0.5,
      "expected a whole number from 0 to 255, found 0.5",
    ],
    [
      { type: "Box", dtype: "float64", shape: [], low: 0, high: "Infinity" },
      -1,
      "expected a number of at least 0, found -1",
    ],
    [
      { type: "Box", dtype: "float64", shape: [], low: "-Infinity", high: 0 },
      1,
      "expected a number of at most 0, found 1",
    ],
    [{ type: "Discrete", n: 3, start: -1 }, 2, "expected a whole number from -1 to 1, found 2"],
    [{ type: "Discrete", n: 3 }, true, "expected a whole number from 0 to 2, found true"],
    [{ type: "MultiDiscrete", nvec: [[2, 3]] }, [[1, 3]], "/0/1: expected a whole number from 0 to 2, found 3"],
    [{ type: "MultiBinary", n: [2, 1] }, [[0], [2]], "/1/0: expected a whole number from 0 to 1, found 2"],
    [{ type: "Tuple", subspaces: [{ type: "Discrete", n: 2 }] }, {}, "expected a list of 1, found an object"],
    [
      { type: "Dict", subspaces: { "a/b": { type: "Discrete", n: 2 } } },
      { "a/b": 3 },
      "/a~1b: expected a whole number from 0 to 1, found 3",
    ],
    [
      { type: "Dict", subspaces: Object.fromEntries<Space>([["toString", { type: "Discrete", n: 2 }]]) },
      {},
      "/toString: expected a whole number from 0 to 1, found nothing",
    ],
    [
      { type: "Dict", subspaces: { a: { type: "Discrete", n: 2 } } },
      { a: 0, b: 1 },
      "/b: expected no such key, found 1",
    ],
    [
      { type: "Dict", subspaces: { a: { type: "Discrete", n: 2 } } },
      [],
      "expected an object with the keys a, found an empty list",
    ],
    [
      { type: "Box", dtype: "bool", shape: [2], low: false, high: true },
      [true, 1],
      "/1: expected false or true, found 1",
    ],
    [{ type: "Box", dtype: "bool", shape: [], low: true, high: true }, false, "expected true, found false"],
    [
      { type: "MultiDiscrete", nvec: [2, 3], start: [-1, 4] },
      [0, 3],
      "/1: expected a whole number from 4 to 6, found 3",
    ],
    [
      { type: "Sequence", feature_space: { type: "Discrete", n: 2 } },
      [0, 1, 2],
      "/2: expected a whole number from 0 to 1, found 2",
    ],
    [
      { type: "OneOf", subspaces: [{ type: "Discrete", n: 2 }, cartPole] },
      [0],
      "expected a list of 2: the index of a space and a value of it, found a list of 1",
    ],
    [{ type: "OneOf", subspaces: [cartPole] }, [1, 0], "/0: expected a whole number from 0 to 0, found 1"],
    [
      { type: "OneOf", subspaces: [{ type: "Discrete", n: 2 }, cartPole] },
      [1, [0, 0, 0]],
      "/1: expected a list of 4, found a list of 3",
    ],
    [graph, [], "expected an object with the keys nodes, edges, edge_links, found an empty list"],
    [graph, { nodes: [0], edges: null }, "/edges: expected a list of at most 65536, found null"],
    [graph, { nodes: [2], edges: null, edge_links: null }, "/nodes/0: expected a whole number from 0 to 1, found 2"],
    [graph, { nodes: [0], edges: null, edge_links: null, x: 1 }, "/x: expected no such key, found 1"],
    [
      graph,
      { nodes: [0, 1], edges: [0], edge_links: [[0, 2]] },
      "/edge_links/0/1: expected a whole number from 0 to 1, found 2",
    ],
    [graph, { nodes: [0, 1], edges: [0], edge_links: [] }, "/edge_links: expected a list of 1, found an empty list"],
    [
      graph,
      { nodes: [], edges: [0], edge_links: [[0, 0]] },
      "/edges: expected an empty list, since there are no nodes, found a list of 1",
    ],
    [
      { type: "Graph", node_space: { type: "Discrete", n: 2 } },
      { nodes: [0], edges: null, edge_links: [[0, 0]] },
      "/edge_links: expected null, since the edges have no space, found a list of 1",
    ],
    [{ type: "Text", max_length: 2 }, "", 'expected text of 1 to 2 characters, found ""'],
    [{ type: "Text", max_length: 2, charset: "ab" }, "ac", 'expected characters of "ab", found "c"'],
  ])("says where and why: %j does not contain %j", (space, value, why) => {
    expect(flaws(space)).toEqual([])
    expect(contains(space, value)).toBe(why)
  })

  it("counts characters, not code units", () => {
    expect(contains({ type: "Text", max_length: 1, charset: "😀" }, "😀")).toBeUndefined()
  })

  it("contains its bounds as they are written and as float32 rounds them", () => {
    for (const number of [4.8, Math.fround(4.8), -4.8, Math.fround(-4.8)])
      expect(contains(cartPole, [number, 0, 0, 0])).toBeUndefined()
  })

  it("draws only what a mask leaves", () => {
    const space: Space = {
      type: "Dict",
      subspaces: {
        one: { type: "Discrete", n: 4, start: 1 },
        many: { type: "MultiDiscrete", nvec: [2, 3] },
        flags: { type: "MultiBinary", n: 3 },
        pair: { type: "Tuple", subspaces: [{ type: "Discrete", n: 2 }, cartPole] },
      },
    }
    const mask = {
      one: [0, 0, 1, 0],
      many: [
        [0, 1],
        [1, 0, 0],
      ],
      flags: [1, 0, 1],
      pair: [[0, 1], null],
    }
    expect(sample(space, seeded(3), mask)).toMatchObject({ one: 3, many: [1, 0], flags: [1, 0, 1], pair: [1, {}] })
    expect(sample({ type: "Discrete", n: 4 }, seeded(3), [0, 0, 0, 0])).toBe(0)
  })

  it("draws what masks leave of lists, graphs and alternatives", () => {
    const bits: Space = { type: "Sequence", feature_space: { type: "Discrete", n: 3 } }
    expect(sample(bits, seeded(1), [5, [0, 1, 0]])).toEqual([1, 1, 1, 1, 1])
    expect(sample(bits, seeded(1), [[2], null])).toHaveLength(2)
    expect(sample(bits, seeded(1), [0, null])).toEqual([])
    expect(sample({ type: "Sequence", feature_space: bits }, seeded(1), [65_536, [65_536, null]])).toHaveLength(65_536)
    expect(
      sample({ type: "OneOf", subspaces: [{ type: "Discrete", n: 9 }] }, seeded(1), [[...Array(8).fill(0), 1]]),
    ).toEqual([0, 8])
    const drawn = sample({ ...graph, node_space: { type: "Discrete", n: 3 } }, seeded(1), [[0, 0, 1], null])
    expect(drawn).toMatchObject({ nodes: expect.not.arrayContaining([0, 1]) })
    const starting: Space = { type: "MultiDiscrete", nvec: [3, 3], start: [-5, 7] }
    expect(
      sample(starting, seeded(1), [
        [0, 0, 1],
        [0, 0, 0],
      ]),
    ).toEqual([-3, 7])
  })

  it("draws from the widest boxes", () => {
    for (const dtype of ["float64", "float32", "int64", "uint64", "int8"]) {
      const widest: Space = { type: "Box", dtype, shape: [50], low: "-Infinity", high: "Infinity" }
      expect(contains(widest, sample(widest, seeded(1)))).toBeUndefined()
    }
    const finite: Space = { type: "Box", dtype: "float64", shape: [50], low: -1.7e308, high: 1.7e308 }
    expect(contains(finite, sample(finite, seeded(1)))).toBeUndefined()
  })
})

describe("what is wrong with a space", () => {
  it.each<[unknown, ReadonlyArray<string>]>([
    [null, [": expected a space: an object with a type, found null"]],
    [[], [": expected a space: an object with a type, found an empty list"]],
    [
      { type: "Grid" },
      [
        '/type: expected one of Box, Discrete, MultiDiscrete, MultiBinary, Tuple, Dict, Text, Sequence, Graph, OneOf, found "Grid"',
      ],
    ],
    [
      { type: "Box", dtype: "bool", shape: [2], low: 0, high: [true, "Infinity"] },
      [
        "/low: expected false or true, since the dtype is bool, found 0",
        '/high/1: expected false or true, since the dtype is bool, found "Infinity"',
      ],
    ],
    [
      { type: "Box", dtype: "bool", shape: [], low: true, high: false },
      ["/low: expected a bound of at most high, which is false, found true"],
    ],
    [
      { type: "Box", dtype: "int8", shape: [], low: false, high: 1 },
      ['/low: expected a whole number of the dtype, "Infinity" or "-Infinity", found false'],
    ],
    [
      { type: "Discrete", n: 2, dtype: "bool" },
      ['/dtype: expected one of int8, int16, int32, int64, uint8, uint16, uint32, uint64, found "bool"'],
    ],
    [{ type: "MultiDiscrete", nvec: [2, 3], start: [0] }, ["/start: expected a list of 2, found a list of 1"]],
    [{ type: "MultiDiscrete", nvec: [2, 3], start: 1 }, ["/start: expected a list of 2, found 1"]],
    [{ type: "MultiDiscrete", nvec: [[2], [3]], start: [[0], 1] }, ["/start/1: expected a list of 1, found 1"]],
    [
      { type: "MultiDiscrete", nvec: [2], start: [0.5] },
      ["/start/0: expected the first of 2 whole numbers that int64 holds, found 0.5"],
    ],
    [
      { type: "MultiDiscrete", nvec: [2, 2], dtype: "uint8", start: [-1, 255] },
      [
        "/start/0: expected the first of 2 whole numbers that uint8 holds, found -1",
        "/start/1: expected the first of 2 whole numbers that uint8 holds, found 255",
      ],
    ],
    [
      { type: "MultiDiscrete", nvec: [2], start: [Number.MAX_SAFE_INTEGER] },
      ["/start/0: expected the first of 2 whole numbers that int64 holds, found 9007199254740991"],
    ],
    [{ type: "Sequence" }, ["/feature_space: expected a space: an object with a type, found nothing"]],
    [
      { type: "Sequence", feature_space: { type: "Sequence", feature_space: { type: "Discrete", n: 0 } }, stack: 1 },
      [
        "/feature_space/feature_space/n: expected a whole number of at least 1, found 0",
        "/stack: expected true or false, found 1",
      ],
    ],
    [
      { type: "Graph", edge_space: 3 },
      [
        "/node_space: expected a space: an object with a type, found nothing",
        "/edge_space: expected a space: an object with a type, found 3",
      ],
    ],
    [{ type: "OneOf", subspaces: [] }, ["/subspaces: expected a list of at least one space, found an empty list"]],
    [
      { type: "Box", dtype: "float", shape: [0], low: 0, high: 1, sahpe: [] },
      [
        "/sahpe: expected no such field (dtype, shape, low, high), found an empty list",
        '/dtype: expected one of float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64, bool, found "float"',
        "/shape: expected a list of whole numbers of at least 1, found 0",
      ],
    ],
    [
      { type: "Box", dtype: "float32", shape: [2, 1], low: [[0], ["x"]], high: [1, 2] },
      [
        '/low/1/0: expected a number of the dtype, "Infinity" or "-Infinity", found "x"',
        "/high/0: expected a list of 1, found 1",
        "/high/1: expected a list of 1, found 2",
      ],
    ],
    [
      { type: "Box", dtype: "float32", shape: [2], low: [0, 2], high: 1 },
      ["/low/1: expected a bound of at most high, which is 1, found 2"],
    ],
    [
      { type: "Box", dtype: "uint8", shape: [], low: -1, high: 256 },
      [
        '/low: expected a whole number of the dtype, "Infinity" or "-Infinity", found -1',
        '/high: expected a whole number of the dtype, "Infinity" or "-Infinity", found 256',
      ],
    ],
    [
      { type: "Box", dtype: "float64", shape: [], low: "Infinity", high: "Infinity" },
      ['/low: expected a bound of at most high, which is Infinity, found "Infinity"'],
    ],
    [
      { type: "Box", dtype: "int64", shape: [2 ** 21], low: 0, high: 1 },
      ["/shape: expected at most 1048576 numbers, found 2097152"],
    ],
    [{ type: "Discrete", n: 0 }, ["/n: expected a whole number of at least 1, found 0"]],
    [
      { type: "Discrete", n: 2, start: 0.5, dtype: "float32" },
      [
        "/start: expected a whole number, below 2^53 with n added, found 0.5",
        '/dtype: expected one of int8, int16, int32, int64, uint8, uint16, uint32, uint64, found "float32"',
      ],
    ],
    [{ type: "MultiDiscrete", nvec: [[2], [0]] }, ["/nvec/1/0: expected a whole number of at least 1, found 0"]],
    [{ type: "MultiDiscrete", nvec: [] }, ["/nvec: expected a list, or nested lists, of numbers, found an empty list"]],
    [{ type: "MultiDiscrete", nvec: [[2], 3] }, ["/nvec/1: expected a list of 1, found 3"]],
    [{ type: "MultiBinary", n: 0 }, ["/n: expected a whole number of at least 1, or a list of them, found 0"]],
    [{ type: "MultiBinary", n: [] }, ["/n: expected a whole number, or a list of them, found an empty list"]],
    [{ type: "Tuple", subspaces: [] }, ["/subspaces: expected a list of at least one space, found an empty list"]],
    [{ type: "Dict", subspaces: {} }, ["/subspaces: expected an object with at least one space, found an object"]],
    [
      { type: "Dict", subspaces: { "a/b": { type: "Tuple", subspaces: [{ type: "Discrete", n: -1 }, 3] } } },
      [
        "/subspaces/a~1b/subspaces/0/n: expected a whole number of at least 1, found -1",
        "/subspaces/a~1b/subspaces/1: expected a space: an object with a type, found 3",
      ],
    ],
    [
      { type: ["Box"], dtype: "float32", shape: [], low: 0, high: 1 },
      [
        "/type: expected one of Box, Discrete, MultiDiscrete, MultiBinary, Tuple, Dict, Text, Sequence, Graph, OneOf, found a list of 1",
      ],
    ],
    [{ type: "Text", max_length: 0 }, ["/max_length: expected a whole number from 1 to 1048576, found 0"]],
    [
      { type: "Text", min_length: 3, max_length: 2, charset: "" },
      [
        "/min_length: expected a whole number from 0 to max_length, which is 2, found 3",
        '/charset: expected text with the characters that may occur, found ""',
      ],
    ],
    [
      JSON.parse('{"type":"Dict","subspaces":{"__proto__":{"type":"Discrete","n":1}}}'),
      ['/subspaces: expected keys of whole characters other than "__proto__", found "__proto__"'],
    ],
  ])("is said with its place: %j", (space, expected) => {
    expect(flaws(space).map(({ path, message }) => `${path}: ${message}`)).toEqual(expected)
    expect(isSpace(space)).toBe(false)
  })

  it("is found in any JSON without throwing, with the same answer from the schema", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          fc.record(
            {
              type: fc.constantFrom(...TYPES),
              dtype: fc.constantFrom("float32", "int8", "bool"),
              start: fc.jsonValue(),
              feature_space: fc.jsonValue(),
              node_space: fc.jsonValue(),
              edge_space: fc.jsonValue(),
              shape: fc.jsonValue(),
              low: fc.jsonValue(),
              n: fc.jsonValue(),
              nvec: fc.jsonValue(),
              subspaces: fc.jsonValue(),
              max_length: fc.jsonValue(),
            },
            { requiredKeys: ["type"] },
          ),
        ),
        (value) => {
          const found = flaws(value)
          const decoded = Schema.decodeUnknownEither(SpaceSchema, { errors: "all" })(value)
          expect(Either.isRight(decoded)).toBe(found.length === 0)
          if (Either.isLeft(decoded))
            expect(issuesOf(decoded.left.issue).map(({ keys, expected }) => [keys.length, expected])).toEqual(
              found.map(({ path, expected }) => [path.split("/").length - 1, expected]),
            )
        },
      ),
    )
  })

  it("is bounded in depth, size and number", () => {
    let deep: Space = { type: "Discrete", n: 1 }
    for (let level = 0; level < 100_000; level++) deep = { type: "Tuple", subspaces: [deep] }
    expect(flaws(deep)).toMatchObject([{ expected: "at most 16 levels and 1024 spaces" }])
    const wide = { type: "Tuple", subspaces: Array.from({ length: 5000 }, () => ({ type: "Discrete", n: 1 })) }
    expect(flaws(wide)).toMatchObject([{ path: "/subspaces/1023" }])
    const wrong = { type: "Tuple", subspaces: Array.from({ length: 500 }, () => ({ type: "Discrete", n: 0 })) }
    expect(flaws(wrong)).toHaveLength(50)
    let nested: unknown = 2
    for (let level = 0; level < 100_000; level++) nested = [nested]
    expect(flaws({ type: "MultiDiscrete", nvec: nested })).toHaveLength(1)
  })
})

describe("a flattened value", () => {
  const flattened = golden.cases.flatMap(({ space, values }) =>
    values.flatMap((given) => ("flat" in given ? [{ space: space as Space, ...given }] : [])),
  )

  it("is Gymnasium's", () => {
    expect(new Set(flattened.map(({ space }) => space.type)).size).toBe(8)
    for (const { space, value, flat, flatdim: dimension } of flattened) {
      expect(flatten(space, value as Json), JSON.stringify([space, value])).toEqual(flat)
      expect(flatdim(space) ?? null).toBe(dimension)
    }
  })

  it("of a space of a fixed size has as many numbers as it says", () => {
    fc.assert(
      fc.property(spaces, fc.maxSafeNat(), (space, seed) => {
        const flat = flatten(space, sample(space, seeded(seed)))
        const dimension = flatdim(space)
        if (dimension !== undefined) {
          expect(flat).toHaveLength(dimension)
          expect((flat as ReadonlyArray<unknown>).every((one) => typeof one === "number")).toBe(true)
        }
      }),
    )
  })

  it("of a text without a charset has its code points", () => {
    expect(flatten({ type: "Text", max_length: 3 }, "aü")).toEqual([97, 252, -1])
  })
})
