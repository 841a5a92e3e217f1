import assert from "node:assert/strict"
import { Either } from "effect"
import * as fc from "fast-check"
import { applyPatch, type Operation } from "rfc6902"
import { describe, expect, it } from "vitest"
import type { PatchOperation } from "../../src/events/vocabulary/Sensing.ts"
import * as JsonPatch from "../../src/projections/patch/JsonPatch.ts"
import type { Json } from "../../src/values/Json.ts"
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

/** Documents that are much alike, under keys that are hard to write in a path. */
const alike = fc.letrec<{ node: Json }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(0, 1, "a", null, false),
    fc.array(tie("node"), { maxLength: 5 }),
    fc
      .array(fc.tuple(fc.constantFrom("__proto__", "constructor", "", "a/b", "~", "~1", "0", "-", "a"), tie("node")), {
        maxLength: 4,
      })
      .map((entries): Json => Object.fromEntries(entries)),
  ),
})).node

/** The value, and how many items and members have been read from it so far. */
const watched = (value: Json) => {
  const seen = { reads: 0 }
  const watch = (part: Json): Json => {
    if (typeof part !== "object" || part === null) return part
    const inside = JsonPatch.isArray(part)
      ? part.map(watch)
      : Object.fromEntries(Object.entries(part).map(([key, each]) => [key, watch(each)]))
    return new Proxy(inside, {
      get: (target, key, self) => {
        seen.reads++
        return Reflect.get(target, key, self)
      },
    })
  }
  return { value: watch(value), seen }
}

const list = <Item>(length: number, item: (index: number) => Item) => Array.from({ length }, (_, index) => item(index))
const grid = (size: number, shift: number) =>
  list(size, (row) => list(size, (column) => (row * 31 + column * 17 + shift) % 97))

