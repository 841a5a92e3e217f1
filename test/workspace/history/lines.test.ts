import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as LineDiff from "../../../src/workspace/history/LineDiff.ts"
import { type Lines, LineTable } from "../../../src/workspace/history/LineTable.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const text = fc
  .array(
    fc.tuple(
      fc.constantFrom("", "a", "b", "}", "a b", "é", "\r", "a\r", "return 1"),
      fc.constantFrom("\n", "\n", "\n", "\r\n", ""),
    ),
    { maxLength: 12 },
  )
  .map((lines) => lines.flat().join(""))

/** Splits without regard to the text before. */
const split = (content: string): ReadonlyArray<string> => {
  if (content === "") return []
  const lines = content.split("\n")
  if (lines.at(-1) === "") lines.pop()
  const closed = content.endsWith("\n")
  return lines.map((line, index) => (index < lines.length - 1 || closed ? line.replace(/\r$/, "") : line))
}

describe("lines", () => {
  it("split like the whole text, whatever the text before was", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), (texts) => {
        const table = new LineTable()
        for (const one of texts)
          assert.deepEqual(
            Array.from(table.linesOf(bytes(one)), (line) => Buffer.from(table.bytesOf(line)).toString()),
            split(one),
          )
      }),
      { numRuns: 2000 },
    )
  })

  it("count a text of several chunks whole", () => {
    const table = new LineTable()
    const long = Array.from({ length: 5000 }, (_, line) => `line ${line}`)
    const first = table.linesOf(bytes(long.join("\n")))
    const second = table.linesOf(bytes([...long.slice(0, 2500), "new", ...long.slice(2500)].join("\n")))
    assert.strictEqual(first.length, 5000)
    assert.deepEqual(LineDiff.between(first, second).hunks, [
      { oldStart: 2500, oldEnd: 2500, newStart: 2500, newEnd: 2501 },
    ])
  })

  it("are the same with LF, CRLF and no end", () => {
    const table = new LineTable()
    assert.deepEqual(table.linesOf(bytes("a\r\nb\r\n")), table.linesOf(bytes("a\nb")))
  })

  it("differ where bytes that are no UTF-8 do", () => {
    const table = new LineTable()
    const lines = table.linesOf(Uint8Array.of(0xff, 0x0a, 0xfe, 0x0a))
    assert.notStrictEqual(lines[0], lines[1])
    assert.deepEqual([...table.bytesOf(lines[0] ?? -1)], [0xff])
  })
})

const lines = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 14 }).map((all) => Int32Array.from(all))

/** The length of the longest common subsequence, by the table of all prefixes. */
const commonLength = (one: Lines, other: Lines): number => {
  const best = Array.from({ length: one.length + 1 }, () => new Array<number>(other.length + 1).fill(0))
  const get = (row: number, column: number) => best[row]?.[column] ?? 0
  for (let row = 1; row <= one.length; row++)
    for (let column = 1; column <= other.length; column++) {
      const value =
        one[row - 1] === other[column - 1]
          ? get(row - 1, column - 1) + 1
          : Math.max(get(row - 1, column), get(row, column - 1))
      best[row]?.splice(column, 1, value)
    }
  return get(one.length, other.length)
}

describe("a line diff", () => {
  it("keeps equal lines, and as many as possible", () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const { hunks, isWhole } = LineDiff.between(before, after)
        assert.isTrue(isWhole)
        let [old, now, kept] = [0, 0, 0]
        const end = { oldStart: before.length, oldEnd: before.length, newStart: after.length, newEnd: after.length }
        for (const hunk of [...hunks, end]) {
          assert.deepEqual(before.slice(old, hunk.oldStart), after.slice(now, hunk.newStart))
          kept += hunk.oldStart - old
          old = hunk.oldEnd
          now = hunk.newEnd
        }
        assert.strictEqual(kept, commonLength(before, after))
      }),
      { numRuns: 2000 },
    )
  })

  it("takes the second of two equal blocks as the one that came in", () => {
    const table = new LineTable()
    const before = ["a() {", "}", "", "c() {", "}"]
    const after = ["a() {", "}", "", "b() {", "}", "", "c() {", "}"]
    const inserted = { oldStart: 4, oldEnd: 4, newStart: 4, newEnd: 7 }
    const hunksAfter = (one: string, other: string) =>
      LineDiff.between(table.numbersOf([one, ...before]), table.numbersOf([other, ...after])).hunks
    assert.deepEqual(hunksAfter("same", "same"), [inserted])
    assert.deepInclude(hunksAfter("before", "after"), inserted)
  })

  it("says that texts differ too much to be aligned", () => {
    const before = Int32Array.from({ length: 3000 }, (_, index) => index)
    const after = Int32Array.from(before).reverse()
    const { hunks, isWhole } = LineDiff.between(before, after)
    assert.isFalse(isWhole)
    assert.deepEqual(hunks, [{ oldStart: 0, oldEnd: 3000, newStart: 0, newEnd: 3000 }])
  })

  it("compares large texts without a common line", () => {
    const before = Int32Array.from({ length: 500_000 }, (_, index) => index)
    const after = Int32Array.from({ length: 500_000 }, (_, index) => 1_000_000 + index)
    assert.isTrue(LineDiff.between(before, after).isWhole)
  })
})
