/** Records calls of a program's own functions: sensors, `run.io`, clock and random numbers. */

import { newId } from "../events/vocabulary/Event.ts"
import * as MonotonicClock from "../platform/MonotonicClock.ts"
import { digest } from "../values/Digest.ts"
import type { Redaction } from "./http/Redaction.ts"
import * as JsonCopy from "./JsonCopy.ts"
import type { RunLog } from "./log/RunLog.ts"
import { recordable } from "./Recordable.ts"
import type { Recorded } from "./Run.ts"
import { failureOf } from "./Thrown.ts"
import * as Unrecorded from "./Unrecorded.ts"
import * as Within from "./Within.ts"

export interface IoParts {
  readonly log: RunLog
  readonly redaction: Redaction
}

/** Wraps a function so that its calls and results are recorded. */
export const io =
  <Args extends ReadonlyArray<unknown>, Result>(
    { log, redaction }: IoParts,
    name: string,
    does: (...args: Args) => Result,
  ): Recorded<Args, Result> =>
  async (...args): Promise<Awaited<Result>> => {
    const id = newId()
    const request = redaction.value(JsonCopy.of(args))
    const payload = { io: name, request: recordable(request, (omitted) => omitted), requestDigest: digest(request) }
    await log.tell({ type: "IoCalled", id, payload })
    const startedAt = performance.now()
    const latencyMs = () => MonotonicClock.elapsedSince(startedAt)
    let result: unknown
    try {
      result = await Within.run(id, () => does(...args))
    } catch (thrown) {
      const payload = { io: name, error: failureOf(thrown, redaction), latencyMs: latencyMs() }
      await log.tell({ type: "IoFailed", causationId: id, payload })
      throw thrown
    }
    const answered = { io: name, latencyMs: latencyMs() }
    await Unrecorded.appendResult(log, redaction, result, (result, why) => ({
      type: "IoAnswered",
      causationId: id,
      payload: { ...answered, result, ...Unrecorded.because(why) },
    }))
    return result as Awaited<Result>
  }

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
    const sensor = `program/${name}`
    // A result that cannot be recorded is a failed reading, so that nothing takes it for null.
    await Unrecorded.appendResult(log, redaction, read, (reading, why) =>
      why === undefined
        ? { type: "SensorRead", payload: { sensor, reading, priority: 0, latencyMs } }
        : { type: "SensorFailed", payload: { sensor, error: { code: Unrecorded.CODE, message: why } } },
    )
    return read as Awaited<Reading>
  }

export const now = ({ log }: IoParts): number => {
  log.assertRecording()
  const result = Date.now()
  log.inBackground(log.tell({ type: "IoAnswered", payload: { io: "now", result } }))
  return result
}

export const random = ({ log }: IoParts): number => {
  log.assertRecording()
  const value = Math.random()
  log.inBackground(log.tell({ type: "RandomDrawn", payload: { purpose: "run.random", value } }))
  return value
}
