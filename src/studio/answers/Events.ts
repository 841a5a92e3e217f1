/** Answers `/api/event`, `/api/why`, `/api/effects`, `/api/saw` and `/api/curl`. */

import { Effect, Schema } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import { EventNotFound } from "../../events/read/Moment.ts"
import * as Passage from "../../projections/explanation/Passage.ts"
import * as Saw from "../../projections/request/Saw.ts"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import * as Curl from "../../providers/writing/Curl.ts"
import { visibleJson } from "../../providers/writing/ShellWord.ts"
import * as Entries from "../course/Entries.ts"
import * as ScopeCourse from "../course/ScopeCourse.ts"
import { StudioLog } from "../StudioLog.ts"
import type { Effects, WholeEvent, Why } from "../wire/CourseSlice.ts"
import type { CopiedRequest, Saw as SawAnswer } from "../wire/Saw.ts"
import * as Query from "./Query.ts"

export const EventQuery = Schema.Struct({ position: Query.Position })

export const SawQuery = Schema.Struct({
  timeline: Query.Timeline,
  position: Query.Position,
  task: Query.OptionalText,
})

export const EffectsQuery = Schema.Struct({ position: Query.Position, timeline: Query.OptionalText })

type Asked = typeof EventQuery.Type

/** The event at a position, of whatever timeline. */
export const eventAt = ({ position }: Asked) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const [event] = position === 0 ? [] : yield* log.readPage({ after: position - 1, until: position }, 1)
    return event ?? (yield* new EventNotFound({ event: `@${position}`, log: "This log" }))
  })

export const event = (asked: Asked) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const studio = yield* StudioLog
    const found = yield* eventAt(asked)
    const past = yield* studio.past(found.timeline)
    const scope = yield* studio.scope(past, found.taskId)
    const { changed } = ScopeCourse.fold(yield* scope.at(found.position - 1), [found])
    const entries = yield* Entries.of(
      log,
      [found],
      new Map(changed.map(({ position, changes }) => [position, changes])),
    )
    const { payload, stream, version, schemaVersion, causationId, hash } = found
    return entries.map(
      (entry): WholeEvent => ({ ...entry, payload, stream, version, schemaVersion, causationId, hash }),
    )[0]
  })

export const why = (asked: Asked) =>
  Effect.gen(function* () {
    const { id } = yield* eventAt(asked)
    const chain = yield* (yield* TimeTravel).why(id)
    const passage = yield* Passage.of(yield* EventLog, chain)
    return chain.map((event) => ({
      ...Entries.cause(event),
      ...(passage?.of === event.position ? { passage } : {}),
    })) satisfies Why
  })

const MAX_EFFECTS = 200

/** The effects of an event on the named timeline, else on its own. */
export const effects = ({ position, timeline }: typeof EffectsQuery.Type) =>
  Effect.gen(function* () {
    const { id } = yield* eventAt({ position })
    const options = timeline === undefined ? {} : { timeline }
    const found = yield* (yield* TimeTravel).effects(id, { limit: MAX_EFFECTS, ...options })
    return found.events.filter(({ depth }) => depth > 0).map(Entries.consequence) satisfies Effects
  })

/** The request that the model saw in the turn of an event. */
export const saw = ({ timeline, position, task }: typeof SawQuery.Type) =>
  Saw.at(`${timeline}@${position}`, task).pipe(
    Effect.map((found): SawAnswer => ({ saw: found })),
    Effect.catchTag("RequestNotFound", () => Effect.succeed<SawAnswer>({ saw: null })),
  )

/** The request of an event in its provider's format. */
export const curl = ({ timeline, position, task }: typeof SawQuery.Type) =>
  Saw.at(`${timeline}@${position}`, task).pipe(
    Effect.map(({ request }): CopiedRequest => {
      const written = Curl.write(request)
      if ("none" in written) return written
      const { url, key, notes, body } = written
      return { command: Curl.command(request), json: visibleJson(body), url, variable: key?.variable ?? null, notes }
    }),
    Effect.catchTag("RequestNotFound", ({ message }) => Effect.succeed<CopiedRequest>({ none: message })),
  )
