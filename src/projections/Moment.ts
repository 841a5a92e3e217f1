import { Data, Effect, Either, Option } from "effect"
import { EventLog, type LogError, MAIN } from "../events/EventLog.ts"

/**
 * A moment of the past, as a program or a person gives it:
 * - a position: `412`, `"412"`, `"@412"` or `"main@412"`; 0 is the moment before the first event;
 * - an event's id: the moment right after that event;
 * - a time, ISO 8601: a date (`2026-03-01`, midnight UTC) or a date and time with its zone (`2026-03-01T12:00:00Z`): the
 *   moment after the last event recorded by then.
 */
export type Moment = number | string

/** A moment, read but not yet looked up. */
export type Parsed = Data.TaggedEnum<{
  AtPosition: { readonly position: number }
  AtEvent: { readonly id: string }
  AtTime: { readonly epochMs: number }
}>
const Parsed = Data.taggedEnum<Parsed>()

/** Fix the call: this says no moment. */
export class MomentInvalid extends Data.TaggedError("MomentInvalid")<{
  readonly moment: Moment
  readonly reason: string
}> {
  override get message() {
    return (
      `${JSON.stringify(this.moment)} is no moment: ${this.reason}. ` +
      "Expected a position (@412, main@412), an event's id, or a time with its zone (2026-03-01T12:00:00Z)."
    )
  }
}

/** Fix the call: the log has no such position. */
export class PositionOutOfRange extends Data.TaggedError("PositionOutOfRange")<{
  readonly asked: number
  readonly head: number
}> {
  override get message() {
    return `There is no position @${this.asked}: expected a whole number from 0 (before the first event) to ${this.head} (the head).`
  }
}

/** Fix the call: the log has no event of this id. */
export class EventNotFound extends Data.TaggedError("EventNotFound")<{ readonly event: Moment; readonly log: string }> {
  override get message() {
    return `${this.log} has no event ${this.event}. Expected the id or the position (1 or more) of an event; \`hindcast log\` lists them.`
  }
}

/** Reads a moment without looking anything up. */
export const parse = (moment: Moment): Either.Either<Parsed, MomentInvalid> => {
  if (typeof moment === "number") return Either.right(Parsed.AtPosition({ position: moment }))
  const text = moment.trim()
  const position = POSITION.exec(text)
  if (position !== null) {
    const timeline = position[1]
    if (timeline !== undefined && timeline !== "" && timeline !== MAIN) {
      return Either.left(
        new MomentInvalid({ moment, reason: `timeline "${timeline}" cannot be read here, only ${MAIN}` }),
      )
    }
    return Either.right(Parsed.AtPosition({ position: Number(position[2]) }))
  }
  if (EVENT_ID.test(text)) return Either.right(Parsed.AtEvent({ id: text.toLowerCase() }))
  const epochMs = parseTime(text)
  if (epochMs !== undefined) return Either.right(Parsed.AtTime({ epochMs }))
  return Either.left(new MomentInvalid({ moment, reason: "it is neither a position, nor an id, nor a time" }))
}

/** The position that a moment names. */
export const resolve = (
  moment: Moment,
): Effect.Effect<number, MomentInvalid | PositionOutOfRange | EventNotFound | LogError, EventLog> =>
  Effect.gen(function* () {
    const parsed = yield* parse(moment)
    const log = yield* EventLog
    switch (parsed._tag) {
      case "AtPosition":
        return yield* withinLog(parsed.position)
      case "AtEvent": {
        const event = yield* log.find(parsed.id)
        if (Option.isNone(event)) return yield* new EventNotFound({ event: parsed.id, log: log.name })
        return event.value.position
      }
      case "AtTime":
        return yield* lastRecordedBy(parsed.epochMs)
    }
  })

/** The position itself, where the log has it. */
export const withinLog = (position: number): Effect.Effect<number, PositionOutOfRange | LogError, EventLog> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const head = yield* log.head
    if (Number.isInteger(position) && position >= 0 && position <= head.position) return position
    return yield* new PositionOutOfRange({ asked: position, head: head.position })
  })

/**
 * The last position recorded by a time, or 0, by binary search. Where a clock was set back the log's times fall for a
 * while; the answer is then one of the moments at which the log's time passed the asked one.
 */
const lastRecordedBy = (epochMs: number): Effect.Effect<number, LogError, EventLog> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    let before = 0
    let after = (yield* log.head).position + 1
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      const [event] = yield* log.readPage({ after: middle - 1, until: middle }, 1)
      if (event !== undefined && event.recordedAt <= epochMs) before = middle
      else after = middle
    }
    return before
  })

const POSITION = /^(?:([^@\s]*)@)?(\d{1,15})$/
const EVENT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const TIME = /^(\d{4})-(\d{2})-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** A time without a zone would mean another moment on another machine: it is not one. */
const parseTime = (text: string): number | undefined => {
  const match = TIME.exec(text)
  if (match === null) return undefined
  const [, year, month, day] = match.map(Number)
  // `Date.parse` takes 30 February for 2 March.
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day ?? 0))
  if (date.getUTCDate() !== day) return undefined
  const epochMs = Date.parse(text)
  return Number.isNaN(epochMs) ? undefined : epochMs
}
