/**
 * A task's own time: the one module that subtracts times of events. No duration is negative, and no interval counts
 * twice.
 *
 * - An event that happened before the latest one so far takes no time: `occurredAt` is out of order in imports and in
 *   recordings of overlapping calls.
 * - An event recorded before its predecessor (someone set the log's clock back) takes no time; time continues from
 *   there.
 * - A `ClockChanged`, which the task's own process recorded, corrects what other processes' events counted since: only
 *   the time that really passed counts.
 * - The gaps between a recording and its fork, and between a kernel's end and the task's resumption, do not count.
 */

/** The fields of an event that own time depends on. */
export interface Timed {
  readonly timeline: string
  readonly occurredAt: number
  readonly recordedAt: number
  readonly type: string
  /** Read only from `ClockChanged`. */
  readonly payload: unknown
}

/** A task's own time after one of its events. */
export interface OwnTime {
  readonly timeline: string
  readonly lastAt: number
  readonly recordedAt: number
  readonly elapsedMs: number
  readonly leftOutMs: number
  readonly setBackMs: number
  readonly untoldMs: number
}

/** Milliseconds from one moment to a later one; 0 if the clock went back. */
export const between = (from: number, to: number): number => Math.max(0, to - from)

export const start = ({ timeline, occurredAt, recordedAt }: Omit<Timed, "type" | "payload">): OwnTime => ({
  timeline,
  lastAt: occurredAt,
  recordedAt,
  elapsedMs: 0,
  leftOutMs: 0,
  setBackMs: 0,
  untoldMs: 0,
})

/** The own time after the task's next event. */
export const after = (time: OwnTime, event: Timed): OwnTime => {
  const { timeline, occurredAt, recordedAt, type } = event
  const { lastAt, elapsedMs, leftOutMs, setBackMs, untoldMs } = time
  if (type === "ClockChanged" && timeline === time.timeline) return changed(time, event)
  const isSetBack = recordedAt < time.recordedAt
  // An event that happened before the clock went back and was recorded afterwards would count that step as elapsed
  // time.
  const at = isSetBack ? Math.min(occurredAt, recordedAt) : occurredAt
  const [forth, back] = [between(lastAt, at), between(at, lastAt)]
  const goesOn = timeline === time.timeline && type !== "TaskResumed"
  const isNew = !goesOn || isSetBack
  return {
    timeline,
    recordedAt,
    lastAt: isNew ? at : Math.max(lastAt, at),
    elapsedMs: goesOn ? elapsedMs + forth : elapsedMs,
    leftOutMs: goesOn ? leftOutMs : leftOutMs + forth,
    setBackMs: isNew ? setBackMs + back : setBackMs,
    untoldMs: goesOn ? untoldMs + (isSetBack ? back : 0) : 0,
  }
}

/** Replaces the time counted since the last change by the clock's step and the time that the process saw pass. */
const changed = (time: OwnTime, { timeline, occurredAt, recordedAt, payload }: Timed): OwnTime => {
  const went = occurredAt - time.lastAt
  const elapsedMs = Math.max(0, time.elapsedMs + went - byMsOf(payload) - time.untoldMs)
  return {
    timeline,
    recordedAt,
    lastAt: occurredAt,
    elapsedMs,
    leftOutMs: time.leftOutMs,
    setBackMs: time.setBackMs + (elapsedMs - time.elapsedMs) - went,
    untoldMs: 0,
  }
}

const byMsOf = (payload: unknown): number =>
  typeof payload === "object" && payload !== null && "byMs" in payload && typeof payload.byMs === "number"
    ? payload.byMs
    : 0

/** The time of an event on the task's own clock, in milliseconds since 1970, from the own time after that event. */
export const momentOf = ({ leftOutMs, setBackMs }: OwnTime, { occurredAt }: Pick<Timed, "occurredAt">): number =>
  occurredAt - leftOutMs + setBackMs
