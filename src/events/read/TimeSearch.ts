/**
 * Finds a time in a log. Events have two times: `occurredAt` by their source's clock, which lists print, and
 * `recordedAt`. `recordedAt` rises with the position, unless a clock was set back; `occurredAt` has no order in
 * imported runs.
 */

import { Effect, FiberRef, Option } from "effect"
import type { EventLog, LogError } from "../log/EventLog.ts"

/** A time after its look-up. */
export interface FoundTime {
  readonly asked: string
  /** `occurredAt`: an event happened at exactly this time. `recordedAt`: the event is the last one recorded by then. */
  readonly clock: "occurredAt" | "recordedAt"
  readonly timeline: string
  /** The event; 0 if none was recorded by then. */
  readonly position: number
  /** Set if the time is after the timeline's last event, or even in the future. */
  readonly beyond: "last event" | "now" | null
}

/** Receives each time that is looked up, so that a command can say how it understood it. Default: does nothing. */
export const onFound: FiberRef.FiberRef<(found: FoundTime) => Effect.Effect<void>> = FiberRef.unsafeMake(
  (_: FoundTime): Effect.Effect<void> => Effect.void,
)

/** Describes a found time in a sentence. */
export const describe = ({ asked, clock, position, beyond }: FoundTime): string => {
  const future = beyond === "now"
  if (future && position > 0)
    return `${asked} is in the future by this machine's clock: the last event recorded by then is @${position} (recordedAt).`
  if (position === 0) {
    const none = future
      ? `${asked} is in the future by this machine's clock, and no event was recorded by then`
      : `No event was recorded by ${asked}`
    return (
      `${none} (recordedAt): taken as the moment before the first event. Imported events may have happened earlier (occurredAt): ` +
      "to find one, give its time with milliseconds, as `hindcast log ls` prints it."
    )
  }
  if (beyond === "last event") return `${asked} is after the last event, @${position} (recordedAt).`
  return clock === "occurredAt"
    ? `${asked} is when @${position} happened (occurredAt).`
    : `${asked}: the last event recorded by then is @${position} (recordedAt).`
}

/** Looks up a time, and tells `onFound`. */
export const find = (
  log: EventLog.Service,
  asked: string,
  { epochMs, toTheMs }: { readonly epochMs: number; readonly toTheMs: boolean },
): Effect.Effect<FoundTime, LogError> =>
  Effect.gen(function* () {
    const recorded = yield* lastRecordedBy(log, epochMs)
    const happened = toTheMs ? yield* lastHappenedAt(log, epochMs, recorded) : Option.none<number>()
    const isLast = recorded > 0 && (yield* isLastOf(log, recorded, epochMs))
    const found: FoundTime = {
      asked,
      timeline: log.timeline,
      ...(Option.isSome(happened)
        ? { clock: "occurredAt", position: happened.value, beyond: null }
        : {
            clock: "recordedAt",
            position: recorded,
            beyond: epochMs > Date.now() ? "now" : isLast ? "last event" : null,
          }),
    }
    yield* (yield* FiberRef.get(onFound))(found)
    return found
  })

/** True if the position is the timeline's last and was recorded before the time. */
const isLastOf = (log: EventLog.Service, position: number, epochMs: number) =>
  Effect.gen(function* () {
    const events = yield* log.readPage({ after: position - 1, timeline: log.timeline }, 2)
    return events.length === 1 && (events[0]?.recordedAt ?? epochMs) < epochMs
  }).pipe(Effect.catchTag("SegmentUnavailable", () => Effect.succeed(false)))

/**
 * The last event that happened at exactly this time. An event recorded as it happened is found by its `recordedAt`. Any
 * other may be anywhere: searches ranges without payloads, newest first, yielding between them. Skips archived events
 * whose segment is missing.
 */
const lastHappenedAt = (
  log: EventLog.Service,
  epochMs: number,
  recorded: number,
): Effect.Effect<Option.Option<number>, LogError> =>
  Effect.gen(function* () {
    const among = (after: number, until: number) =>
      log
        .readPage({ after, until, occurredAt: epochMs, timeline: log.timeline }, RANGE)
        .pipe(Effect.catchTag("SegmentUnavailable", () => Effect.succeed([])))
    const [live] = recorded === 0 ? [] : yield* among(recorded - 1, recorded)
    if (live?.recordedAt === epochMs) return Option.some(recorded)
    for (let until = (yield* log.head).position; until > 0; until -= RANGE) {
      const last = (yield* among(Math.max(0, until - RANGE), until)).at(-1)
      if (last !== undefined) return Option.some(last.position)
      yield* Effect.yieldNow()
    }
    return Option.none()
  })

const RANGE = 20_000

/**
 * The last position recorded by a time, or 0, by binary search. If a clock was set back, `recordedAt` is not monotonic;
 * the result is then one of the positions at which it passes the requested time.
 */
export const lastRecordedBy = (log: EventLog.Service, epochMs: number): Effect.Effect<number, LogError> =>
  Effect.gen(function* () {
    let before = 0
    let after = (yield* log.head).position + 1
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      // Not every position is on this timeline: compare the timeline's first event from the middle on.
      const [event] = yield* log.readPage({ after: middle - 1, until: after - 1, timeline: log.timeline }, 1)
      if (event !== undefined && event.recordedAt <= epochMs) before = event.position
      else after = middle
    }
    return before
  })
