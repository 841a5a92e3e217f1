/**
 * Infers the answer that a recorded program's call followed from. The program's events do not tell, so the call's
 * values decide.
 */

import { Effect } from "effect"
import type { LogError } from "../../../events/log/EventLog.ts"
import * as StepPosition from "../../../events/steps/StepPosition.ts"
import type { Event } from "../../../events/vocabulary/Event.ts"
import { type CoreName, is } from "../../../events/vocabulary/Vocabulary.ts"
import { yieldToEventLoop } from "../../../platform/yieldToEventLoop.ts"
import type { Json, JsonObject } from "../../../values/Json.ts"
import type { TimelineHistory } from "../TimelineHistory.ts"
import * as DataFlow from "./DataFlow.ts"

/** An answer that contains values of a call. */
export interface Answer {
  readonly event: Event
  /** JSON Pointers of the call's arguments whose values occur in it. */
  readonly matched: ReadonlyArray<string>
}

/**
 * Maximum number of answers, and of their characters, per chain of causes. The characters suffice for the largest
 * single answer.
 */
export const allowance = (): DataFlow.Allowance => ({ answers: 2_000, characters: 8 * 1024 * 1024 })

/** Number of answers per page, newest first. */
const PAGE = 64

/** Types of events that answer a program. */
const ANSWERS: ReadonlyArray<CoreName> = [
  ...(["ModelResponded", "IoAnswered", "CommandSucceeded", "SensorRead", "RandomDrawn"] as const),
]

/**
 * Whether an event began the recording of a program or of its fork. It is the cause of everything that the program does
 * by itself.
 */
export const beganRecording = (event: Event): boolean =>
  (is(event, "TaskOpened") && event.payload.recorder !== undefined) ||
  (is(event, "TimelineForked") && event.payload.overrides.recorder !== undefined)

/**
 * Returns the answer before a call that contains most of the call's values; of several, the newest. Undefined if the
 * event is not such a call, or if no answer contains any of its values.
 */
export const of = (
  past: TimelineHistory,
  call: Event,
  left: DataFlow.Allowance,
): Effect.Effect<Answer | undefined, LogError> =>
  Effect.gen(function* () {
    const args = argsOf(call)
    const sought = args === undefined ? undefined : DataFlow.soughtIn(args)
    if (sought === undefined || sought.size === 0) return undefined
    let best: { readonly event: Event; readonly found: ReadonlySet<string | number> } | undefined
    let [until, size] = [StepPosition.before(call.position), PAGE]
    search: while (until > 0 && left.answers > 0 && left.characters > 0) {
      const after = Math.max(0, until - size)
      // One position more: a model's raw response directly follows the answer that was read from it.
      const query = { taskId: call.taskId, types: ANSWERS, after: Math.max(0, after - 1), until }
      const page = yield* past.readPage(query, PAGE + 2)
      if (page.length > PAGE + 1) {
        size = Math.max(PAGE, Math.floor(size / 4))
        continue
      }
      const read = new Set(page.flatMap((event) => (is(event, "ModelResponded") ? [event.causationId] : [])))
      for (const event of page.toReversed()) {
        if (event.position <= after || (isFetched(event) && read.has(event.causationId))) continue
        if (left.answers-- <= 0 || left.characters <= 0) break search
        const content = contentOf(event)
        const found = content === undefined ? undefined : DataFlow.foundIn(content, sought, left)
        if (found !== undefined && found.size > (best?.found.size ?? 0)) best = { event, found }
        if (best?.found.size === sought.size) break search
      }
      until = after
      if (page.length < PAGE / 4) size *= 4
      yield* yieldToEventLoop
    }
    if (best === undefined) return undefined
    const { event, found } = best
    return { event, matched: [...new Set([...sought].flatMap(([value, at]) => (found.has(value) ? at : [])))] }
  })

/**
 * The arguments of a call with the program's own values. HTTP requests are excluded: they are full of their client's
 * values.
 */
const argsOf = (event: Event): Json | undefined => {
  if (event.personal?.readable === false) return undefined
  if (is(event, "ActuatorCommanded")) return event.payload.args
  return is(event, "IoCalled") && event.payload.io !== "fetch" ? event.payload.request : undefined
}

const isFetched = (event: Event): boolean => is(event, "IoAnswered") && event.payload.io === "fetch"

/** The content of an answer, without usage, cost, times, headers and ids. */
const contentOf = (event: Event): Json | undefined => {
  if (event.personal?.readable === false) return undefined
  if (is(event, "ModelResponded")) return saidIn(event.payload.response)
  if (is(event, "IoAnswered")) return isFetched(event) ? bodyOf(event.payload.result) : event.payload.result
  if (is(event, "CommandSucceeded")) return event.payload.result
  if (is(event, "SensorRead")) return event.payload.reading
  return is(event, "RandomDrawn") ? event.payload.value : undefined
}

/** The texts of a model's answer, the arguments of its calls, and the results of hosted tools. */
const saidIn = (response: Json): Json => {
  const parts = (response as JsonObject | null)?.parts
  if (!Array.isArray(parts)) return response
  return parts.map((part: JsonObject | null) => [part?.text ?? null, part?.args ?? null, part?.result ?? null])
}

/**
 * The text of a response's body, from its recorded chunks: `[milliseconds, text]` or `[milliseconds, bytes, "base64"]`.
 */
const bodyOf = (response: Json): Json | undefined => {
  const chunks = (response as JsonObject | null)?.chunks
  if (!Array.isArray(chunks)) return undefined
  const pieces = chunks.flatMap((chunk: Json) => {
    const [, text, encoding] = Array.isArray(chunk) ? chunk : []
    return typeof text === "string" ? [Buffer.from(text, encoding === "base64" ? "base64" : "utf8")] : []
  })
  return Buffer.concat(pieces).toString("utf8")
}
