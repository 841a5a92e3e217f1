/** The open index of a log. It is replaced when it is damaged, or when another log takes the place of its own. */

import { Effect, type Scope } from "effect"
import type { EventLog, LogError } from "../events/log/EventLog.ts"
import { isBusy, isDamaged, type Reached } from "./IndexDatabase.ts"

/** An index of a log: a cache that the log can build again. */
export interface Index {
  readonly file: string
  readonly reached: Reached
  readonly close: () => void
}

/** How the index of a log is opened and replaced. */
export interface IndexPlace<Of extends Index> {
  readonly open: () => Of
  /** The file that `open` opens. */
  readonly fileOf: () => string
  /** Replaces a damaged index. */
  readonly replace: (old: string) => Of
  /** Whether the next use tries again after this failure. Default: after none. */
  readonly mayPass?: (cause: unknown) => boolean
}

export interface OpenIndex<Of extends Index> {
  /** Uses the index. Undefined while another process holds it, or if there is none. */
  readonly use: <A>(run: (index: Of) => A) => Effect.Effect<A | undefined>
  /** The last position in the index that belongs to this log; 0 without an index. */
  readonly reached: Effect.Effect<number, LogError>
  /** Why there is no index, or why it could not be used the last time; null if there is one. */
  readonly problem: () => string | null
}

/** A damaged file is replaced once; if the next one fails too, the disk is at fault. */
const MAX_REPLACED = 3

/** @param place undefined if the log has no file */
export const make = <Of extends Index>(
  log: EventLog.Service,
  place: IndexPlace<Of> | undefined,
): Effect.Effect<OpenIndex<Of>, never, Scope.Scope> =>
  Effect.gen(function* () {
    let opened: Of | undefined
    let problem: string | null = place === undefined ? "the log is not in a file, or has event types of its own" : null
    /** The next use tries again, such as after a full disk. */
    let mayPass = false
    let replaced = 0
    const belongs = comparison(log)
    yield* Effect.addFinalizer(() => Effect.sync(() => opened?.close()))

    const replace = (old: string) => {
      opened?.close()
      opened = undefined
      replaced += 1
      if (place === undefined || replaced > MAX_REPLACED) throw new Error("it is damaged again and again")
      opened = place.replace(old)
    }

    const withIndex = <A>(run: (index: Of) => A): A | undefined => {
      if ((problem !== null && !mayPass) || place === undefined) return undefined
      try {
        opened ??= place.open()
        return run(opened)
      } catch (cause) {
        if (isBusy(cause)) return undefined
        if (!isDamaged(cause)) throw cause
        replace(opened?.file ?? place.fileOf())
        return opened === undefined ? undefined : run(opened)
      }
    }

    const use = <A>(run: (index: Of) => A) =>
      Effect.sync(() => {
        try {
          const result = withIndex(run)
          if (mayPass) problem = null
          mayPass = false
          return result
        } catch (cause) {
          if (isBusy(cause)) return undefined
          mayPass = place?.mayPass?.(cause) === true
          problem = cause instanceof Error ? cause.message : String(cause)
          return undefined
        }
      })

    const reached = Effect.gen(function* () {
      const found = yield* use((index) => index.reached)
      if (found === undefined) return 0
      if (yield* belongs(found)) return found.position
      // A restored or rewritten log.
      yield* use((index) => replace(index.file))
      return 0
    })
    return { use, reached, problem: () => problem }
  })

/** Whether the log has the last event of an index. Remembers the last one that it found. */
export const comparison = (log: EventLog.Service): ((reached: Reached) => Effect.Effect<boolean, LogError>) => {
  let checked = ""
  return ({ position, hash }) =>
    Effect.gen(function* () {
      const key = `${position} ${hash}`
      if (position === 0 || key === checked) return true
      const [event] = yield* log.readPage({ after: position - 1, until: position }, 1)
      if (event?.hash !== hash) return false
      checked = key
      return true
    })
}
