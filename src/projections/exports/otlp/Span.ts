import { sha256 } from "../../../values/Json.ts"
import { nanoseconds } from "../../../values/Time.ts"

/** A value as OTLP/JSON writes it: 64-bit integers are text (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). */
export type Value =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean }

export interface Attribute {
  readonly key: string
  readonly value: Value
}

/** Something that happened within a span. */
export interface SpanEvent {
  readonly timeUnixNano: string
  readonly name: string
  readonly attributes: ReadonlyArray<Attribute>
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

/** Attributes by name; what is undefined is left out. */
export const attributes = (
  of: Readonly<Record<string, string | number | boolean | undefined>>,
): ReadonlyArray<Attribute> =>
  Object.entries(of).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: asValue(value) }]))

const asValue = (value: string | number | boolean): Value => {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value === "boolean") return { boolValue: value }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** Milliseconds since the Unix epoch, fractions allowed, as nanoseconds. */
export const nanos = (ms: number): string => String(nanoseconds(ms))

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** 16 bytes for a task, the same in every export: its own where its id is a UUID, so that a trace is found by its task. */
export const traceIdOf = (taskId: string, timeline: string): string =>
  timeline === "main" && UUID.test(taskId) ? taskId.replaceAll("-", "") : sha256(`${timeline}\0${taskId}`).slice(0, 32)

/** 8 bytes for a span, by the event that begins it. */
export const spanIdOf = (eventId: string): string => sha256(eventId).slice(0, 16)
