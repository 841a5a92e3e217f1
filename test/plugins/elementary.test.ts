/** The elementary functions of worlds, held to `test/golden/elementary.json`, which says where its numbers come from. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { elementary } from "../../src/plugins/elementary/Elementary.ts"
import golden from "../golden/elementary.json" with { type: "json" }

type Function = (...values: ReadonlyArray<number>) => number

const named = (name: string): Function => Reflect.get(elementary, name)

/** JSON has no infinities: they are text there. */
const numbers = (row: ReadonlyArray<unknown>): ReadonlyArray<number> => row.map(Number)

const { about: _, ...tables } = golden

describe("the elementary functions", () => {
  it.each(Object.entries(tables))("%s returns the expected bits", (name, rows) => {
    const found = rows.map((row) => [...numbers(row).slice(0, -1), named(name)(...numbers(row).slice(0, -1))])
    expect(found).toEqual(rows.map(numbers))
  })

  it("has no other functions than those that are held to golden numbers", () => {
    expect(Object.keys(elementary).sort()).toEqual(Object.keys(tables).sort())
  })

  it("cannot be changed by a plugin", () => {
    expect(() => Object.assign(elementary, { sin: () => 0 })).toThrow(TypeError)
  })

  it.each(Object.keys(tables).filter((name) => !["pow", "atan2", "hypot"].includes(name)))(
    "%s treats zeros, infinities and what is no number as IEEE 754 does",
    (name) => {
      // `Math` is exact here, and its own function elsewhere differs in the last bit at most.
      for (const x of [0, -0, Infinity, -Infinity, Number.NaN, 5e-324, -5e-324])
        expect([x, named(name)(x)]).toEqual([x, Reflect.get(Math, name)(x)])
    },
  )

  it.each(["pow", "atan2", "hypot"])("%s treats zeros, infinities and what is no number as IEEE 754 does", (name) => {
    const edges = [0, -0, 1, -1, 2, -2, 3, -3, 0.5, -0.5, Infinity, -Infinity, Number.NaN]
    for (const x of edges)
      for (const y of edges) {
        // C and Python say that pow(1, y) and pow(-1, ±∞) are 1, unlike JavaScript.
        const expected =
          name === "pow" && (x === 1 || (x === -1 && Math.abs(y) === Infinity)) ? 1 : Reflect.get(Math, name)(x, y)
        const found = named(name)(x, y)
        const isLastBit = Math.abs(found - expected) < 1e-15 * Math.abs(expected)
        expect([x, y, isLastBit ? expected : found]).toEqual([x, y, expected])
      }
  })

  it.each(Object.keys(tables))("%s is within a few last bits of the engine's own function", (name) => {
    fc.assert(
      fc.property(fc.double(), fc.double(), (x, y) => {
        const [found, own] = [named(name)(x, y), Reflect.get(Math, name)(x, y)]
        const hasOwnRule = name === "pow" && (x === 1 || x === -1)
        expect(hasOwnRule || Object.is(found, own) || Math.abs(found - own) <= Math.abs(own) * 2e-15 + 1e-323).toBe(
          true,
        )
      }),
    )
  })

  it("has sines and cosines whose squares sum up to 1, and that are odd and even", () => {
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), (x) => {
        const [sine, cosine] = [elementary.sin(x), elementary.cos(x)]
        expect(Math.abs(sine * sine + cosine * cosine - 1)).toBeLessThan(4e-16)
        expect(elementary.sin(-x) + sine).toBe(0)
        expect(elementary.cos(-x)).toBe(cosine)
      }),
    )
  })
})
