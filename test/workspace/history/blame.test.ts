import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Blame from "../../../src/workspace/history/Blame.ts"
import * as LineDiff from "../../../src/workspace/history/LineDiff.ts"
import { LineTable } from "../../../src/workspace/history/LineTable.ts"

interface Written {
  readonly by: string
  /** Undefined: the content is unknown. */
  readonly lines: ReadonlyArray<string> | undefined
  readonly isOutside?: boolean
}

/** Each line with its origin, in a short form. */
const blame = (written: ReadonlyArray<Written>, present: ReadonlyArray<string>, options?: { maxLines: number }) => {
  const table = new LineTable()
  const versions = written.map(({ by, lines, isOutside }) => ({
    origin: by,
    lines: lines === undefined ? undefined : table.numbersOf(lines),
    isOutside: isOutside ?? false,
  }))
  return Blame.of(versions, table.numbersOf(present), table, options)
}

const short = (attribution: Blame.Attribution<string>): string => {
  switch (attribution.kind) {
    case "seen":
      return attribution.origin
    case "unknown":
      return `unknown since ${attribution.since} until ${attribution.until ?? "now"}`
    case "too-different":
      return `too different at ${attribution.version ?? "now"}`
    case "not-seen":
      return "not seen"
  }
}

const origins = (written: ReadonlyArray<Written>, present: ReadonlyArray<string>) =>
  blame(written, present).lines.map(short)

