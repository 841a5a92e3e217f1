/** Runs a user's command on the recorded files of several moments. */

import * as path from "node:path"
import { Effect } from "effect"
import type { Contents } from "../history/Content.ts"
import type { Tree } from "../model/Entry.ts"
import type { Left } from "../restore/RestoreInto.ts"
import { reading } from "../store/StoreFile.ts"
import * as CommandRun from "./CommandRun.ts"
import type { CopiedFiles } from "./CopiedFiles.ts"
import { RunAborted } from "./Failures.ts"
import * as Mark from "./Mark.ts"
import { Scratch } from "./Scratch.ts"

export interface TreeRunsOptions {
  readonly contents: Contents
  readonly copied: CopiedFiles
  readonly command: string
  readonly timeoutMs: number
  /** An empty directory of this process's own, without links in its path. */
  readonly scratch: string
}

interface Asked {
  readonly tree: Tree | undefined
  readonly position: number
  readonly lane: number
}

/** Each lane has a directory of its own, which contains exactly the tree at each run. */
export const runner = ({ contents, copied, command, timeoutMs, scratch }: TreeRunsOptions) => {
  const lanes = new Map<number, Scratch>()
  const whole = { get: (digest: string) => contents.get(digest) ?? copied.contents.get(digest) }
  return ({ tree, position, lane }: Asked) =>
    Effect.gen(function* () {
      if (tree === undefined) return skipped([{ path: "all files", why: "the store lacks those at its task's start" }])
      const place = lanes.get(lane) ?? new Scratch(path.join(scratch, String(lane)))
      lanes.set(lane, place)
      const { lost, omitted } = yield* reading(() => place.put(withCopies(tree, copied.tree), whole))
      if (lost.length > 0) return skipped(lost)
      const { exitCode, output, ms } = yield* CommandRun.run({ command, directory: place.directory, timeoutMs })
      const run = { exitCode, output, ms, at: Date.now(), isCached: false, lost, omitted }
      if (exitCode === null) return { ...run, verdict: "bad", isLate: true } as const
      const verdict = Mark.ofExitCode(exitCode)
      if (verdict === "abort") return yield* new RunAborted({ command, position, exitCode, output })
      return { ...run, verdict, isLate: false } as const
    })
}

const skipped = (lost: ReadonlyArray<Left>) =>
  ({
    verdict: "skip",
    exitCode: null,
    output: "",
    ms: 0,
    at: Date.now(),
    isCached: false,
    isLate: false,
    lost,
    omitted: [],
  }) as const

const withCopies = (tree: Tree, copies: Tree): Tree => (copies.size === 0 ? tree : new Map([...tree, ...copies]))
