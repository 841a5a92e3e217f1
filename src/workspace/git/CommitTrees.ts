/** Writes recorded trees to a repository, with an index of its own: no filter runs, and the user's index stays. */

import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, type Scope } from "effect"
import * as Content from "../history/Content.ts"
import * as Changes from "../model/Changes.ts"
import type { Entry, Tree } from "../model/Entry.ts"
import { refused } from "../restore/RestorablePaths.ts"
import { reading, type StoreUnavailable } from "../store/StoreFile.ts"
import type { Git, GitFailed } from "./Git.ts"

export interface CommitTrees {
  /** Returns the id of the tree. Succeeding trees cost what changed between them. */
  readonly write: (tree: Tree) => Effect.Effect<string, GitFailed | StoreUnavailable>
  /** The files that no tree holds, and why. */
  readonly leftOut: ReadonlyMap<string, string>
}

export const make = (git: Git, contents: Content.Contents): Effect.Effect<CommitTrees, GitFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const directory = yield* Effect.acquireRelease(
      Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-git-"))),
      (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true })),
    )
    const env = { GIT_INDEX_FILE: path.join(directory, "index") }
    const leftOut = new Map<string, string>()
    const ids = new Map<string, string>()
    /** Files that Git took into its index at some time. */
    const taken = new Set<string>()
    const none = yield* noObject(git)
    let last: Tree = new Map()

    /** Without paths that are no files of a repository, and contents that the store lacks. */
    const writable = (tree: Tree): Tree => {
      const bad = refused(tree)
      const kept = new Map<string, Entry>()
      for (const [file, entry] of tree) {
        const refusal = bad.get(file)
        const why = refusal === undefined ? unknownIn(entry) : WHY[refusal]
        if (why === undefined) kept.set(file, entry)
        else leftOut.set(file, why)
      }
      return kept
    }

    const unknownIn = (entry: Entry): string | undefined => {
      if (entry.digest !== undefined && entry.omitted === undefined && ids.has(entry.digest)) return undefined
      const content = Content.of(entry, contents)
      return content.kind === "unknown" ? Content.WHY[content.why] : undefined
    }

    const writeBlobs = (entries: Iterable<Entry>) =>
      Effect.gen(function* () {
        const missing = new Set<string>()
        for (const { digest } of entries) if (digest !== undefined && !ids.has(digest)) missing.add(digest)
        let group: Array<string> = []
        let bytes = 0
        const flush = () =>
          Effect.gen(function* () {
            if (group.length === 0) return
            const files = group.map((digest) => path.join(directory, digest))
            const input = files.map((file) => `${file}\n`).join("")
            const said = yield* git.run(["hash-object", "-w", "--no-filters", "--stdin-paths"], { input })
            for (const [index, id] of said.toString("latin1").trim().split("\n").entries())
              ids.set(group[index] ?? "", id)
            for (const file of files) fs.rmSync(file)
            group = []
            bytes = 0
          })
        for (const digest of missing) {
          const content = yield* reading(() => contents.get(digest) ?? new Uint8Array(0))
          yield* Effect.sync(() => fs.writeFileSync(path.join(directory, digest), content))
          group.push(digest)
          bytes += content.length
          if (bytes > MAX_GROUP || group.length >= MAX_FILES) yield* flush()
        }
        yield* flush()
      })

    /** Git skips paths that some system takes for its own files, and succeeds. */
    const checkTaken = (changes: ReadonlyArray<Changes.OwnChange>) =>
      Effect.gen(function* () {
        const added = changes.flatMap((one) =>
          one.kind === "removed" || taken.has(`${one.after.kind} ${one.path}`) ? [] : [one],
        )
        if (added.length === 0) return
        const listed = new Set((yield* git.run(["ls-files", "-z"], { env })).toString("utf8").split("\0"))
        for (const { path, after } of added)
          if (listed.has(path)) taken.add(`${after.kind} ${path}`)
          else leftOut.set(path, WHY.refused)
      })

    return {
      leftOut,
      write: (tree) =>
        Effect.gen(function* () {
          const now = yield* reading(() => writable(tree))
          const changes = Changes.ofPaths(last, now)
          yield* writeBlobs(changes.flatMap((change) => (change.kind === "removed" ? [] : [change.after])))
          // A file may take the place of a directory: removals go first.
          const removed = changes.flatMap((one) => (one.kind === "removed" ? [`0 ${none}\t${one.path}\0`] : []))
          const set = changes.flatMap((one) =>
            one.kind === "removed" ? [] : [`${modeOf(one.after)} ${ids.get(one.after.digest ?? "")}\t${one.path}\0`],
          )
          const input = [...removed, ...set].join("")
          if (input !== "") yield* git.run(["update-index", "-z", "--index-info"], { input, env })
          yield* checkTaken(changes)
          last = now
          return (yield* git.run(["write-tree"], { env })).toString("latin1").trim()
        }),
    }
  })

const modeOf = ({ kind, mode }: Entry): string => {
  if (kind === "link") return "120000"
  return (mode & 0o100) === 0 ? "100644" : "100755"
}

/** The id of no object: its length is that of the repository's ids. */
export const noObject = (git: Git): Effect.Effect<string, GitFailed> =>
  Effect.map(git.run(["hash-object", "--stdin", "--no-filters"]), (id) =>
    "0".repeat(id.toString("latin1").trim().length),
  )

const MAX_GROUP = 64 * 1024 * 1024
const MAX_FILES = 1_000

const WHY = {
  outside: "its path leads out of the directory",
  repository: "its path is in a Git directory",
  "below-a-file": "its path leads through a file or a link",
  refused: "Git takes no file of this name",
} as const
