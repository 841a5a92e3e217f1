/** References to a moment of the past (`@412`, an event id, a time): parsing, and looking them up in a log. */

import { Data, Effect, Either, Option, Schema } from "effect"
import { EventLog, type LogError } from "../log/EventLog.ts"
import * as StepPosition from "../steps/StepPosition.ts"
import type { Event } from "../vocabulary/Event.ts"
import * as Timelines from "./Timelines.ts"
import * as TimeSearch from "./TimeSearch.ts"

/**
 * A moment of the past:
 * - a position: `412`, `"412"` or `"@412"`; 0 is before the first event;
 * - a step in an event that contains several: `"@412#37"`, right after the step with index 37, counted from 0;
 * - an event's id: right after that event;
 * - a time in ISO 8601: a date (`2026-03-01`, midnight UTC), or a date and time with its zone (`2026-03-01T12:00:00Z`).
 *   It means the moment after the last event recorded by then (`recordedAt`). If it has milliseconds and an event
 *   happened at exactly that time (`occurredAt`, which lists print), it means the moment after that event;
 * - `now`: after the last event.
 *
 * A timeline may prefix a position or a time: `main@412`, `fork-1@2026-03-01`. Without a prefix, the timeline is the
 * log's (`main`), or the event's if the log's history does not contain the event of a position or id.
 */
export type Moment = number | string

/** Schema of `Moment`. Text is parsed at look-up. */
export const Moment: Schema.Schema<Moment> = Schema.Union(Schema.Number, Schema.String).annotations({
  description: "a moment: a position, an event's id or a time",
})

/** The state of a timeline after its events up to a position. */
export interface LocatedMoment {
  readonly timeline: string
  readonly position: number
  /** For a time: how it was found. */
  readonly time?: TimeSearch.FoundTime
}

/** A parsed moment, not looked up yet. */
export type Parsed = Data.TaggedEnum<{
  /** `timeline` is null if the moment names none. */
  AtPosition: { readonly timeline: string | null; readonly position: number }
  AtEvent: { readonly id: string }
  AtTime: {
    readonly timeline: string | null
    readonly epochMs: number
    /** True if written with milliseconds, as lists print times. */
    readonly toTheMs: boolean
  }
}>
const Parsed = Data.taggedEnum<Parsed>()

/** Fix the call: the text is no moment. */
export class MomentInvalid extends Data.TaggedError("MomentInvalid")<{
  readonly moment: Moment
  readonly reason: string
}> {
  override get message() {
    return (
      `${JSON.stringify(this.moment)} is not a moment: ${this.reason}. ` +
      "Expected a position (@412, main@412), an event's id, a time with its zone (2026-03-01T12:00:00Z), a step (@412#37), or now (fork-1@now)."
    )
  }
}

/** Fix the call: the log has no such position. */
export class PositionOutOfRange extends Data.TaggedError("PositionOutOfRange")<{
  readonly asked: number
  readonly head: number
}> {
  override get message() {
    return `There is no position ${StepPosition.addressOf(this.asked)}: expected a whole number from 0 (before the first event) to ${this.head} (the head).`
  }
}

/** Fix the call: the event at this position holds no such step. */
export class StepNotFound extends Data.TaggedError("StepNotFound")<{
  readonly asked: number
  /** The contents of the event, in words. */
  readonly found: string
}> {
  override get message() {
    const holder = StepPosition.holder(this.asked)
    return `There is no step ${StepPosition.addressOf(this.asked)}: the event at @${holder} holds ${this.found}. \`hindcast log show @${holder}\` shows it.`
  }
}

/** Fix the call: the timeline's history does not include the event at this position. */
export class PositionElsewhere extends Data.TaggedError("PositionElsewhere")<{
  readonly asked: number
  readonly timeline: string
  /** The timeline of the event at that position. */
  readonly found: string
}> {
  override get message() {
    return (
      `${StepPosition.addressOf(this.asked)} is not on timeline ${this.timeline}: its event belongs to timeline ${this.found}. ` +
      `Write ${StepPosition.addressOf(this.asked)} alone for timeline ${this.found}, or a position in ${this.timeline}'s history; \`hindcast log ls\` lists events.`
    )
  }
}

