/**
 * Finds the paths that Git refuses in a tree, because some systems would read them as Git's own files. `fast-import`
 * does not check them.
 */

import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, type Scope } from "effect"
import type { Entry, Tree } from "../model/Entry.ts"
import type { Git, GitFailed } from "./Git.ts"

export interface TakenPaths {
  /** The paths of a tree that Git refuses. Asks Git once about each path that is not plain. */
  readonly refused: (tree: Tree) => Effect.Effect<ReadonlySet<string>, GitFailed>
  /** The id of no object, as long as the repository's ids. */
  readonly noObject: string
}

export const make = (git: Git): Effect.Effect<TakenPaths, GitFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const directory = yield* Effect.acquireRelease(
      Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-git-"))),
      (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true })),
    )
    const id = (yield* git.run(["hash-object", "--stdin", "--no-filters"])).toString("latin1").trim()
    const known = new Map<string, boolean>()

    /**
     * Git skips paths that it refuses, and succeeds. Each path gets a directory of its own, so that none hides another.
     */
    const ask = (asked: ReadonlyArray<readonly [string, Entry]>) =>
      Effect.gen(function* () {
        const env = { GIT_INDEX_FILE: path.join(directory, "index") }
        const places = asked.map(([file], index) => `${index}/${file}`)
        const input = asked.map(([, entry], index) => `${modeOf(entry)} ${id}\t${places[index]}\0`).join("")
        yield* git.run(["update-index", "-z", "--index-info"], { input, env })
        const listed = new Set((yield* git.run(["ls-files", "-z"], { env })).toString("utf8").split("\0"))
        yield* Effect.sync(() => fs.rmSync(env.GIT_INDEX_FILE, { force: true }))
        for (const [index, [file, entry]] of asked.entries())
          known.set(keyOf(file, entry), listed.has(places[index] ?? ""))
      })

    return {
      noObject: "0".repeat(id.length),
      refused: (tree) =>
        Effect.gen(function* () {
          const odd = [...tree].filter(([file]) => !isPlain(file))
          const asked = odd.filter(([file, entry]) => !known.has(keyOf(file, entry)))
          if (asked.length > 0) yield* ask(asked)
          return new Set(odd.flatMap(([file, entry]) => (known.get(keyOf(file, entry)) === true ? [] : [file])))
        }),
    }
  })

const modeOf = ({ kind }: Entry): string => (kind === "link" ? "120000" : "100644")

const keyOf = (file: string, entry: Entry): string => `${entry.kind} ${file}`

/** Whether every system takes the path for an ordinary file: letters, digits and few marks, and no dot before "git". */
const isPlain = (file: string): boolean => file.split("/").every((name) => PLAIN.test(name))

const PLAIN = /^(?!\.+$)(?!\.git)[\w.+=@, -]*[\w+=@,-]$/i