describe("blame", () => {
  it("names the version that each line came with", () => {
    const versions = [
      { by: "start", lines: ["one", "two"] },
      { by: "call 1", lines: ["one", "inserted", "two"] },
      { by: "call 2", lines: ["one", "inserted", "changed"] },
    ]
    assert.deepEqual(origins(versions, ["one", "inserted", "changed"]), ["start", "call 1", "call 2"])
  })

  it("does not see lines that no version had", () => {
    const versions = [{ by: "call 1", lines: ["one line", "two lines"] }]
    assert.deepEqual(origins(versions, ["one line", "typed just now", "two lines"]), ["call 1", "not seen", "call 1"])
    assert.deepEqual(origins([], ["never recorded"]), ["not seen"])
  })

  it("gives a person's lines to nobody else (git-ai#2067, #1444)", () => {
    const versions = [
      { by: "start", lines: ["first line"] },
      { by: "a person", lines: ["first line", "typed by a person"], isOutside: true },
      { by: "call 1", lines: ["first line", "typed by a person", "by the agent"] },
    ]
    assert.deepEqual(origins(versions, ["first line", "typed by a person", "by the agent"]), [
      "start",
      "a person",
      "call 1",
    ])
  })

  it("gives the lines of a shell's cp to its call (git-ai#756)", () => {
    assert.deepEqual(origins([{ by: "cp a b", lines: ["copied", "text"] }], ["copied", "text"]), ["cp a b", "cp a b"])
  })

  it("attributes empty lines, and lines that a second prompt rewrote (git-ai#619)", () => {
    const versions = [
      { by: "prompt 1", lines: ["def f():", "", "    return 1", ""] },
      { by: "prompt 2", lines: ["def f():", "", "    return 2", "", "", "def g():"] },
    ]
    assert.deepEqual(origins(versions, ["def f():", "", "    return 2", "", "", "def g():"]), [
      "prompt 1",
      "prompt 1",
      "prompt 2",
      "prompt 1",
      "prompt 2",
      "prompt 2",
    ])
  })

  it("knows all lines again after a stash and its pop", () => {
    const edited = ["base line", "by the agent"]
    const versions = [
      { by: "start", lines: ["base line"] },
      { by: "call 1", lines: edited },
      { by: "git stash", lines: ["base line"], isOutside: true },
      { by: "git stash pop", lines: edited, isOutside: true },
    ]
    assert.deepEqual(origins(versions, edited), ["start", "call 1"])
  })

  it("knows a file again that a call deleted and brought back", () => {
    const versions = [
      { by: "call 1", lines: ["content", "of the file"] },
      { by: "rm", lines: [] },
      { by: "git checkout", lines: ["content", "of the file"] },
    ]
    assert.deepEqual(origins(versions, ["content", "of the file"]), ["call 1", "call 1"])
  })

  it("keeps lines through a rebase that adds others' (whogitit's copy-notes)", () => {
    const versions = [
      { by: "start", lines: ["base line"] },
      { by: "call 1", lines: ["base line", "the agent's line", "", "the agent's other line"] },
      { by: "checkout main", lines: ["base line", "upstream line"], isOutside: true },
      {
        by: "rebase",
        lines: ["base line", "upstream line", "the agent's line", "", "the agent's other line"],
        isOutside: true,
      },
    ]
    assert.deepEqual(origins(versions, versions[3]?.lines ?? []), [
      "start",
      "checkout main",
      "call 1",
      "call 1",
      "call 1",
    ])
  })

  it("knows lines that came back since the last version", () => {
    const versions = [
      { by: "call 1", lines: ["the agent's line", "kept line"] },
      { by: "reset", lines: ["kept line"], isOutside: true },
    ]
    assert.deepEqual(origins(versions, ["the agent's line", "typed by hand", "kept line"]), [
      "call 1",
      "not seen",
      "call 1",
    ])
  })

  it("takes lines that came back from several earlier contents", () => {
    const versions = [
      { by: "call 1", lines: ["first feature", "shared line"] },
      { by: "checkout b", lines: ["shared line"], isOutside: true },
      { by: "call 2", lines: ["shared line", "second feature"] },
      { by: "checkout c", lines: ["shared line"], isOutside: true },
      { by: "merge", lines: ["first feature", "shared line", "second feature"], isOutside: true },
    ]
    assert.deepEqual(origins(versions, ["first feature", "shared line", "second feature"]), [
      "call 1",
      "call 1",
      "call 2",
    ])
  })

  it("takes no brackets and empty lines alone from an earlier content", () => {
    const versions = [
      { by: "call 1", lines: ["agent() {", "}", ""] },
      { by: "call 2", lines: ["agent() {"] },
      { by: "a person", lines: ["agent() {", "person() {", "}", ""], isOutside: true },
    ]
    assert.deepEqual(origins(versions, ["agent() {", "person() {", "}", ""]), [
      "call 1",
      "a person",
      "a person",
      "a person",
    ])
  })

  it("gives lines that a call writes again to that call", () => {
    const versions = [
      { by: "call 1", lines: ["a line of code", "kept line"] },
      { by: "call 2", lines: ["kept line"] },
      { by: "call 3", lines: ["a line of code", "kept line", "and another"] },
    ]
    assert.deepEqual(origins(versions, ["a line of code", "kept line", "and another"]), ["call 3", "call 1", "call 3"])
  })

  it("does not know the origin of lines that first appear after an unknown content", () => {
    const versions = [
      { by: "start", lines: ["known line"] },
      { by: "call 1", lines: undefined },
      { by: "call 2", lines: undefined },
      { by: "call 3", lines: ["known line", "new line"] },
      { by: "call 4", lines: ["known line", "new line", "last line"] },
    ]
    assert.deepEqual(origins(versions, ["known line", "new line", "last line"]), [
      "start",
      "unknown since call 1 until call 3",
      "call 4",
    ])
  })

  it("does not know the origin of lines after a last content that is unknown", () => {
    const versions = [
      { by: "start", lines: ["known line"] },
      { by: "call 1", lines: undefined },
    ]
    assert.deepEqual(origins(versions, ["known line", "new line"]), ["start", "unknown since call 1 until now"])
    assert.deepEqual(origins([{ by: "call 1", lines: undefined }], ["x"]), ["unknown since call 1 until now"])
  })

  it("says which lines it could not compare", () => {
    const numbered = Array.from({ length: 3000 }, (_, line) => `line ${line}`)
    const versions = [
      { by: "start", lines: numbered },
      { by: "sort", lines: ["new line", ...numbered.toReversed()] },
    ]
    const found = origins(versions, versions[1]?.lines ?? [])
    assert.strictEqual(found[0], "sort")
    assert.deepEqual(new Set(found.slice(1)), new Set(["too different at sort"]))
    const now = origins([{ by: "start", lines: numbered }], ["new line", ...numbered.toReversed()])
    assert.strictEqual(now[0], "not seen")
    assert.strictEqual(now[1], "too different at now")
  })

  it("says that it dropped early contents to bound memory", () => {
    const versions = [
      { by: "call 1", lines: ["the first content"] },
      { by: "call 2", lines: ["the second content"] },
      { by: "call 3", lines: ["the third content"] },
    ]
    assert.isTrue(blame(versions, ["the first content"], { maxLines: 2 }).hasDropped)
    assert.deepEqual(blame(versions, ["the first content"], { maxLines: 2 }).lines.map(short), ["not seen"])
    assert.isFalse(blame(versions, ["the first content"]).hasDropped)
  })

  it("bounds what a hostile history costs", () => {
    const numbered = Array.from({ length: 900 }, (_, line) => `line ${line}`)
    const versions = Array.from({ length: 300 }, (_, version) => ({
      by: `call ${version}`,
      lines: [...(version % 2 === 0 ? numbered : numbered.toReversed()), `version ${version}`],
    }))
    const found = origins(versions, versions.at(-1)?.lines ?? [])
    assert.include(found.join(), "too different")
    assert.strictEqual(found.at(-1), "call 299")
  })
})