/** Fix the call: the log has no event with this id. */
export class EventNotFound extends Data.TaggedError("EventNotFound")<{ readonly event: Moment; readonly log: string }> {
  override get message() {
    return `${this.log} has no event ${this.event}. Expected the id or the position (1 or more) of an event; \`hindcast log ls\` lists them.`
  }
}

/** Fix the call: the range ends before it begins. */
export class RangeReversed extends Data.TaggedError("RangeReversed")<{
  readonly after: number
  readonly until: number
}> {
  override get message() {
    return `The range starts at @${this.after} but ends at @${this.until}: expected its end at its start or later.`
  }
}

/** Returns the range, or fails with `RangeReversed`. */
export const checkedRange = <Range extends { readonly after: number; readonly until: number }>(
  range: Range,
): Effect.Effect<Range, RangeReversed> => (range.until < range.after ? new RangeReversed(range) : Effect.succeed(range))

/** Errors of looking up a moment. */
export type LocateError =
  | MomentInvalid
  | PositionOutOfRange
  | StepNotFound
  | PositionElsewhere
  | EventNotFound
  | Timelines.TimelineNotFound
  | LogError

/** Whether a text is the address of a position (`@412`, `fork-1@412`) or of a step (`@412#37`), and so names no task. */
export const isAddress = (text: string): boolean => {
  const at = text.lastIndexOf("@")
  const rest = text.slice(at + 1)
  return at >= 0 && (POSITION.test(rest) || STEP.test(rest))
}

/** Parses a moment without a look-up. */
export const parse = (moment: Moment): Either.Either<Parsed, MomentInvalid> => {
  if (typeof moment === "number") return Either.right(Parsed.AtPosition({ timeline: null, position: moment }))
  if (typeof moment !== "string")
    return Either.left(new MomentInvalid({ moment: String(moment), reason: "it is neither a number nor a text" }))
  const text = moment.trim()
  if (EVENT_ID.test(text)) return Either.right(Parsed.AtEvent({ id: text.toLowerCase() }))
  // A timeline's name may contain an @.
  const at = text.lastIndexOf("@")
  const [timeline, rest] = [at > 0 ? text.slice(0, at) : null, text.slice(at + 1)]
  if (POSITION.test(rest)) return Either.right(Parsed.AtPosition({ timeline, position: Number(rest) }))
  // As programs write the position of an event within a compact one.
  if (WITHIN.test(rest) && StepPosition.isPosition(Number(rest)))
    return Either.right(Parsed.AtPosition({ timeline, position: Number(rest) }))
  const [, holder, step] = STEP.exec(rest) ?? []
  if (holder !== undefined && step !== undefined) {
    const position = StepPosition.after(Number(holder), step === "begin" ? StepPosition.BEGIN : Number(step))
    return Either.right(Parsed.AtPosition({ timeline, position }))
  }
  const epochMs = rest === NOW ? Number.POSITIVE_INFINITY : parseTime(rest)
  if (epochMs !== undefined) {
    return Either.right(Parsed.AtTime({ timeline, epochMs, toTheMs: MILLISECONDS.test(rest) }))
  }
  return Either.left(new MomentInvalid({ moment, reason: "it is neither a position, nor an id, nor a time" }))
}

/** The position of a moment, on any timeline. */
export const resolve = (moment: Moment): Effect.Effect<number, LocateError, EventLog> =>
  Effect.map(locate(moment), ({ position }) => position)

/** The timeline and position of a moment. */
export const locate = (moment: Moment): Effect.Effect<LocatedMoment, LocateError, EventLog> =>
  Effect.gen(function* () {
    const parsed = yield* parse(moment)
    const log = yield* EventLog
    switch (parsed._tag) {
      case "AtPosition":
        return yield* locatePosition(parsed)
      case "AtEvent": {
        const event = yield* log.find(parsed.id)
        if (Option.isNone(event)) return yield* new EventNotFound({ event: parsed.id, log: log.name })
        const { position, timeline } = event.value
        return { timeline: isInHistory(log.spans, event.value) ? log.timeline : timeline, position }
      }
      case "AtTime": {
        const view = yield* viewOf(parsed.timeline)
        if (parsed.epochMs === Number.POSITIVE_INFINITY) {
          return { timeline: view.timeline, position: yield* TimeSearch.lastRecordedBy(view, parsed.epochMs) }
        }
        const time = yield* TimeSearch.find(view, String(moment), parsed)
        return { timeline: view.timeline, position: time.position, time }
      }
    }
  })

