/** What a recorded program asks by functions of its own: sensors, other calls, the time and chance. */

import { newId } from "../events/vocabulary/Event.ts"
import * as MonotonicClock from "../platform/MonotonicClock.ts"
import { digest } from "../values/Digest.ts"
import type { Redaction } from "./http/Redaction.ts"
import * as JsonCopy from "./JsonCopy.ts"
import type { RunLog } from "./log/RunLog.ts"
import { recordable } from "./Recordable.ts"
import type { Recorded } from "./Run.ts"
import { failureOf } from "./Thrown.ts"

/** What these calls need. */
export interface IoParts {
  readonly log: RunLog
  readonly redaction: Redaction
}

/** A function whose calls and answers are recorded. */
export const io =
  <Args extends ReadonlyArray<unknown>, Result>(
    { log, redaction }: IoParts,
    name: string,
    does: (...args: Args) => Result,
  ): Recorded<Args, Result> =>
  async (...args): Promise<Awaited<Result>> => {
    const id = newId()
    const request = redaction.value(JsonCopy.of(args).json)
    const payload = { io: name, request: recordable(request, (omitted) => omitted), requestDigest: digest(request) }
    await log.tell({ type: "IoCalled", id, payload })
    const startedAt = performance.now()
    const latencyMs = () => MonotonicClock.elapsedSince(startedAt)
    let result: unknown
    try {
      result = await does(...args)
    } catch (thrown) {
      const payload = { io: name, error: failureOf(thrown, redaction), latencyMs: latencyMs() }
      await log.tell({ type: "IoFailed", causationId: id, payload })
      throw thrown
    }
    const answered = { io: name, result: redaction.value(JsonCopy.of(result).json), latencyMs: latencyMs() }
    const failed = { io: name, error: TOO_LARGE, latencyMs: answered.latencyMs }
    await log.append([{ type: "IoAnswered", causationId: id, payload: answered }], {
      otherwise: () => [{ type: "IoFailed", causationId: id, payload: failed }],
    })
    return result as Awaited<Result>
  }

/** A function as a sensor. */
export const sensor =
  <Reading>({ log, redaction }: IoParts, name: string, reads: () => Reading): Recorded<[], Reading> =>
  async (): Promise<Awaited<Reading>> => {
    const startedAt = performance.now()
    let read: unknown
    try {
      read = await reads()
    } catch (thrown) {
      await log.tell({
        type: "SensorFailed",
        payload: { sensor: `program/${name}`, error: failureOf(thrown, redaction) },
      })
      throw thrown
    }
    const latencyMs = MonotonicClock.elapsedSince(startedAt)
    const reading = redaction.value(JsonCopy.of(read).json)
    const named = { sensor: `program/${name}` }
    await log.append([{ type: "SensorRead", payload: { ...named, reading, priority: 0, latencyMs } }], {
      otherwise: () => [{ type: "SensorFailed", payload: { ...named, error: TOO_LARGE } }],
    })
    return read as Awaited<Reading>
  }

/** The time, which is recorded meanwhile. */
export const now = ({ log }: IoParts): number => {
  log.assertRecording()
  const result = Date.now()
  log.inBackground(log.tell({ type: "IoAnswered", payload: { io: "now", result } }))
  return result
}

/** A random number, which is recorded meanwhile. */
export const random = ({ log }: IoParts): number => {
  log.assertRecording()
  const value = Math.random()
  log.inBackground(log.tell({ type: "RandomDrawn", payload: { purpose: "run.random", value } }))
  return value
}

/** What is recorded in the place of a result that the log cannot hold. The program gets its result all the same. */
export const TOO_LARGE = { code: "OutcomeNotRecordable", message: "the result is too large to be recorded" }