/** An edit at a part of the file, in thousandths. */
const edit = fc.record({
  at: fc.integer({ min: 0, max: 999 }),
  removed: fc.integer({ min: 0, max: 3 }),
  inserted: fc.integer({ min: 0, max: 3 }),
})

const place = (at: number, length: number) => Math.floor((at * (length + 1)) / 1000)

describe("blame of random histories", () => {
  it("is what the edits say, where each line is unique", () => {
    fc.assert(
      fc.property(fc.array(fc.array(edit, { maxLength: 3 }), { maxLength: 8 }), (history) => {
        let lines: ReadonlyArray<{ readonly text: string; readonly by: string }> = []
        let counter = 0
        const versions: Array<Written> = []
        for (const [index, edits] of history.entries()) {
          const by = `call ${index}`
          for (const { at, removed, inserted } of edits) {
            const start = place(at, lines.length)
            const added = Array.from({ length: inserted }, () => ({ text: `line ${counter++}`, by }))
            lines = [...lines.slice(0, start), ...added, ...lines.slice(start + removed)]
          }
          versions.push({ by, lines: lines.map(({ text }) => text) })
        }
        // A version equal to an earlier one has that one's blame, which here is the same.
        assert.deepEqual(
          origins(
            versions,
            lines.map(({ text }) => text),
          ),
          lines.map(({ by }) => by),
        )
      }),
      { numRuns: 1000 },
    )
  })

  it("equals a slow replay of all diffs, with equal lines, unknown contents and contents that come back", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), content, (history, present) => {
        const versions = [...history, present].map((lines, index) => ({ by: `call ${index}`, lines }))
        assert.deepEqual(origins(versions, present), replay(versions))
      }),
      { numRuns: 2000 },
    )
  })

  it("names versions that have the line, wherever lines came back from", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.boolean()), { maxLength: 8 }), content, (history, present) => {
        const versions = history.map(([lines, isOutside], index) => ({ by: `call ${index}`, lines, isOutside }))
        const found = origins(versions, present)
        const known = new Map(versions.map(({ by, lines }) => [by, lines]))
        for (const [index, line] of present.entries()) {
          const by = found[index] ?? ""
          if (known.has(by)) assert.isTrue(known.get(by)?.includes(line))
          else assert.match(by, /^(not seen|unknown since .*)$/)
        }
      }),
      { numRuns: 2000 },
    )
  })
})

const content = fc.array(fc.constantFrom("", "}", "a", "some line", "other line"), { maxLength: 7 })
const step = fc.oneof({ weight: 6, arbitrary: content }, { weight: 1, arbitrary: fc.constant(undefined) })

/** Goes through versions of calls with all contents as plain lists. Returns the blame of the last one. */
const replay = (versions: ReadonlyArray<Written>): ReadonlyArray<string> => {
  const table = new LineTable()
  const seen: Array<{ readonly lines: ReadonlyArray<string>; readonly blame: ReadonlyArray<string> }> = []
  let unknown: string | undefined
  for (const { by, lines } of versions) {
    if (lines === undefined) {
      unknown ??= by
      continue
    }
    const latest = seen.at(-1) ?? { lines: [], blame: [] }
    const equal = seen.find((earlier) => JSON.stringify(earlier.lines) === JSON.stringify(lines))
    const fresh = unknown === undefined ? by : `unknown since ${unknown} until ${by}`
    const blame = [...latest.blame]
    const { hunks } = LineDiff.between(table.numbersOf(latest.lines), table.numbersOf(lines))
    for (const { oldStart, oldEnd, newStart, newEnd } of hunks.toReversed())
      blame.splice(oldStart, oldEnd - oldStart, ...new Array<string>(newEnd - newStart).fill(fresh))
    seen.push({ lines, blame: equal?.blame ?? blame })
    unknown = undefined
  }
  return seen.at(-1)?.blame ?? []
}