describe("the patch between two documents", () => {
  it("makes the one into the other", () => {
    fc.assert(
      fc.property(value, value, (before, after) => {
        assert.deepStrictEqual(patched(before, JsonPatch.diff(before, after)), after)
      }),
    )
  })

  it("makes the one into the other where they are much alike, whatever the keys, and changes neither", () => {
    fc.assert(
      fc.property(alike, alike, (before, after) => {
        const patch = JsonPatch.diff(deepFreeze(before), deepFreeze(after))
        assert.deepStrictEqual(patched(before, patch), after)
      }),
      { numRuns: 1_000 },
    )
  })

  it("is one operation where one item of a list is removed, and where one is inserted", () => {
    const items = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(items, fc.nat(), (whole, at) => {
        const index = at % whole.length
        const path = `/list/${index}`
        const without = whole.toSpliced(index, 1)
        expect(JsonPatch.diff({ list: whole }, { list: without })).toEqual([{ op: "remove", path }])
        expect(JsonPatch.diff({ list: without }, { list: whole })).toEqual([{ op: "add", path, value: whole[index] }])
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
        const patch = JsonPatch.diff(before, after).map((each) => ({ ...each, path: `/root${each.path}` }))
        const errors = applyPatch(holder, structuredClone(patch) as Array<Operation>)
        expect(errors.filter((error) => error !== null)).toEqual([])
        assert.deepStrictEqual(holder.root, after)
      }),
    )
  })

  it("is empty exactly between equal documents", () => {
    fc.assert(
      fc.property(value, value, (before, after) => {
        expect(JsonPatch.diff(before, after).length === 0).toBe(JsonPatch.equal(before, after))
        expect(JsonPatch.diff(before, structuredClone(before))).toEqual([])
      }),
    )
  })

  it("compares lists of one length place by place", () => {
    expect(JsonPatch.diff({ list: [1, 2, 3] }, { list: [2, 3, 4] })).toEqual([
      { op: "replace", path: "/list/0", value: 2 },
      { op: "replace", path: "/list/1", value: 3 },
      { op: "replace", path: "/list/2", value: 4 },
    ])
  })

  it("finds the fewest operations between short lists of different length", () => {
    expect(JsonPatch.diff([1, 2, 3], [2, 3])).toEqual([{ op: "remove", path: "/0" }])
  })

  it("changes what lies between what two lists have in common", () => {
    const room = (name: string, lit: boolean) => ({ name, lit })
    const before = [room("hall", true), room("attic", false), room("cellar", false)]
    const after = [room("hall", true), room("study", true), room("attic", true), room("cellar", false)]
    expect(JsonPatch.diff(before, [...before, room("study", true)])).toEqual([
      { op: "add", path: "/3", value: room("study", true) },
    ])
    expect(patched(before, JsonPatch.diff(before, after))).toEqual(after)
  })

  it("takes long lists place by place rather than for ever", () => {
    const before = list(3_000, (index) => index)
    const after = [...before.slice(1), "new", "newer"]
    assert.deepStrictEqual(patched(before, JsonPatch.diff(before, after)), after)
  })

  it.each([
    ["a grid of 40 × 40 that grows", grid(40, 0), grid(41, 1)],
    ["a grid of 100 × 100 that grows", grid(100, 0), grid(101, 1)],
    ["a cube that grows", list(12, (plane) => grid(12, plane)), list(13, (plane) => grid(13, plane + 1))],
    [
      "long items that differ in their last place",
      list(60, (index) => list(500, (place) => (place === 499 ? index : 0))),
      list(61, (index) => list(500, (place) => (place === 499 ? index + 100 : 0))),
    ],
    [
      "wide items that differ in their last place",
      list(60, (index) => Object.fromEntries(list(500, (key) => [String(key), key === 499 ? index : 0]))),
      list(61, (index) => Object.fromEntries(list(500, (key) => [String(key), key === 499 ? index + 100 : 0]))),
    ],
    [
      "lists within lists that all grow",
      list<Json>(100, () => 0).reduce((inside: Json) => [inside, ...list(100, () => 0)], 0),
      list<Json>(100, () => 0).reduce((inside: Json) => [inside, ...list(101, () => 1)], 0),
    ],
  ])("costs a bounded number of comparisons: %s", (_what, before: Json, after: Json) => {
    const from = watched({ before })
    const patch = JsonPatch.diff(from.value, { before: after })
    expect(from.seen.reads).toBeLessThan(1_000_000)
    expect(patch.length).toBeLessThanOrEqual(10_000)
    assert.deepStrictEqual(patched({ before }, patch), { before: after })
  })

  it("gives the new value where a long patch would say more than that", () => {
    const rows = grid(100, 1)
    expect(JsonPatch.diff({ at: 1, rows: grid(100, 0) }, { at: 2, rows })).toEqual([
      { op: "replace", path: "/at", value: 2 },
      { op: "replace", path: "/rows", value: rows },
    ])
    const members = (value: number) => Object.fromEntries(list(200_000, (key) => [`key ${key}`, value]))
    const after = { inside: { members: members(1) } }
    expect(JsonPatch.diff({ inside: { members: members(0) } }, after)).toEqual([
      { op: "replace", path: "/inside/members", value: after.inside.members },
    ])
    const long = "k".repeat(100_000)
    expect(JsonPatch.diff({ [long]: list(100, () => 0) }, { [long]: list(100, () => 1) })).toHaveLength(1)
  })

  it("is applied with one copy of each object and list, however many operations change it", () => {
    const before = { wide: Object.fromEntries(list(20_000, (key) => [`key ${key}`, "x".repeat(100)])) }
    const after = { wide: { ...before.wide, ...Object.fromEntries(list(5_000, (key) => [`key ${key}`, "y"])) } }
    const patch = JsonPatch.diff(before, after)
    expect(patch).toHaveLength(5_000)
    const { value, seen } = watched(before)
    assert.deepStrictEqual(Either.getOrThrow(JsonPatch.apply(value, patch)), after)
    expect(seen.reads).toBeLessThan(40_000)
    expect(before.wide["key 0"]).toBe("x".repeat(100))
  })
})
