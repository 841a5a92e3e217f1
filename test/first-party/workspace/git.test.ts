import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { MAX_STATUS_ENTRIES, parseStatus, readGit } from "../../../plugins/workspace/git.ts"

const output = (...lines: ReadonlyArray<string>) => lines.map((line) => `${line}\0`).join("")
const oid = "0123456789012345678901234567890123456789"

describe("git's status", () => {
  it("says branch, head, and how far upstream is", () => {
    const status = output(
      `# branch.oid ${oid}`,
      "# branch.head feature/x",
      "# branch.upstream origin/feature/x",
      "# branch.ab +2 -1",
    )
    expect(parseStatus(status)).toEqual({
      repository: true,
      branch: "feature/x",
      head: oid,
      upstream: "origin/feature/x",
      ahead: 2,
      behind: 1,
      entries: [],
      truncated: false,
    })
  })

  it("has no head before the first commit, no branch when detached, no distance without an upstream", () => {
    expect(parseStatus(output("# branch.oid (initial)", "# branch.head main"))).toMatchObject({
      branch: "main",
      head: null,
      upstream: null,
      ahead: null,
      behind: null,
    })
    expect(parseStatus(output(`# branch.oid ${oid}`, "# branch.head (detached)"))).toMatchObject({
      branch: null,
      head: oid,
    })
  })

  it("lists every kind of entry, with paths that have spaces and line breaks", () => {
    const status = output(
      `1 .M N... 100644 100644 100644 ${oid} ${oid} a file.txt`,
      `2 R. N... 100644 100644 100644 ${oid} ${oid} R100 new name.txt`,
      "# old name.txt",
      `u UU N... 100644 100644 100644 100644 ${oid} ${oid} ${oid} both.txt`,
      "? two\nlines.txt",
    )
    expect(parseStatus(status).entries).toEqual([
      { path: "a file.txt", status: ".M" },
      { path: "new name.txt", status: "R.", from: "# old name.txt" },
      { path: "both.txt", status: "UU" },
      { path: "two\nlines.txt", status: "??" },
    ])
  })

  it("is cut at the limit, and says so", () => {
    const many = parseStatus(output(...Array.from({ length: MAX_STATUS_ENTRIES + 1 }, (_, index) => `? f${index}`)))
    expect(many).toMatchObject({ truncated: true })
    expect(many.entries).toHaveLength(MAX_STATUS_ENTRIES)
  })
})

describe("where git cannot say", () => {
  const answer = (code: number | null, stderr: string) =>
    Effect.promise(() => readGit({ run: async () => ({ code, signal: null, stdout: "", stderr }) }))

  it.effect("the reading has git's own first line for a reason", () =>
    Effect.gen(function* () {
      expect(yield* answer(128, "fatal: not a git repository\nhint: make one\n")).toEqual({
        repository: false,
        reason: "fatal: not a git repository",
      })
      expect(yield* answer(null, "")).toEqual({ repository: false, reason: "git ended with code null" })
    }),
  )

  it.effect("the reading has the host's reason where the command was refused", () =>
    Effect.gen(function* () {
      const refused = () => Promise.reject(new Error("expected one of the commands that the plugin may run"))
      expect(yield* Effect.promise(() => readGit({ run: refused }))).toEqual({
        repository: false,
        reason: "expected one of the commands that the plugin may run",
      })
    }),
  )
})
