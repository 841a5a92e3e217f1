/** The open index of a log. It is replaced when it is damaged, or when another log takes the place of its own. */

import { Effect, type Scope } from "effect"
import type { EventLog, LogError } from "../events/log/EventLog.ts"
import { IndexFile, isBusy, isDamaged } from "./IndexFile.ts"

export interface OpenIndex {
  /** Uses the index. Undefined while another process holds it, or if there is none. */
  readonly use: <A>(run: (index: IndexFile) => A) => Effect.Effect<A | undefined>
  /** The last position in the index that belongs to this log; 0 without an index. */
  readonly reached: Effect.Effect<number, LogError>
  /** Why there is no index; null if there is one. */
  readonly problem: () => string | null
}

/** A damaged file is replaced once; if the next one fails too, the disk is at fault. */
const MAX_REPLACED = 3

/** @param file the log's file; undefined if it has none */
export const make = (log: EventLog.Service, file: string | undefined): Effect.Effect<OpenIndex, never, Scope.Scope> =>
  Effect.gen(function* () {
    let opened: IndexFile | undefined
    let problem: string | null = file === undefined ? "the log is not in a file, or has event types of its own" : null
    let replaced = 0
    /** The last event of the index that was compared with the log. */
    let checked = ""
    yield* Effect.addFinalizer(() => Effect.sync(() => opened?.close()))

    const replace = (old: string) => {
      opened?.close()
      opened = undefined
      replaced += 1
      if (file === undefined || replaced > MAX_REPLACED) throw new Error("it is damaged again and again")
      opened = IndexFile.replace(old, file)
    }

    const withIndex = <A>(run: (index: IndexFile) => A): A | undefined => {
      if (problem !== null || file === undefined) return undefined
      try {
        opened ??= IndexFile.open(file)
        return run(opened)
      } catch (cause) {
        if (isBusy(cause)) return undefined
        if (!isDamaged(cause)) throw cause
        replace(opened?.file ?? IndexFile.fileOf(file))
        return opened === undefined ? undefined : run(opened)
      }
    }

    const use = <A>(run: (index: IndexFile) => A) =>
      Effect.sync(() => {
        try {
          return withIndex(run)
        } catch (cause) {
          if (isBusy(cause)) return undefined
          problem = cause instanceof Error ? cause.message : String(cause)
          return undefined
        }
      })

    const reached = Effect.gen(function* () {
      const found = yield* use((index) => index.reached)
      if (found === undefined || found.position === 0) return 0
      const key = `${found.position} ${found.hash}`
      if (key === checked) return found.position
      const [event] = yield* log.readPage({ after: found.position - 1, until: found.position }, 1)
      if (event?.hash === found.hash) {
        checked = key
        return found.position
      }
      // A restored or rewritten log.
      yield* use((index) => replace(index.file))
      return 0
    })
    return { use, reached, problem: () => problem }
  })
