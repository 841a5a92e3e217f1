/** The files that a commit changed, and the lines that it added: those that none of its parents has in their place. */

import { Effect } from "effect"
import * as Time from "../../values/Time.ts"
import * as Content from "../history/Content.ts"
import * as LineDiff from "../history/LineDiff.ts"
import { LineTable } from "../history/LineTable.ts"
import type { Git, GitFailed } from "./Git.ts"

export interface CommitFile {
  /** From the repository's root. */
  readonly path: string
  readonly text: Uint8Array
  /** Numbers of lines, from 1 on. */
  readonly added: ReadonlySet<number>
}

export interface CommitFiles {
  readonly commit: string
  /** RFC 3339. */
  readonly committedAt: string
  readonly files: ReadonlyArray<CommitFile>
  /** Files whose lines were not compared. */
  readonly leftOut: ReadonlyArray<{ readonly path: string; readonly why: string }>
}

/** Above it, nobody attributes a file by lines. */
const MAX_FILE = 16 * 1024 * 1024

/** Of the files that `isWanted`. */
export const of = (
  git: Git,
  revision: string,
  isWanted: (path: string) => boolean,
): Effect.Effect<CommitFiles, GitFailed> =>
  Effect.gen(function* () {
    const named = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`]
    const commit = text(yield* git.run(named, { expected: `${revision} to be a commit` })).trim()
    // As stored: a shallow clone hides the parents that it lacks.
    const [head = ""] = text(yield* git.run(["cat-file", "commit", commit])).split("\n\n", 1)
    const parents = [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, id = ""]) => id)
    const [, seconds = "0"] = /^committer .* (\d{1,12}) [+-]\d+$/m.exec(head) ?? []
    const changes = new Map<string, Array<string>>()
    const counts = new Map<string, number>()
    const now = new Map<string, string>()
    for (const parent of parents.length === 0 ? [undefined] : parents) {
      const diff = [
        "diff-tree",
        "-r",
        "-z",
        "--raw",
        "--no-renames",
        "--no-commit-id",
        "--no-ext-diff",
        "--no-textconv",
      ]
      const trees = parent === undefined ? ["--root", commit] : [parent, commit]
      for (const { path, before, after } of changed(yield* git.run([...diff, ...trees]))) {
        changes.set(path, [...(changes.get(path) ?? []), ...(before === undefined ? [] : [before])])
        counts.set(path, (counts.get(path) ?? 0) + 1)
        now.set(path, after)
      }
    }
    const files: Array<CommitFile> = []
    const leftOut: Array<{ readonly path: string; readonly why: string }> = []
    for (const [path, blob] of now) {
      if (!isWanted(path) || counts.get(path) !== Math.max(1, parents.length)) continue
      const [present, ...earlier] = yield* Effect.forEach([blob, ...(changes.get(path) ?? [])], (id) => blobOf(git, id))
      if (present === undefined || earlier.includes(undefined))
        leftOut.push({ path, why: `above ${MAX_FILE / 1024 / 1024} MiB` })
      else if (!Content.isText(present)) leftOut.push({ path, why: "binary" })
      else files.push({ path, text: present, added: addedIn(present, earlier) })
    }
    return { commit, committedAt: Time.dateOf(Number(seconds) * 1000).toISOString(), files, leftOut }
  })

const text = (bytes: Buffer): string => bytes.toString("utf8")

/** Undefined if it is too large. */
const blobOf = (git: Git, id: string) =>
  Effect.gen(function* () {
    const size = Number(text(yield* git.run(["cat-file", "-s", id])).trim())
    return size > MAX_FILE ? undefined : yield* git.run(["cat-file", "blob", id], { maxBytes: MAX_FILE + 1 })
  })

/** Regular files with a content, in a raw diff. */
const changed = (raw: Buffer) => {
  const fields = text(raw).split("\0")
  const found: Array<{ readonly path: string; readonly before: string | undefined; readonly after: string }> = []
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [was, is, before = "", after = ""] = (fields[index] ?? "").split(" ")
    if (!FILE.test(is ?? "")) continue
    found.push({ path: fields[index + 1] ?? "", before: FILE.test(was?.slice(1) ?? "") ? before : undefined, after })
  }
  return found
}

const FILE = /^100/

const addedIn = (present: Uint8Array, earlier: ReadonlyArray<Uint8Array | undefined>): ReadonlySet<number> => {
  const table = new LineTable()
  const lines = table.linesOf(present)
  const sets = (earlier.length === 0 ? [new Uint8Array(0)] : earlier).map((bytes) => {
    const { hunks } = LineDiff.between(table.linesOf(bytes ?? new Uint8Array(0)), lines)
    const added = new Set<number>()
    for (const { newStart, newEnd } of hunks) for (let line = newStart; line < newEnd; line++) added.add(line + 1)
    return added
  })
  const [first = new Set<number>(), ...others] = sets
  return new Set([...first].filter((line) => others.every((set) => set.has(line))))
}
