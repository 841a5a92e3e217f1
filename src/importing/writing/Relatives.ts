/**
 * Finds imported runs that begin with the same message: a program may write a fork as a copy. A run's opening holds the
 * id of its first message, even in a redacted import.
 */

import { Effect, Stream } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { IdSet, idsWithin } from "../runs/EventIds.ts"
import { taskIdOf } from "../runs/Run.ts"
import type { ImportedRun, RunStart } from "../runs/RunEvent.ts"
import { field, textOf } from "../runs/Untrusted.ts"
import type { FileBeginning, Relative } from "../Source.ts"
import type { TaskAppender } from "./TaskAppender.ts"

interface Opened {
  readonly taskId: string
  readonly run: string
  /** Whether the log has an event of it; undefined before the log was read. */
  readonly has?: (key: string) => boolean
}

export class Relatives {
  readonly #log: EventLog.Service
  readonly #dryRun: boolean
  readonly #sources = new Map<string, Map<string, Array<Opened>>>()

  constructor(log: EventLog.Service, dryRun: boolean) {
    this.#log = log
    this.#dryRun = dryRun
  }

  /** Runs imported earlier that begin with the same message. */
  of(source: string, beginning: FileBeginning | undefined): Effect.Effect<ReadonlyArray<Relative>, LogError> {
    return Effect.gen(this, function* () {
      const { first, run } = beginning ?? {}
      if (first === undefined || run === undefined || (yield* this.#isKnownAsOwn(source, run))) return []
      const known = this.#sources.get(source) ?? (yield* this.#read(source))
      this.#sources.set(source, known)
      const before: Array<Relative> = []
      for (const one of known.get(first) ?? []) {
        // Runs opened after this one are its copies.
        if (one.run === run) break
        before.push({ taskId: one.taskId, has: one.has ?? (yield* this.#eventsOf(source, one)) })
      }
      return before
    })
  }

  /** Registers an imported file for later ones. */
  add(beginning: FileBeginning | undefined, appenders: ReadonlyMap<ImportedRun, TaskAppender>): void {
    for (const [{ taskId, start }, appender] of appenders) {
      const first = start.begins?.with
      const known = this.#sources.get(appender.source)
      if (beginning === undefined || first === undefined || known === undefined) continue
      const has = this.#dryRun ? { has: (key: string) => appender.has(key) } : {}
      remember(known, first, { taskId, run: start.id, ...has })
    }
  }

  /** Whether the log has the run as an original, so that no search is needed. */
  #isKnownAsOwn(source: string, run: string): Effect.Effect<boolean, LogError> {
    const beginning = this.#log.readPage({ stream: `task/${taskIdOf(source, run)}` }, 1)
    return Effect.map(beginning, ([opened]) => {
      const begins = opened === undefined ? undefined : beginsOf(source, opened)
      return begins !== undefined && !begins.isCopied
    })
  }

  #read(source: string): Effect.Effect<Map<string, Array<Opened>>, LogError> {
    const known = new Map<string, Array<Opened>>()
    return this.#log.read({ types: ["TaskOpened", "AccountMerged"] }).pipe(
      Stream.runForEach((event) =>
        Effect.sync(() => {
          if (event.actor !== `import:${source}` || event.taskId === null) return
          const begins = is(event, "AccountMerged") ? event.payload.begins : beginsOf(source, event)
          const first = begins?.with
          const run = event.taskId.slice(source.length + 1)
          if (first !== undefined) remember(known, first, { taskId: event.taskId, run })
        }),
      ),
      Effect.as(known),
    )
  }

  /** Looks up events of a run in all of its tasks. */
  #eventsOf(source: string, { taskId, run }: Opened): Effect.Effect<(key: string) => boolean, LogError> {
    return Effect.gen(this, function* () {
      const ids = new IdSet()
      const idOf = idsWithin(source, run)
      const take = (event: Event): void => {
        ids.add(event.id)
        if (!is(event, "AccountMerged") || event.payload.source !== source) return
        for (const { key } of event.payload.matches) for (const one of keysOfMatch(key)) ids.add(idOf(one))
      }
      // A run that was continued after its end has further tasks: those of imports, and those of hooks.
      for (const sign of ["+", "."])
        for (let part = sign === "+" ? 1 : 2; ; part++) {
          const stream = `task/${part === 1 ? taskId : `${taskId}${sign}${part}`}`
          if ((yield* this.#log.versionOf(stream)) === 0) break
          yield* Stream.runForEach(this.#log.read({ stream }), (event) => Effect.sync(() => take(event)))
        }
      return (key) => ids.has(idOf(key))
    })
  }
}

/**
 * The start of an imported run, from its opening; undefined for a further task. Before 0.3.1, its environment held it.
 */
const beginsOf = (source: string, opened: Event): RunStart["begins"] => {
  if (!is(opened, "TaskOpened")) return undefined
  const about = field(opened.payload.environment, source)
  const first = field(about, "part") === undefined ? textOf(about, "first") : undefined
  return (
    opened.payload.begins ??
    (first === undefined ? undefined : { with: first, isCopied: field(about, "isCopy") === true })
  )
}

/** With a call, its end is the same. */
const keysOfMatch = (key: string): ReadonlyArray<string> =>
  key.startsWith("call:") ? [key, key.replace("call:", "outcome:"), key.replace("call:", "unknown:")] : [key]

const remember = (known: Map<string, Array<Opened>>, first: string, opened: Opened): void => {
  const others = known.get(first)
  if (others === undefined) known.set(first, [opened])
  else if (!others.some(({ run }) => run === opened.run)) others.push(opened)
}
