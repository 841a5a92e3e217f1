import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as UnifiedDiff from "../../../src/workspace/history/UnifiedDiff.ts"
import * as WordDiff from "../../../src/workspace/history/WordDiff.ts"

const MARKS = {
  " ": (text: string) => text,
  "-": (text: string) => `[-${text}-]`,
  "+": (text: string) => `{+${text}+}`,
}

const rows = (before: string, after: string) =>
  UnifiedDiff.between(Buffer.from(before), Buffer.from(after)).hunks.flatMap(({ lines }) => WordDiff.ofLines(lines))

const words = (before: string, after: string) =>
  rows(before, after).map((parts) => parts.map(({ mark, text }) => MARKS[mark](text)).join(""))

describe("a difference by words", () => {
  it("marks the words of a line that differ, and whole lines that came or went", () => {
    expect(words("const a = 1\nkept\ngone = 2\n", "const b = 1\nkept\nnew = 2\n")).toEqual([
      "const [-a-]{+b+} = 1",
      "kept",
      "[-gone-]{+new+} = 2",
    ])
    expect(words("a\n", "a\nb c\n")).toEqual(["a", "{+b c+}"])
    expect(words("a\nb\n", "a\n")).toEqual(["a", "[-b-]"])
  })

  it("shows a change of blanks, and of the last line's end", () => {
    expect(words("  a\n", "\ta\n")).toEqual(["[-  -]{+\t+}a"])
    expect(words("a", "a\n")).toEqual(["a", "[-\\ No newline at end of file-]"])
  })

  it("gives both texts back, whatever they are", () => {
    const text = fc.array(fc.constantFrom("a", "b", " ", "\n", "(", "é", "  x\n")).map((parts) => `${parts.join("")}\n`)
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { hunks } = UnifiedDiff.between(Buffer.from(before), Buffer.from(after))
        for (const { lines } of hunks) {
          const parts = WordDiff.ofLines(lines).flat()
          const side = (own: string) => [
            parts
              .filter(({ mark }) => mark === " " || mark === own)
              .map(({ text }) => text)
              .join(""),
            lines
              .filter(({ mark }) => mark === " " || mark === own)
              .map(({ bytes }) => Buffer.from(bytes))
              .join(""),
          ]
          for (const own of ["-", "+"]) {
            const [found, expected] = side(own)
            expect(found).toBe(expected)
          }
        }
      }),
    )
  })

  it("stays quick where everything differs: whole lines then", () => {
    const many = (word: string) => `${Array.from({ length: 5_000 }, (_, index) => `${word}${index}`).join(" ")}\n`
    expect(words(many("a"), many("b"))).toEqual([`[-${many("a").trim()}-]`, `{+${many("b").trim()}+}`])
  })
})
