import { describe, expect, it } from "vitest"
import type { Entry, Tree } from "../../../src/workspace/model/Entry.ts"
import * as RestorablePaths from "../../../src/workspace/restore/RestorablePaths.ts"
import * as RestorePlan from "../../../src/workspace/restore/RestorePlan.ts"
import { digestOf } from "../../../src/workspace/store/ContentStore.ts"

const entry = (text: string, more: Partial<Entry> = {}): Entry => ({
  kind: "file",
  mode: 0o644,
  size: text.length,
  digest: digestOf(Buffer.from(text)),
  ...more,
})

const LINK = { kind: "link", mode: 0o777 } as const

const tree = (files: Readonly<Record<string, Entry>>): Tree => new Map(Object.entries(files))

/** The steps from some files to others, in words. */
const steps = (present: Tree, recorded: Tree) => {
  const free = { inTheWay: () => undefined, whyKept: () => undefined, isOwn: () => false }
  const plan = RestorePlan.of({ present, recorded, has: () => true, ...free })
  expect(plan.left).toEqual([])
  return plan.steps.map((step) => `${step.kind} ${step.path}`)
}

describe("the plan of a restore", () => {
  it("removes first what a file system without case takes for a written file, for its directory, or for a file in it", () => {
    const later = { z: entry("later") }
    for (const [present, recorded] of [
      ["Case", "case"],
      ["e\u0301", "\u00e9"],
      ["Place/below", "place"],
      ["Place", "place/below"],
    ] as const)
      expect(steps(tree({ [present]: entry("old"), ...later }), tree({ [recorded]: entry("new") }))).toEqual([
        `removed ${present}`,
        `added ${recorded}`,
        "removed z",
      ])
  })

  it("writes links after all files, and removes other files at the end", () => {
    const recorded = tree({ a: entry("there", LINK), "b/c": entry("file"), d: entry("there", LINK), e: entry("file") })
    const present = tree({ d: entry("elsewhere", LINK), e: entry("other"), x: entry("later") })
    expect(steps(present, recorded)).toEqual(["added b/c", "changed e", "added a", "changed d", "removed x"])
  })

  it("sets the mode of a file, and leaves a link alone that differs in its mode only", () => {
    const present = tree({ file: entry("x"), link: entry("x", LINK) })
    const recorded = tree({ file: entry("x", { mode: 0o755 }), link: entry("x", { kind: "link", mode: 0o755 }) })
    expect(steps(present, recorded)).toEqual(["mode file"])
  })
})

describe("paths of a recorded tree", () => {
  it("are refused for the reason that holds, and only then", () => {
    const long = (count: number) => `${"d/".repeat(count / 2 - 1)}ff`
    const paths: ReadonlyArray<readonly [string, RestorablePaths.Refusal | undefined]> = [
      ["nul\0.txt", "outside"],
      ["half \ud800 of a pair", "outside"],
      [long(4098), "outside"],
      [long(4096), undefined],
      ["a/", "outside"],
      ["a/./b", "outside"],
      ["a/../b", "outside"],
      ["a.git/..b/.gitignore", undefined],
      ["sub/.Git", "repository"],
      ["git~1. ", "repository"],
      ["file/below/it", "below-a-file"],
      ["file", undefined],
      ["files/below", undefined],
    ]
    const refused = RestorablePaths.refused(new Map(paths.map(([path]) => [path, entry("x")])))
    for (const [path, why] of paths) expect([path, refused.get(path)]).toEqual([path, why])
  })
})
