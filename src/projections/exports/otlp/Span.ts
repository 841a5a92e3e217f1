/** Spans in OTLP/JSON, with ids derived from tasks and events. */

import { sha256 } from "../../../values/Digest.ts"
import { nanoseconds } from "../../../values/Time.ts"

/**
 * An attribute value in OTLP/JSON: 64-bit integers are text
 * (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding).
 */
export type Value =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean }

export interface Attribute {
  readonly key: string
  readonly value: Value
}

export interface SpanEvent {
  readonly timeUnixNano: string
  readonly name: string
  readonly attributes: ReadonlyArray<Attribute>
}

/** A span of another trace. */
export interface SpanLink {
  readonly traceId: string
  readonly spanId: string
}

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<Attribute>
  readonly events: ReadonlyArray<SpanEvent>
  readonly links?: ReadonlyArray<SpanLink>
  readonly droppedEventsCount?: number
  readonly status: Status
}

export interface Status {
  readonly code?: number
  readonly message?: string
}

/** `SpanKind` and `StatusCode` of the protocol. */
export const INTERNAL = 1
export const CLIENT = 3
export const OK: Status = { code: 1 }
export const UNSET: Status = {}
export const failed = (message: string): Status => ({ code: 2, message })

/** Attributes by name, without undefined values. */
export const attributes = (
  of: Readonly<Record<string, string | number | boolean | undefined>>,
): ReadonlyArray<Attribute> =>
  Object.entries(of).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: asValue(value) }]))

const asValue = (value: string | number | boolean): Value => {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value === "boolean") return { boolValue: value }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** Converts milliseconds since the Unix epoch, fractions allowed, to nanoseconds. */
export const nanos = (ms: number): string => String(nanoseconds(ms))

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * The trace id of a task, 16 bytes, the same in every export. On `main`, a task id that is a UUID becomes the trace id,
 * so that the trace can be found by its task.
 */
export const traceIdOf = (taskId: string, timeline: string): string =>
  timeline === "main" && UUID.test(taskId) ? taskId.replaceAll("-", "") : sha256(`${timeline}\0${taskId}`).slice(0, 32)

/** The span id, 8 bytes, from the id of the span's first event. */
export const spanIdOf = (eventId: string): string => sha256(eventId).slice(0, 16)
