/**
 * Decodes OTLP spans: attributes are lists of typed values. In OTLP/JSON, ids are hexadecimal and 64-bit integers are
 * text; a decoded protobuf message has bytes and numbers.
 */

import { timeOf } from "../runs/SourceTimes.ts"
import { field, isObject, listOf, textOf } from "../runs/Untrusted.ts"

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  /** Whether its parent, if any, belongs to another service, as for a served request or a consumed message. */
  readonly isEntry: boolean
  readonly name: string
  /** Epoch milliseconds. */
  readonly start: number | null
  readonly end: number | null
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: ReadonlyArray<SpanEvent>
  /** The status message if the status is an error. */
  readonly error: string | undefined
  /** `service.name` of its resource. */
  readonly service: string | undefined
}

export interface SpanEvent {
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Undefined for a span without ids. */
export const spanOf = (value: unknown, resource: unknown): Span | undefined => {
  const either = (camel: string, snake: string) => field(value, camel) ?? field(value, snake)
  const [traceId, spanId] = [either("traceId", "trace_id"), either("spanId", "span_id")].map(idIn)
  if (traceId === undefined || spanId === undefined) return undefined
  const status = field(value, "status")
  const code = field(status, "code")
  const isError = code === 2 || code === "STATUS_CODE_ERROR" || code === "2"
  return {
    traceId,
    spanId,
    parentSpanId: idIn(either("parentSpanId", "parent_span_id")),
    isEntry: ENTRY_KINDS.has(field(value, "kind")) || hasRemoteParent(field(value, "flags")),
    name: textOf(value, "name") ?? "span",
    start: nanosOf(either("startTimeUnixNano", "start_time_unix_nano")),
    end: nanosOf(either("endTimeUnixNano", "end_time_unix_nano")),
    attributes: attributesOf(value),
    events: listOf(value, "events").map((event) => ({
      name: textOf(event, "name") ?? "",
      attributes: attributesOf(event),
    })),
    error: isError ? (textOf(status, "message") ?? "an error") : undefined,
    service: textOf(attributesOf(field(resource, "resource")), "service.name"),
  }
}

/** SERVER and CONSUMER, by number and name. */
const ENTRY_KINDS: ReadonlySet<unknown> = new Set([2, "SPAN_KIND_SERVER", 5, "SPAN_KIND_CONSUMER"])

/** Flag bits: remoteness is known, and the parent is remote. */
const REMOTE_PARENT = 0x100 | 0x200

const hasRemoteParent = (flags: unknown): boolean =>
  typeof flags === "number" && (flags & REMOTE_PARENT) === REMOTE_PARENT

/** The trace id, under the same conditions as `spanOf`. */
export const traceIdOf = (value: unknown): string | undefined => {
  const either = (camel: string, snake: string) => field(value, camel) ?? field(value, snake)
  const [traceId, spanId] = [either("traceId", "trace_id"), either("spanId", "span_id")].map(idIn)
  return spanId === undefined ? undefined : traceId
}

/** Reads one text attribute without decoding the others. Of duplicates, the last counts. */
export const textAttribute = (span: unknown, name: string): string | undefined => {
  const found = listOf(span, "attributes").findLast((one) => field(one, "key") === name)
  return found === undefined ? undefined : textOf({ value: anyValue(field(found, "value"), 0) }, "value")
}

/** A hexadecimal id in lower case; undefined for all zeros. */
export const idIn = (value: unknown): string | undefined => {
  const text =
    value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex") : value
  return typeof text === "string" && /^[0-9a-f]{16,32}$/i.test(text) && !/^0+$/.test(text)
    ? text.toLowerCase()
    : undefined
}

/** Converts nanoseconds, text because a double cannot hold them, to milliseconds; null for 0. */
export const nanosOf = (value: unknown): number | null => {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value : ""
  if (!/^\d{1,20}$/.test(text) || /^0+$/.test(text)) return timeOf(null)
  return timeOf(Number(text) / 1e6)
}

/** Maximum nesting of an attribute's value. */
const MAX_DEPTH = 50

export const attributesOf = (of: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    listOf(of, "attributes").flatMap((one) => {
      const key = textOf(one, "key")
      return key === undefined ? [] : [[key, anyValue(field(one, "value"), 0)] as const]
    }),
  )

export const anyValue = (value: unknown, depth: number): unknown => {
  if (!isObject(value) || depth >= MAX_DEPTH) return null
  const [type, inner] = Object.entries(value)[0] ?? []
  switch (type) {
    case "stringValue":
    case "boolValue":
      return scalar(inner)
    case "bytesValue":
      return inner instanceof Uint8Array ? Buffer.from(inner).toString("base64") : scalar(inner)
    case "intValue":
    case "doubleValue":
      return typeof inner === "string" ? Number(inner) : scalar(inner)
    case "arrayValue":
      return listOf(inner, "values").map((one) => anyValue(one, depth + 1))
    case "kvlistValue":
      return Object.fromEntries(
        listOf(inner, "values").flatMap((one) => {
          const key = textOf(one, "key")
          return key === undefined ? [] : [[key, anyValue(field(one, "value"), depth + 1)] as const]
        }),
      )
    default:
      return null
  }
}

/** A list or an object in place of a text or number may be nested without a limit. */
const scalar = (value: unknown): unknown => (typeof value === "object" ? null : value)
