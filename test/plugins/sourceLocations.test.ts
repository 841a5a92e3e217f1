import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sourceLocationsOf, syntaxErrorLocation } from "../../src/plugins/manifest/sourceLocations.ts"
import { type Json, pointerToken } from "../../src/values/Json.ts"

/** The text from a place on. */
const from = (text: string, { line, column }: { readonly line: number; readonly column: number }) =>
  text
    .split("\n")
    .slice(line - 1)
    .join("\n")
    .slice(column - 1)

describe("places in a JSON text", () => {
  it("a field is where its name is, an item where its value is", () => {
    const text = '{\n  "a": [1,\n    {"b~/": null}],\n "": "x"}'
    const { of } = sourceLocationsOf(text)
    expect(of("")).toEqual({ line: 1, column: 1 })
    expect(of("/a")).toEqual({ line: 2, column: 3 })
    expect(of("/a/0")).toEqual({ line: 2, column: 9 })
    expect(of("/a/1")).toEqual({ line: 3, column: 5 })
    expect(of("/a/1/b~0~1")).toEqual({ line: 3, column: 6 })
    expect(of("/")).toEqual({ line: 4, column: 2 })
  })

  it("what is not there is where the part around it is", () => {
    const { of } = sourceLocationsOf('{"a": {\n"b": [1]}}')
    expect(of("/a/c")).toEqual({ line: 1, column: 2 })
    expect(of("/a/b/7/x")).toEqual({ line: 2, column: 1 })
    expect(of("/z")).toEqual({ line: 1, column: 1 })
  })

  it("of a name that stands twice the later place counts, and the earlier one is told", () => {
    const { of, overridden } = sourceLocationsOf('{"a": 1,\n"\\u0061": {"a": 2}}')
    expect(of("/a")).toEqual({ line: 2, column: 1 })
    expect(overridden).toEqual([{ pointer: "/a", place: { line: 1, column: 2 } }])
  })

  it("property: whatever the document, each part of it stands where its place says", () => {
    const parts = (value: Json, pointer = ""): ReadonlyArray<readonly [string, string]> => {
      if (typeof value !== "object" || value === null) return []
      const entries = Object.entries(value)
      return entries.flatMap(([key, inner]) => {
        const inside = `${pointer}/${pointerToken(key)}`
        const start = Array.isArray(value) ? JSON.stringify(inner, null, 1).split("\n")[0] : JSON.stringify(key)
        return [[inside, start ?? ""] as const, ...parts(inner, inside)]
      })
    }
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // As it reads back: a number may be written in another way, and `-0` loses its sign.
        const document: Json = JSON.parse(JSON.stringify(value))
        const text = JSON.stringify(document, null, 1)
        const places = sourceLocationsOf(text)
        for (const [pointer, start] of parts(document))
          expect(from(text, places.of(pointer)).startsWith(start)).toBe(true)
        expect(places.overridden).toEqual([])
      }),
    )
  })

  it("deep nesting costs no stack", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000)
    expect(sourceLocationsOf(deep).of("/0/0")).toEqual({ line: 1, column: 3 })
  })
})

describe("where a text stops being JSON", () => {
  it.each([
    ['{\n "a" 1}', 2, 6],
    ['{\n "a": b}', 2, 7],
    ['{\n "a": 1,\n}', 3, 1],
    ['{\n "a": [1 2]}', 2, 10],
    ['{\n "a": tru', 2, 7],
    ["{\n", 2, 1],
    ["", 1, 1],
  ])("%j: line %i, column %i", (text, line, column) => {
    expect(syntaxErrorLocation(text, messageOf(text))).toEqual({ line, column })
  })
})

const messageOf = (text: string): string => {
  try {
    JSON.parse(text)
    return "it is JSON"
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}
