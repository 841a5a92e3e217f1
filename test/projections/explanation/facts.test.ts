import { describe, expect, it } from "vitest"
import * as Facts from "../../../src/projections/explanation/Facts.ts"
import * as Identifiers from "../../../src/projections/explanation/Identifiers.ts"
import type { Json } from "../../../src/values/Json.ts"

const deep = (levels: number, value: Json): Json => (levels === 0 ? value : { a: deep(levels - 1, value) })

const listed = (levels: number, value: Json): Json => (levels === 0 ? value : [listed(levels - 1, value)])

describe("the facts of a value", () => {
  it("are about the identifier among the members, or the one that is the key", () => {
    expect(Facts.of({ sku: "sku-77", price: 12, sold: false, note: null }, "a")).toEqual([
      { about: "sku-77", name: "price", value: 12 },
      { about: "sku-77", name: "sold", value: false },
      { about: "sku-77", name: "note", value: null },
    ])
    expect(Facts.of({ "sku-77": { price: 12 } }, "a")).toEqual([{ about: "sku-77", name: "price", value: 12 }])
    expect(Facts.of({ sku: "sku-77", more: { size: 3 } }, "a")).toEqual([{ about: "sku-77", name: "size", value: 3 }])
    expect(
      Facts.of(
        [
          { sku: "sku-1", left: 1 },
          { sku: "sku-2", left: 2 },
        ],
        "a",
      ).map(({ about }) => about),
    ).toEqual(["sku-1", "sku-2"])
  })

  it("are none without an identifier, of changing names, or of long texts", () => {
    expect(Facts.of({ price: 12 }, "a")).toEqual([])
    expect(Facts.of({ sku: "sku-77", updatedAt: 1, latency_ms: 2, requestId: "r", count: 3 }, "a")).toEqual([])
    const names = (text: string) => Facts.of({ sku: "sku-77", text }, "a").length
    expect([names("x".repeat(40)), names("x".repeat(41))]).toEqual([1, 0])
  })

  it("are none of other values", () => {
    for (const value of [null, 1, "sku-77", true, [], {}]) expect(Facts.of(value, "a")).toEqual([])
  })

  it("are limited in number and depth", () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`n${"a".repeat(index)}`, index]))
    expect(Facts.of({ sku: "sku-77", ...many }, "a")).toHaveLength(200)
    expect(
      Facts.of(
        [
          { sku: "sku-77", ...many },
          { sku: "sku-78", ...many },
        ],
        "a",
      ),
    ).toHaveLength(200)
    const fact = { sku: "sku-77", price: 1 }
    expect(Facts.of(listed(4, fact), "a")).toHaveLength(1)
    expect(Facts.of(listed(5, fact), "a")).toHaveLength(0)
    expect(Facts.of(deep(4, fact), "a")).toHaveLength(1)
    expect(Facts.of(deep(5, fact), "a")).toHaveLength(0)
  })
})

describe("a problem in a result", () => {
  it.each<readonly [Json, string]>([
    [{ error: "x" }, '"error": "x"'],
    [{ a: 1, warnings: ["late"] }, '"warnings": ["late"]'],
    [{ TRUNCATED: true }, '"TRUNCATED": true'],
    [{ timed_out: 1 }, '"timed_out": 1'],
    [{ ok: false }, '"ok": false'],
    [{ status: "failed" }, '"status": "failed"'],
    [{ state: "Not-Found" }, '"state": "Not-Found"'],
    [{ exitCode: 1 }, '"exitCode": 1'],
    [{ exit_code: -1 }, '"exit_code": -1'],
    [{ status: 400 }, '"status": 400'],
    [{ code: 503 }, '"code": 503'],
    [[{ fine: 1 }, { ok: false }], '"ok": false'],
    [{ a: { b: { c: { ok: false } } } }, '"ok": false'],
    [[[[{ ok: false }]]], '"ok": false'],
  ])("is found in %j", (value, found) => {
    expect(Facts.problemIn(value)).toBe(found)
  })

  it.each<readonly [Json]>([
    [null],
    [1],
    ["error"],
    [{ error: null }],
    [{ error: "" }],
    [{ errors: [] }],
    [{ errors: 0 }],
    [{ skipped: false }],
    [{ errorsSeen: "x" }],
    [{ ok: true }],
    [{ status: "done" }],
    [{ status: 399 }],
    [{ exit_code: 0 }],
    [{ found: 500 }],
    [{ said: "failed" }],
    [{ a: { b: { c: { d: { ok: false } } } } }],
    [[[[[{ ok: false }]]]]],
    [[...Array(50).fill({}), { ok: false }]],
  ])("is not found in %j", (value) => {
    expect(Facts.problemIn(value)).toBeUndefined()
  })
})

describe("an identifier", () => {
  it.each([
    ["A1", true],
    ["order-7", true],
    ["/etc/hosts", true],
    ["//", true],
    ["ada@x.org", true],
    ["a_b", true],
    ["ключ-7", true],
    ["word", false],
    ["77", false],
    ["-7", false],
    ["a 1", false],
    ["a", false],
    ["", false],
    [`a${"1".repeat(79)}`, true],
    [`a${"1".repeat(80)}`, false],
  ])("is %j: %s", (text, is) => {
    expect(Identifiers.isIdentifier(text)).toBe(is)
  })

  it("is found at some depth, and at most 32 are", () => {
    expect([...Identifiers.inValue({ a: ["x-1", { b: "y-2" }], c: "word", "key-3": 1, d: null })]).toEqual([
      "x-1",
      "y-2",
    ])
    expect(Identifiers.inValue(deep(6, "x-1")).size).toBe(1)
    expect(Identifiers.inValue(deep(7, "x-1")).size).toBe(0)
    expect(Identifiers.inValue(listed(7, "x-1")).size).toBe(0)
    expect(Identifiers.inValue(Array.from({ length: 100 }, (_, index) => `x-${index}`)).size).toBe(32)
  })
})
