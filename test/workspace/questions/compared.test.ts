import { describe, expect, it } from "vitest"
import * as UnifiedDiff from "../../../src/workspace/history/UnifiedDiff.ts"
import type { Change } from "../../../src/workspace/model/Changes.ts"
import type { Entry } from "../../../src/workspace/model/Entry.ts"
import * as ComparedFiles from "../../../src/workspace/questions/ComparedFiles.ts"
import { digestOf } from "../../../src/workspace/store/ContentStore.ts"

const contents = new Map<string, Uint8Array>()

const entryOf = (text: string): Entry => {
  const bytes = Buffer.from(text)
  const digest = digestOf(bytes)
  contents.set(digest, bytes)
  return { kind: "file", mode: 0o644, size: bytes.length, digest }
}

const compared = (path: string, before: string, after: string) => {
  const change: Change = { kind: "changed", path, before: entryOf(before), after: entryOf(after) }
  return ComparedFiles.of(change, contents)
}

describe("differences for one answer", () => {
  it("have their lines as long as there is room, and say where there is none", () => {
    // A line takes 64 bytes more than it has.
    const within = ComparedFiles.withinAnswer(4 * (64 + 3))
    const all = ["a", "b", "c"].map((path) => ComparedFiles.document(within(compared(path, "old\n", "new\n")), false))
    expect(all.map((one) => ("hunks" in one ? one.hunks?.[0]?.lines : one))).toEqual([
      ["-old", "+new"],
      ["-old", "+new"],
      { path: "c", kind: "changed", reason: "(the answer has no room for it: ask for this file alone)" },
    ])
  })

  it("have numbers without any line", () => {
    const { diff } = ComparedFiles.numbers(compared("a", "1\n2\n", "1\n3\n4\n"))
    expect(diff).toMatchObject({ added: 2, removed: 1, isWhole: true, hunks: [] })
  })

  it("are not by lines where the contents have too many", () => {
    const many = "\n".repeat(UnifiedDiff.MAX_LINES)
    expect(UnifiedDiff.isTooLong(Buffer.from(many))).toBe(false)
    const { change: _, ...found } = compared("a", many, "\n")
    expect(found).toEqual({ diff: undefined, reason: "(the contents have too many lines to compare them)" })
  })
})
