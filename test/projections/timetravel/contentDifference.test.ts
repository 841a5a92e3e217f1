import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import { between } from "../../../src/projections/timetravel/alignment/ContentDifference.ts"
import type { Json, JsonObject } from "../../../src/values/Json.ts"
import { event, place, type Unplaced } from "../given.ts"
import { read } from "../onLog.ts"

const placed = (one: Unplaced): Event => {
  const [found] = place([one])
  if (found === undefined) throw new Error("expected an event, found none")
  return found
}

const of = (a: Json, b: Json) => between(placed(read(a)), placed(read(b)))

const side = (parts: ReadonlyArray<{ readonly mark: string; readonly text: string }>, mark: "-" | "+"): string =>
  parts.flatMap((part) => (part.mark === " " || part.mark === mark ? [part.text] : [])).join("")

describe("what differs between two events", () => {
  it("is named by path, with the words that differ, where a replaced phrase is one edit", () => {
    expect(
      of(
        { note: "The comment says from ten pieces on.", same: 1 },
        { note: "The test expects ten pieces on.", same: 1 },
      ),
    ).toEqual({
      more: 0,
      shown: [
        {
          path: "/reading/note",
          kind: "changed",
          parts: [
            { mark: " ", text: "The " },
            { mark: "-", text: "comment says from " },
            { mark: "+", text: "test expects " },
            { mark: " ", text: "ten pieces on." },
          ],
        },
      ],
    })
  })

  it("is added, removed or another value, and nothing that differs between any two runs", () => {
    const result = (latencyMs: number, value: Json): Event =>
      placed(event("CommandSucceeded", { commandId: String(latencyMs), result: value, latencyMs }))
    expect(between(result(1, { ok: true, old: 1 }), result(2, { ok: false, new: [2] })).shown).toEqual([
      { path: "/result/old", kind: "removed", parts: [{ mark: "-", text: "1" }] },
      { path: "/result/new", kind: "added", parts: [{ mark: "+", text: "[2]" }] },
      {
        path: "/result/ok",
        kind: "changed",
        parts: [
          { mark: "-", text: "true" },
          { mark: "+", text: "false" },
        ],
      },
    ])
    expect(between(result(1, 5), result(2, 5))).toEqual({ shown: [], more: 0 })
  })

  it("is short and free of hidden characters, however long and hostile the two are", () => {
    const evil = "\u202eevil\n\u0000\u200b "
    const wide = (value: string): JsonObject =>
      Object.fromEntries(Array.from({ length: 50 }, (_, key) => [`${evil}${key}`, value]))
    const hostile = [
      of(`${"word ".repeat(3_000)}one`, `${"word ".repeat(3_000)}two`),
      of(evil.repeat(100_000), "x".repeat(1_000_000)),
      of(wide(evil), wide("other")),
      of(JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 2}')),
    ]
    for (const found of hostile) {
      expect(JSON.stringify(found).length).toBeLessThan(20_000)
      const texts = found.shown.flatMap(({ path, parts }) => [path, ...parts.map(({ text }) => text)])
      for (const text of texts) expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      expect(found.shown.length).toBeGreaterThan(0)
    }
    expect(hostile[2]?.more).toBe(38)
    expect(side(hostile[0]?.shown[0]?.parts ?? [], "+")).toMatch(/^….*word two$/)
  })

  it("contains all words of both texts, if they are short", () => {
    const words = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 8 }).map((all) => all.join(" "))
    fc.assert(
      fc.property(words, words, (a, b) => {
        fc.pre(a !== b)
        const [place] = of(a, b).shown
        const spaces = / +/g
        expect(side(place?.parts ?? [], "-").replaceAll(spaces, "")).toBe(a.replaceAll(spaces, ""))
        expect(side(place?.parts ?? [], "+").replaceAll(spaces, "")).toBe(b.replaceAll(spaces, ""))
      }),
    )
  })
})
