import assert from "node:assert/strict"
import { Either } from "effect"
import * as fc from "fast-check"
import { applyPatch, type Operation } from "rfc6902"
import { describe, expect, it } from "vitest"
import type { Json } from "../../src/events/Json.ts"
import type { PatchOperation } from "../../src/events/vocabulary/Sensing.ts"
import * as JsonPatch from "../../src/projections/JsonPatch.ts"
import { json } from "./arbitraryEvents.ts"
import { deepFreeze } from "./given.ts"

const { value } = json
const patched = (document: Json | undefined, patch: ReadonlyArray<PatchOperation>) =>
  Either.getOrThrow(JsonPatch.apply(deepFreeze(document), patch))
const misfit = (document: Json | undefined, patch: ReadonlyArray<PatchOperation>) =>
  Either.getOrThrow(Either.flip(JsonPatch.apply(document, patch)))

describe("applying a patch", () => {
  it("adds, replaces and removes members of objects", () => {
    const document = { a: 1, b: { c: 2 } }
    expect(patched(document, [{ op: "add", path: "/d", value: [] }])).toEqual({ a: 1, b: { c: 2 }, d: [] })
    expect(patched(document, [{ op: "replace", path: "/b/c", value: 3 }])).toEqual({ a: 1, b: { c: 3 } })
    expect(patched(document, [{ op: "remove", path: "/b" }])).toEqual({ a: 1 })
  })

  it("inserts into, replaces in and removes from lists", () => {
    expect(patched([1, 2], [{ op: "add", path: "/1", value: 9 }])).toEqual([1, 9, 2])
    expect(patched([1, 2], [{ op: "add", path: "/-", value: 9 }])).toEqual([1, 2, 9])
    expect(patched([1, 2], [{ op: "replace", path: "/1", value: 9 }])).toEqual([1, 9])
    expect(patched([1, 2], [{ op: "remove", path: "/0" }])).toEqual([2])
  })

  it("sets, replaces and removes the whole document", () => {
    expect(patched(undefined, [{ op: "add", path: "", value: 1 }])).toBe(1)
    expect(patched(1, [{ op: "replace", path: "", value: null }])).toBe(null)
    expect(patched(1, [{ op: "remove", path: "" }])).toBe(undefined)
  })

  it("shares with the document what it does not touch", () => {
    const document = { a: { b: [1, 2] }, c: { d: 1 } }
    const after = patched(document, [{ op: "replace", path: "/c/d", value: 2 }]) as typeof document
    expect(after.a).toBe(document.a)
  })

  it("takes keys that objects inherit for keys like any other", () => {
    const after = patched({}, [{ op: "add", path: "/__proto__", value: { polluted: true } }])
    expect(JSON.stringify(after)).toBe('{"__proto__":{"polluted":true}}')
    expect(Object.getPrototypeOf(after)).toBe(Object.prototype)
    expect(misfit({}, [{ op: "remove", path: "/toString" }]).reason).toBe("there is nothing at this path")
  })

  it.each<[string, Json | undefined, PatchOperation, string]>([
    ["a missing member", { a: 1 }, { op: "replace", path: "/b", value: 1 }, "there is nothing at this path"],
    ["a missing parent", {}, { op: "add", path: "/a/b", value: 1 }, 'there is no object or list to hold "b"'],
    [
      "a parent that holds nothing",
      { a: 1 },
      { op: "add", path: "/a/b", value: 1 },
      'there is no object or list to hold "b"',
    ],
    ["no document", undefined, { op: "replace", path: "", value: 1 }, "there is nothing at this path"],
    ["a place past the end", [1], { op: "add", path: "/2", value: 1 }, '"2" is no place in a list of 1'],
    ["the place after the last", [1], { op: "remove", path: "/-" }, '"-" is no place in a list of 1'],
    ["a leading zero", [1, 2], { op: "replace", path: "/01", value: 1 }, '"01" is no place in a list of 2'],
    ["a list's length", [1], { op: "replace", path: "/length", value: 0 }, '"length" is no place in a list of 1'],
    [
      "a path that is no pointer",
      { a: 1 },
      { op: "remove", path: "a" },
      "expected a JSON Pointer, which begins with /",
    ],
  ])("refuses %s", (_what, document, operation, reason) => {
    expect(misfit(document, [operation])).toMatchObject({ path: operation.path, reason })
  })

  it("names the operation that did not fit", () => {
    const patch: ReadonlyArray<PatchOperation> = [
      { op: "add", path: "/a", value: 1 },
      { op: "remove", path: "/b" },
    ]
    expect(misfit({}, patch).path).toBe("/b")
  })
})

describe("the patch between two documents", () => {
  it("makes the one into the other", () => {
    fc.assert(
      fc.property(value, value, (before, after) => {
        assert.deepStrictEqual(patched(before, JsonPatch.between(before, after)), after)
      }),
    )
  })

  it("makes the one into the other by another library's hand too", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: true }), fc.jsonValue(), (a, b) => {
        // That library refuses such keys, and takes -0 for another number.
        const [before, after] = [a, b].map((each) =>
          JSON.parse(JSON.stringify(each).replaceAll(/__proto__|constructor|prototype/g, "refused")),
        )
        const holder = { root: before }
        const patch = JsonPatch.between(before, after).map((each) => ({ ...each, path: `/root${each.path}` }))
        const errors = applyPatch(holder, structuredClone(patch) as Array<Operation>)
        expect(errors.filter((error) => error !== null)).toEqual([])
        assert.deepStrictEqual(holder.root, after)
      }),
    )
  })

  it("is empty exactly between equal documents", () => {
    fc.assert(
      fc.property(value, value, (before, after) => {
        expect(JsonPatch.between(before, after).length === 0).toBe(JsonPatch.equal(before, after))
        expect(JsonPatch.between(before, structuredClone(before))).toEqual([])
      }),
    )
  })

  it("compares lists of one length place by place", () => {
    expect(JsonPatch.between({ list: [1, 2, 3] }, { list: [2, 3, 4] })).toEqual([
      { op: "replace", path: "/list/0", value: 2 },
      { op: "replace", path: "/list/1", value: 3 },
      { op: "replace", path: "/list/2", value: 4 },
    ])
  })

  it("finds the fewest operations between short lists of different length", () => {
    expect(JsonPatch.between([1, 2, 3], [2, 3])).toEqual([{ op: "remove", path: "/0" }])
  })

  it("takes long lists place by place rather than for ever", () => {
    const before = Array.from({ length: 3_000 }, (_, index) => index)
    const after = [...before.slice(1), "new", "newer"]
    assert.deepStrictEqual(patched(before, JsonPatch.between(before, after)), after)
  })
})
