/** Answers `/api/live` with events as they happen. */

import { Chunk, Effect, Ref, Schedule, Schema, Stream } from "effect"
import { CaughtUp, EventLog } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { CoreName } from "../../events/vocabulary/Vocabulary.ts"
import type { ServerSentEvent } from "../../platform/loopback/ServerSentEvents.ts"
import { confirmationOf } from "../../projections/state/ConfirmationAnswer.ts"
import * as Entries from "../course/Entries.ts"
import * as ScopeCourse from "../course/ScopeCourse.ts"
import { StudioLog } from "../StudioLog.ts"
import type { Live } from "../wire/Asking.ts"
import type { Change } from "../wire/CourseSlice.ts"
import * as Query from "./Query.ts"
import * as Questions from "./Questions.ts"

export const LiveQuery = Schema.Struct({ after: Query.wholeNumber(0, Number.MAX_SAFE_INTEGER) })

/** Interval of the index's progress events, in milliseconds. */
const PROGRESS_MS = 250

/** Maximum number of tasks whose state is cached to compute changes. */
const MAX_SCOPES = 200

/** Streams events after a position without a gap, questions whenever they change, and the progress of the index. */
export const live = ({ after }: typeof LiveQuery.Type) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { index } = yield* StudioLog
    const reached = yield* Ref.make(after)
    const changes = new LiveChanges()
    const told = (type: string, data: object) =>
      Effect.map(Ref.get(reached), (id): ServerSentEvent => ({ id, type, data }))

    const entries = log.follow({ after, whole: true }).pipe(
      Stream.filter((next): next is Event => !(next instanceof CaughtUp)),
      Stream.chunks,
      Stream.filter(Chunk.isNonEmpty),
      Stream.mapEffect((page) =>
        Effect.gen(function* () {
          const events = Chunk.toReadonlyArray(page)
          const changesAt = yield* changes.of(events)
          const head = events.at(-1)?.position ?? after
          yield* Ref.set(reached, head)
          const data: Live = { entries: yield* Entries.of(log, events, changesAt), head }
          const came = [yield* told("entries", data)]
          if (events.some(({ stream }) => confirmationOf(stream) !== undefined)) {
            came.push(yield* told("questions", yield* Questions.questions()))
          }
          return Chunk.unsafeFromArray(came)
        }),
      ),
      Stream.flattenChunks,
    )
    const asked = Stream.fromEffect(Effect.flatMap(Questions.questions(), (waiting) => told("questions", waiting)))
    const progress = Stream.repeatEffectWithSchedule(
      Effect.suspend(() => told("indexed", { indexed: index.indexed() })),
      Schedule.spaced(PROGRESS_MS),
    ).pipe(Stream.takeUntil(() => index.isComplete() || index.stopped() !== null))
    return Stream.concat(asked, Stream.merge(entries, progress, { haltStrategy: "left" })).pipe(
      Stream.catchAll((failure) =>
        Stream.fromEffect(told("problem", { error: failure._tag, message: failure.message })),
      ),
    )
  })

const SHREDDED: CoreName = "PayloadShredded"

/** The changes that events make. Keeps the states from one page to the next. */
class LiveChanges {
  readonly #scopes = new Map<string, ScopeCourse.ScopeState>()

  of(events: ReadonlyArray<Event>) {
    return Effect.gen(this, function* () {
      const studio = yield* StudioLog
      const changesAt = new Map<number, ReadonlyArray<Change>>()
      for (const event of events) {
        const { timeline, taskId, position, type } = event
        // Earlier states may hold the shredded data.
        if (type === SHREDDED) this.#scopes.clear()
        const key = JSON.stringify([timeline, taskId])
        const known = this.#scopes.get(key)
        const before = known ?? (yield* (yield* studio.scope(yield* studio.past(timeline), taskId)).at(position - 1))
        const { changed, ...after } = ScopeCourse.fold(before, [event])
        for (const { changes } of changed) changesAt.set(position, changes)
        if (known === undefined && this.#scopes.size >= MAX_SCOPES) this.#scopes.clear()
        this.#scopes.set(key, after)
      }
      return changesAt
    })
  }
}