const locatePosition = ({ timeline, position }: { readonly timeline: string | null; readonly position: number }) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    yield* checkedPosition(position)
    const view = yield* viewOf(timeline)
    const [event] = position === 0 ? [] : yield* eventAt(log, StepPosition.holder(position))
    if (event !== undefined && StepPosition.isWithin(position)) yield* checkedStep(event, position)
    if (event === undefined || isInHistory(view.spans, event)) return { timeline: view.timeline, position }
    if (timeline === null) return { timeline: event.timeline, position }
    return yield* new PositionElsewhere({ asked: position, timeline, found: event.timeline })
  })

/** The append checked the payload of the compact event. In a foreign log, its number of steps may be anything. */
const checkedStep = ({ type, payload }: Event, asked: number) => {
  const step = StepPosition.stepAt(asked) ?? 0
  const { steps, begin } = payload
  if (type !== StepPosition.COMPACT) return new StepNotFound({ asked, found: `no steps (${type})` })
  if (step === StepPosition.BEGIN) {
    return begin === undefined ? new StepNotFound({ asked, found: "no beginning of an episode" }) : Effect.void
  }
  return typeof steps === "number" && step < steps
    ? Effect.void
    : new StepNotFound({ asked, found: `the steps #0 to #${Number(steps) - 1}` })
}

/** No event if it is archived and its segment is missing: the state after it may still be readable. */
const eventAt = (log: EventLog.Service, position: number) =>
  log
    .readPage({ after: position - 1, until: position }, 1)
    .pipe(Effect.catchTag("SegmentUnavailable", () => Effect.succeed([])))

/** The log bound to a timeline, or the log itself for null. */
const viewOf = (timeline: string | null) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    return timeline === null ? log : Timelines.view(log, yield* Timelines.named(log, timeline))
  })

/** The task of the event at a position of a timeline; null if it has none, or if there is no event. */
export const taskAt = (
  log: Pick<EventLog.Service, "readPage" | "timeline">,
  position: number,
): Effect.Effect<string | null, LogError> =>
  position === 0
    ? Effect.succeed(null)
    : Effect.map(
        log.readPage({ timeline: log.timeline, after: position - 1, until: position }, 1),
        ([event]) => event?.taskId ?? null,
      )

/** True if a history includes the event. Spans are ordered oldest first. */
export const isInHistory = (spans: EventLog.Service["spans"], { timeline, position }: LocatedMoment): boolean =>
  spans.some(
    (span, index) => span.timeline === timeline && position <= span.until && position > (spans[index - 1]?.until ?? 0),
  )

/** Returns the position, whole or within an event, or fails with `PositionOutOfRange`. */
export const checkedPosition = (position: number): Effect.Effect<number, PositionOutOfRange | LogError, EventLog> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const head = yield* log.head
    if (StepPosition.isPosition(position) && position <= head.position) return position
    return yield* new PositionOutOfRange({ asked: position, head: head.position })
  })

const NOW = "now"
const POSITION = /^\d{1,15}$/
const WITHIN = /^\d{1,15}\.\d{1,20}$/
const STEP = /^(\d{1,10})#(\d{1,3}|10[01]\d|102[0-3]|begin)$/
const EVENT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const TIME = /^(\d{4})-(\d{2})-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** A time with exactly three significant decimals. */
const MILLISECONDS = /:\d{2}\.\d{3}0*(?:Z|[+-])/

/**
 * A typed time as epoch milliseconds. Undefined for a time without a zone, which would mean different moments on
 * different machines.
 */
export const parseTime = (text: string): number | undefined => {
  const match = TIME.exec(text)
  if (match === null) return undefined
  const [, year, month, day] = match.map(Number)
  // `Date.parse` accepts 30 February as 2 March.
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day ?? 0))
  if (date.getUTCDate() !== day) return undefined
  const epochMs = Date.parse(text)
  return Number.isNaN(epochMs) ? undefined : epochMs
}
