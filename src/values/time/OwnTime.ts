/**
 * A task's own time, from the times of its events: the one function that subtracts them. No duration is negative, and
 * none counts twice.
 *
 * - An event that happened before the latest so far (`occurredAt` out of order, as in imports and recordings of calls
 *   that overlap) takes no time: what has passed goes to the latest time that there was.
 * - An event that was recorded before the one before it was recorded (`recordedAt` goes back only where the log's clock
 *   was set back) takes no time either, and time goes on from there.
 * - Where the task's own process saw its clock change (`ClockChanged`), the time that passed counts, however far the clock was
 *   set: it corrects what the events between counted, which were recorded by others.
 * - What lay between a recording and its fork, and between a kernel's end and the task's resumption, is left out.
 */

/** What is read of an event. */
export interface Timed {
  readonly timeline: string
  readonly occurredAt: number
  readonly recordedAt: number
  readonly type: string
  /** Is read of `ClockChanged` alone. */
  readonly payload: unknown
}

/** The own time of a task after one of its events. */
export interface OwnTime {
  readonly timeline: string
  readonly lastAt: number
  readonly recordedAt: number
  readonly elapsedMs: number
  readonly leftOutMs: number
  readonly setBackMs: number
  readonly untoldMs: number
}

/** The time from one moment to a later one; 0 where the clock was set back in between. */
export const between = (from: number, to: number): number => Math.max(0, to - from)

/** The own time of a task whose first event this is. */
export const start = ({ timeline, occurredAt, recordedAt }: Omit<Timed, "type" | "payload">): OwnTime => ({
  timeline,
  lastAt: occurredAt,
  recordedAt,
  elapsedMs: 0,
  leftOutMs: 0,
  setBackMs: 0,
  untoldMs: 0,
})

/** The own time after one more event of the task. */
export const after = (time: OwnTime, event: Timed): OwnTime => {
  const { timeline, occurredAt, recordedAt, type } = event
  const { lastAt, elapsedMs, leftOutMs, setBackMs, untoldMs } = time
  if (type === "ClockChanged" && timeline === time.timeline) return changed(time, event)
  const isSetBack = recordedAt < time.recordedAt
  // What happened before the clock was set back, and was recorded after that, would count as that much time.
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

/** After a change of the clock that was seen. What was counted since the last one is what the clock went, and what it was seen to be set back. */
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

/** When an event happened by the task's own time, which this is after the event: in milliseconds since 1970. */
export const momentOf = ({ leftOutMs, setBackMs }: OwnTime, { occurredAt }: Pick<Timed, "occurredAt">): number =>
  occurredAt - leftOutMs + setBackMs
