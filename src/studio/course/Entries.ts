/** Converts events to the entries that Studio's page receives. */

import { Effect, Option } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { RULES } from "../../events/vocabulary/Inference.ts"
import { core } from "../../events/vocabulary/Vocabulary.ts"
import * as EventSummary from "../../projections/summary/EventSummary.ts"
import * as Inferences from "../../projections/timetravel/causes/Inferences.ts"
import type * as TimeTravel from "../../projections/timetravel/TimeTravel.ts"
import { defined } from "../../values/defined.ts"
import type { Hit } from "../wire/Asking.ts"
import {
  type Brief,
  type Cause,
  type Change,
  type Effects,
  type Entry,
  type InferredCause,
  LONGEST_PAYLOAD,
  type Placed,
  type Why,
} from "../wire/CourseSlice.ts"
import { isBad, kindOf } from "./EventKind.ts"

/** Events with their causes. Looks up only causes outside these events. */
export const of = (
  log: EventLog.Service,
  events: ReadonlyArray<Event>,
  changesAt: ReadonlyMap<number, ReadonlyArray<Change>>,
): Effect.Effect<ReadonlyArray<Entry>, LogError> =>
  Effect.gen(function* () {
    const known = new Map(events.map((event) => [event.id, event]))
    const causes = new Map<string, Cause>()
    for (const { causationId } of events) {
      if (causationId === null || causes.has(causationId)) continue
      const cause = known.get(causationId) ?? Option.getOrUndefined(yield* found(log, causationId))
      if (cause !== undefined) causes.set(causationId, causeOf(cause))
    }
    return events.map((event) => {
      const cause = causes.get(event.causationId ?? "")
      const { cause: rule } = Inferences.of(event)
      const inferred = inferredBy(defined({ rule }))
      return entryOf(event, cause === undefined ? null : { ...cause, ...defined({ inferred }) }, changesAt)
    })
  })

/** A cause may be archived in a segment that is missing. */
const found = (log: EventLog.Service, id: string) =>
  Effect.catchTag(log.find(id), "SegmentUnavailable", () => Effect.succeedNone)

const causeOf = (event: Event): Cause => ({
  position: event.position,
  type: event.type,
  line: EventSummary.of(event),
})

const entryOf = (event: Event, cause: Cause | null, changesAt: ReadonlyMap<number, ReadonlyArray<Change>>): Entry => {
  const { length } = JSON.stringify(event.payload)
  return {
    ...brief(event),
    id: event.id,
    task: event.taskId,
    timeline: event.timeline,
    recordedAt: event.recordedAt,
    cause,
    payload: length > LONGEST_PAYLOAD ? null : event.payload,
    length,
    unreadable: unreadable(event),
    changes: changesAt.get(event.position) ?? [],
  }
}

export const brief = (event: Event): Brief => ({
  position: event.position,
  type: event.type,
  kind: kindOf(event.type),
  bad: isBad(event),
  line: EventSummary.of(event),
  actor: event.actor,
  occurredAt: event.occurredAt,
})

export const cause = (event: TimeTravel.Cause): Why[number] => {
  const placed = placedOf(event)
  return {
    ...brief(event),
    ...defined({ inferred: inferredBy(event) }),
    ...(placed.length === 0 ? {} : { placed }),
  }
}

export const consequence = ({ event, depth, rule }: TimeTravel.Consequence): Effects[number] => ({
  ...brief(event),
  depth,
  ...defined({ inferred: inferredBy(defined({ rule })) }),
})

const inferredBy = ({ rule, matched: from }: Pick<TimeTravel.Cause, "rule" | "matched">): InferredCause | undefined =>
  rule === undefined ? undefined : { rule, says: RULES[rule], ...defined({ from }) }

const placedOf = (event: Event): ReadonlyArray<Placed> => {
  const { task, after, retryOf } = Inferences.of(event)
  return Object.entries(defined({ task, after, retryOf })).map(([what, rule]) => ({
    what: what as Placed["what"],
    rule,
    says: RULES[rule],
  }))
}

export const hit = (event: Event): Hit => ({
  position: event.position,
  timeline: event.timeline,
  task: event.taskId,
  type: event.type,
  line: EventSummary.of(event),
})

/** Names of personal fields whose key is missing. */
const unreadable = ({ type, payload, personal }: Event): ReadonlyArray<string> =>
  personal === undefined || personal.readable
    ? []
    : Object.keys(core.types.get(type)?.personal ?? {}).filter((field) => Object.hasOwn(payload, field))
