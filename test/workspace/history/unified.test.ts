import { assert, describe, it } from "@effect/vitest"
import { applyPatch } from "diff"
import * as fc from "fast-check"
import * as UnifiedDiff from "../../../src/workspace/history/UnifiedDiff.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const patch = ({ hunks }: UnifiedDiff.UnifiedDiff) =>
  [
    "--- a",
    "+++ b",
    ...hunks.flatMap(({ header, lines }) => [
      header,
      ...lines.flatMap(({ mark, bytes, hasLineFeed }) => [
        mark + Buffer.from(bytes).toString(),
        ...(hasLineFeed ? [] : ["\\ No newline at end of file"]),
      ]),
    ]),
    "",
  ].join("\n")

const text = fc
  .tuple(fc.array(fc.constantFrom("", "a", "b", "c", "d", "x\r"), { maxLength: 30 }), fc.constantFrom("", "\n"))
  .map(([lines, end]) => (lines.length === 0 ? "" : lines.join("\n") + end))

describe("a unified diff", () => {
  it("makes the one text of the other, whatever their line ends", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = UnifiedDiff.between(bytes(before), bytes(after))
        assert.strictEqual(applyPatch(before, patch(diff), { autoConvertLineEndings: false }), after)
        assert.strictEqual(diff.hunks.length === 0, before === after)
      }),
      { numRuns: 1000 },
    )
  })

  it("writes an empty side as Git does", () => {
    assert.deepEqual(
      UnifiedDiff.between(bytes(""), bytes("a\nb\n")).hunks.map(({ header }) => header),
      ["@@ -0,0 +1,2 @@"],
    )
    assert.deepEqual(
      UnifiedDiff.between(bytes("a\n"), bytes("")).hunks.map(({ header }) => header),
      ["@@ -1 +0,0 @@"],
    )
  })

  it("says that texts were too different, and still makes the one of the other", () => {
    const numbered = Array.from({ length: 3000 }, (_, line) => `line ${line}\n`)
    const [before, after] = [numbered.join(""), numbered.toReversed().join("")]
    const diff = UnifiedDiff.between(bytes(before), bytes(after))
    assert.isFalse(diff.isWhole)
    assert.strictEqual(applyPatch(before, patch(diff)), after)
  })
})
