/** The files that a commit changed, and the lines that it added: those that none of its parents has in their place. */

import { Effect } from "effect"
import * as Time from "../../values/Time.ts"
import * as Content from "../history/Content.ts"
import * as LineDiff from "../history/LineDiff.ts"
import { LineTable } from "../history/LineTable.ts"
import * as Blobs from "./Blobs.ts"
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
  /** RFC 3339. Undefined if the commit's date is not in Git's form. */
  readonly committedAt: string | undefined
  readonly files: ReadonlyArray<CommitFile>
  /** Files whose lines were not compared. */
  readonly leftOut: ReadonlyArray<{ readonly path: string; readonly why: string }>
}

/** Nobody attributes larger files by lines. */
const MAX_FILE = 16 * 1024 * 1024

/** Only files that `isWanted` accepts. */
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
    const [, seconds] = /^committer .* (\d{1,12}) [+-]\d+$/m.exec(head) ?? []
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
    const wanted = [...now].flatMap(([path, blob]) =>
      isWanted(path) && counts.get(path) === Math.max(1, parents.length)
        ? [{ path, blobs: [blob, ...(changes.get(path) ?? [])] }]
        : [],
    )
    const sizes = yield* Blobs.sizes(
      git,
      wanted.flatMap(({ blobs }) => blobs),
    )
    const readable = wanted.filter(({ path, blobs }) => {
      const why = unreadable(blobs.map((id) => sizes.get(id)))
      if (why !== undefined) leftOut.push({ path, why })
      return why === undefined
    })
    for (const group of Blobs.grouped(readable, sizes)) {
      const contents = yield* Blobs.contents(
        git,
        group.flatMap(({ blobs }) => blobs),
        sizes,
      )
      for (const { path, blobs } of group) {
        const [present = NOTHING, ...earlier] = blobs.map((id) => contents.get(id) ?? NOTHING)
        if (!Content.isText(present)) leftOut.push({ path, why: "binary" })
        else files.push({ path, text: present, added: addedIn(present, earlier) })
      }
    }
    const committedAt = seconds === undefined ? undefined : Time.dateOf(Number(seconds) * 1000).toISOString()
    return { commit, committedAt, files, leftOut }
  })

const text = (bytes: Buffer): string => bytes.toString("utf8")

const NOTHING = new Uint8Array(0)

/** Why a file's lines cannot be compared, by the sizes of its contents. */
const unreadable = (sizes: ReadonlyArray<number | undefined>): string | undefined => {
  if (sizes.includes(undefined)) return "this clone lacks its content"
  return sizes.some((size = 0) => size > MAX_FILE) ? `above ${MAX_FILE / 1024 / 1024} MiB` : undefined
}

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

const addedIn = (present: Uint8Array, earlier: ReadonlyArray<Uint8Array>): ReadonlySet<number> => {
  const table = new LineTable()
  const lines = table.linesOf(present)
  const sets = (earlier.length === 0 ? [NOTHING] : earlier).map((bytes) => {
    const { hunks } = LineDiff.between(table.linesOf(bytes), lines)
    const added = new Set<number>()
    for (const { newStart, newEnd } of hunks) for (let line = newStart; line < newEnd; line++) added.add(line + 1)
    return added
  })
  const [first = new Set<number>(), ...others] = sets
  return new Set([...first].filter((line) => others.every((set) => set.has(line))))
}
