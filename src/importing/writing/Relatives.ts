/**
 * Finds runs in the log that begin with the same message as one that is imported: a fork that its program wrote as a copy. A run's opening
 * has the id of its first message, also where its words are left out.
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

/** A run as its opening tells. */
interface Opened {
  readonly taskId: string
  readonly run: string
  /** Whether an event of it is in the log; undefined: that has to be read. */
  readonly has?: (key: string) => boolean
}

export class Relatives {
  readonly #log: EventLog.Service
  readonly #dryRun: boolean
  /** The runs of each source in the log, by the ids of their first messages. */
  readonly #sources = new Map<string, Map<string, Array<Opened>>>()

  constructor(log: EventLog.Service, dryRun: boolean) {
    this.#log = log
    this.#dryRun = dryRun
  }

  /** The runs that were imported before, and begin with the same message as a file. */
  of(source: string, beginning: FileBeginning | undefined): Effect.Effect<ReadonlyArray<Relative>, LogError> {
    return Effect.gen(this, function* () {
      const { first, run } = beginning ?? {}
      if (first === undefined || run === undefined || (yield* this.#isKnownAsOwn(source, run))) return []
      const known = this.#sources.get(source) ?? (yield* this.#read(source))
      this.#sources.set(source, known)
      const before: Array<Relative> = []
      for (const one of known.get(first) ?? []) {
        // Those that were opened later than the run itself are its own copies.
        if (one.run === run) break
        before.push({ taskId: one.taskId, has: one.has ?? (yield* this.#eventsOf(source, one)) })
      }
      return before
    })
  }

  /** A file was imported: what comes after it may begin as it does. */
  add(beginning: FileBeginning | undefined, appenders: ReadonlyMap<ImportedRun, TaskAppender>): void {
    for (const [{ taskId, start }, appender] of appenders) {
      const first = start.begins?.with
      const known = this.#sources.get(appender.source)
      if (beginning === undefined || first === undefined || known === undefined) continue
      const has = this.#dryRun ? { has: (key: string) => appender.has(key) } : {}
      remember(known, first, { taskId, run: start.id, ...has })
    }
  }

  /** Whether the log has the run, as one that was copied from none: then there is nothing to look for. */
  #isKnownAsOwn(source: string, run: string): Effect.Effect<boolean, LogError> {
    const beginning = this.#log.readPage({ stream: `task/${taskIdOf(source, run)}` }, 1)
    return Effect.map(beginning, ([opened]) => {
      const begins = opened === undefined ? undefined : beginsOf(source, opened)
      return begins !== undefined && !begins.isCopied
    })
  }

  #read(source: string): Effect.Effect<Map<string, Array<Opened>>, LogError> {
    const known = new Map<string, Array<Opened>>()
    return this.#log.read({ types: ["TaskOpened"] }).pipe(
      Stream.runForEach((event) =>
        Effect.sync(() => {
          if (event.actor !== `import:${source}` || event.taskId === null || !is(event, "TaskOpened")) return
          const first = beginsOf(source, event)?.with
          const run = event.taskId.slice(source.length + 1)
          if (first !== undefined) remember(known, first, { taskId: event.taskId, run })
        }),
      ),
      Effect.as(known),
    )
  }

  /** The events of a run in all of its tasks. */
  #eventsOf(source: string, { taskId, run }: Opened): Effect.Effect<(key: string) => boolean, LogError> {
    return Effect.gen(this, function* () {
      const ids = new IdSet()
      const idOf = idsWithin(source, run)
      for (let part = 1; ; part++) {
        const stream = `task/${part === 1 ? taskId : `${taskId}+${part}`}`
        if ((yield* this.#log.versionOf(stream)) === 0) break
        yield* Stream.runForEach(this.#log.read({ stream }), ({ id }) => Effect.sync(() => ids.add(id)))
      }
      return (key) => ids.has(idOf(key))
    })
  }
}

/** What an imported run begins with, by its opening; undefined for one that goes on with another task. Before 0.3.1 its environment had it. */
const beginsOf = (source: string, opened: Event): RunStart["begins"] => {
  if (!is(opened, "TaskOpened")) return undefined
  const about = field(opened.payload.environment, source)
  const first = field(about, "part") === undefined ? textOf(about, "first") : undefined
  return (
    opened.payload.begins ??
    (first === undefined ? undefined : { with: first, isCopied: field(about, "isCopy") === true })
  )
}

const remember = (known: Map<string, Array<Opened>>, first: string, opened: Opened): void => {
  const others = known.get(first)
  if (others === undefined) known.set(first, [opened])
  else if (!others.some(({ run }) => run === opened.run)) others.push(opened)
}
