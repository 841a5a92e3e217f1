/** Writes recorded trees as commits by one `git fast-import`. Runs no filter, and leaves the user's index alone. */

import { Buffer } from "node:buffer"
import { randomUUID } from "node:crypto"
import { Effect, type Scope } from "effect"
import * as Content from "../history/Content.ts"
import * as Changes from "../model/Changes.ts"
import type { Entry, Tree } from "../model/Entry.ts"
import { refused } from "../restore/RestorablePaths.ts"
import { reading, type StoreUnavailable } from "../store/StoreFile.ts"
import type { Git, GitFailed } from "./Git.ts"
import * as TakenPaths from "./TakenPaths.ts"

export interface CommitTrees {
  /** Adds a commit after the last one. The cost depends only on the changes. */
  readonly commit: (commit: Commit) => Effect.Effect<void, GitFailed | StoreUnavailable>
  /** Writes everything, and returns the last commit's id. No reference leads to it. */
  readonly finish: Effect.Effect<string, GitFailed>
  /** The files that no tree contains, with the reasons. */
  readonly leftOut: ReadonlyMap<string, string>
}

export interface Commit {
  readonly tree: Tree
  /** See `TaskCommits.identity`. */
  readonly identity: string
  readonly message: string
}

export const make = (git: Git, contents: Content.Contents): Effect.Effect<CommitTrees, GitFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const taken = yield* TakenPaths.make(git)
    const importing = yield* git.feed(["fast-import", "--quiet", "--done", "--date-format=raw"])
    /** Commits need a reference. The end of the input removes it before Git has written it. */
    const ref = `refs/hindcast/export/${randomUUID()}`
    const leftOut = new Map<string, string>()
    const marks = new Map<string, number>()
    let [lastMark, lastCommit] = [0, 0]
    let last: Tree = new Map()

    /** Leaves out paths that a repository cannot contain, and contents that the store lacks. */
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
      if (entry.digest !== undefined && entry.omitted === undefined && marks.has(entry.digest)) return undefined
      const content = Content.of(entry, contents)
      return content.kind === "unknown" ? Content.WHY[content.why] : undefined
    }

    const withoutRefused = (tree: Tree) =>
      Effect.map(taken.refused(tree), (refused) => {
        if (refused.size === 0) return tree
        for (const file of refused) leftOut.set(file, WHY.refused)
        return new Map([...tree].filter(([file]) => !refused.has(file)))
      })

    const writeBlob = (digest: string) =>
      Effect.gen(function* () {
        const content = yield* reading(() => contents.get(digest) ?? new Uint8Array(0))
        marks.set(digest, ++lastMark)
        yield* importing.write(`blob\nmark :${lastMark}\ndata ${content.length}\n`)
        yield* importing.write(content)
        yield* importing.write("\n")
      })

    return {
      leftOut,
      commit: ({ tree, identity, message }) =>
        Effect.gen(function* () {
          const now = yield* withoutRefused(yield* reading(() => writable(tree)))
          const changes = Changes.ofPaths(last, now)
          for (const change of changes) {
            const digest = change.kind === "removed" ? undefined : change.after.digest
            if (digest !== undefined && !marks.has(digest)) yield* writeBlob(digest)
          }
          // A file may take the place of a directory, so removals come first.
          const removed = changes.flatMap((one) => (one.kind === "removed" ? [`D ${quoted(one.path)}\n`] : []))
          const set = changes.flatMap((one) =>
            one.kind === "removed"
              ? []
              : [`M ${modeOf(one.after)} :${marks.get(one.after.digest ?? "")} ${quoted(one.path)}\n`],
          )
          const parent = lastCommit === 0 ? "" : `from :${lastCommit}\n`
          lastCommit = ++lastMark
          const head = `commit ${ref}\nmark :${lastCommit}\n${identity}data ${Buffer.byteLength(message)}\n${message}`
          yield* importing.write([head, parent, ...removed, ...set, "\n"].join(""))
          last = now
        }),
      finish: Effect.gen(function* () {
        yield* importing.write(`get-mark :${lastCommit}\nreset ${ref}\nfrom ${taken.noObject}\n\ndone\n`)
        return (yield* importing.end).trim()
      }),
    }
  })

const modeOf = ({ kind, mode }: Entry): string => {
  if (kind === "link") return "120000"
  return (mode & 0o100) === 0 ? "100644" : "100755"
}

/** As Git quotes paths. Other bytes stay as they are. */
const quoted = (path: string): string => `"${path.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`

const WHY = {
  outside: "its path leads out of the directory",
  repository: "its path is in a Git directory",
  "below-a-file": "its path leads through a file or a link",
  refused: "Git takes no file of this name",
} as const
