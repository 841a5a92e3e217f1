/** Arbitrary spaces, for properties. */

import * as fc from "fast-check"
import type { Bound, Space } from "../../../src/plugins/author.ts"

const bound = (side: "Infinity" | "-Infinity", numbers: fc.Arbitrary<number>): fc.Arbitrary<Bound> =>
  fc.oneof({ weight: 4, arbitrary: numbers }, { weight: 1, arbitrary: fc.constant(side) })

const below = fc.integer({ min: -100, max: 0 })
const above = fc.integer({ min: 1, max: 100 })
const fraction = fc.double({ min: 0, max: 0.999, noNaN: true })

const box: fc.Arbitrary<Space> = fc
  .record({
    dtype: fc.constantFrom("float32", "float64", "int64", "int8"),
    shape: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
    uniform: fc.boolean(),
  })
  .chain(({ dtype, shape, uniform }) => {
    const shift = dtype.startsWith("int") ? fc.constant(0) : fraction
    const numbers = (whole: fc.Arbitrary<number>) => fc.tuple(whole, shift).map(([number, part]) => number - part)
    const high = numbers(above.map((number) => number + (dtype.startsWith("int") ? 0 : 1)))
    const nested = (cell: fc.Arbitrary<Bound>, [length, ...rest]: ReadonlyArray<number>): fc.Arbitrary<never> =>
      (length === undefined
        ? cell
        : fc.array(nested(cell, rest), { minLength: length, maxLength: length })) as fc.Arbitrary<never>
    return fc.record({
      type: fc.constant("Box" as const),
      dtype: fc.constant(dtype),
      shape: fc.constant(shape),
      low: nested(bound("-Infinity", numbers(below)), uniform ? [] : shape),
      high: nested(bound("Infinity", high), uniform ? [] : shape),
    })
  })

const flags: fc.Arbitrary<Space> = fc
  .boolean()
  .chain((sure) =>
    fc.constantFrom<Space>(
      { type: "Box", dtype: "bool", shape: [], low: sure, high: true },
      { type: "Box", dtype: "bool", shape: [2], low: [false, sure], high: [sure, true] },
    ),
  )

const counts = fc.integer({ min: 1, max: 5 })
const starts = fc.integer({ min: -9, max: 9 })

/** Any space of up to four levels, with graphs or without. */
const spacesWith = (graphs: boolean): fc.Arbitrary<Space> =>
  fc.letrec<{ space: Space }>((tie) => ({
    space: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      box,
      flags,
      fc.record({ type: fc.constant("Discrete" as const), n: counts, start: fc.integer({ min: -9, max: 9 }) }),
      fc.record({
        type: fc.constant("MultiDiscrete" as const),
        nvec: fc.oneof(
          fc.array(counts, { minLength: 1, maxLength: 4 }),
          fc.tuple(counts, counts).map((row) => [row, row]),
        ),
      }),
      fc.array(fc.tuple(counts, starts), { minLength: 1, maxLength: 4 }).map(
        (pairs): Space => ({
          type: "MultiDiscrete",
          nvec: pairs.map(([count]) => count),
          start: pairs.map(([, start]) => start),
        }),
      ),
      fc.record({
        type: fc.constant("MultiBinary" as const),
        n: fc.oneof(counts, fc.array(counts, { minLength: 1, maxLength: 3 })),
      }),
      fc
        .record({
          charset: fc.option(fc.string({ minLength: 1, unit: "binary" }), { nil: undefined }),
          least: fc.integer({ min: 0, max: 3 }),
          more: counts,
        })
        .map(
          ({ charset, least, more }): Space => ({
            type: "Text",
            min_length: least,
            max_length: least + more,
            ...(charset === undefined ? {} : { charset }),
          }),
        ),
      fc.record({
        type: fc.constant("Tuple" as const),
        subspaces: fc.array(tie("space"), { minLength: 1, maxLength: 3 }),
      }),
      fc.record({
        type: fc.constant("Dict" as const),
        subspaces: fc.dictionary(
          fc.string().filter((key) => key !== "__proto__"),
          tie("space"),
          { minKeys: 1, maxKeys: 3, noNullPrototype: true },
        ),
      }),
      fc.record(
        { type: fc.constant("Sequence" as const), feature_space: tie("space"), stack: fc.boolean() },
        { requiredKeys: ["type", "feature_space"] },
      ),
      fc.record({
        type: fc.constant("OneOf" as const),
        subspaces: fc.array(tie("space"), { minLength: 1, maxLength: 3 }),
      }),
      ...(graphs
        ? [
            fc.record(
              { type: fc.constant("Graph" as const), node_space: tie("space"), edge_space: fc.option(tie("space")) },
              { requiredKeys: ["type", "node_space"] },
            ),
          ]
        : []),
    ),
  })).space

export const spaces = spacesWith(true)

/** Of their values, a JSON Schema can say everything. */
export const spacesWithoutGraphs = spacesWith(false)
