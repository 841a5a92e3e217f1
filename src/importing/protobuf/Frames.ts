/**
 * Files of OTLP messages in protobuf: one message, as a request's body, or many with their length in four bytes before
 * each, as the collector's file exporter writes them
 * (https://github.com/open-telemetry/opentelemetry-collector-contrib/tree/main/exporter/fileexporter). Pure.
 */

export type Content = "TraceRequest" | "LogsRequest"

export interface Framing {
  readonly content: Content
  /** Whether each message has its length before it. */
  readonly isFramed: boolean
}

const LENGTH_BYTES = 4

/** Recognizes a file by its first message; undefined for other bytes. */
export const framingOf = (head: Buffer): Framing | undefined => {
  const framed = head.length > LENGTH_BYTES ? contentOf(head.subarray(LENGTH_BYTES)) : undefined
  if (framed !== undefined && head.readUInt32BE(0) > 0) return { content: framed, isFramed: true }
  const whole = contentOf(head)
  return whole === undefined ? undefined : { content: whole, isFramed: false }
}

/**
 * The whole messages of a file, and where each ends: a last one may not be whole yet. One by one, since a file may have
 * millions; without the empty ones, which a file of zeros has.
 */
export function* messagesIn(
  bytes: Buffer,
  { isFramed }: Framing,
): Iterable<{ readonly message: Buffer; readonly end: number }> {
  if (!isFramed) {
    yield { message: bytes, end: bytes.length }
    return
  }
  let at = 0
  while (at + LENGTH_BYTES <= bytes.length) {
    const start = at + LENGTH_BYTES
    const end = start + bytes.readUInt32BE(at)
    if (end > bytes.length) return
    if (end > start) yield { message: bytes.subarray(start, end), end }
    at = end
  }
}

/** Tag of a field that holds a message, text or bytes. */
const lengthTag = (field: number): number => (field << 3) | 2

/**
 * Reads down to the first span or log record. A span begins with its trace's id of 16 bytes; a log record with a time
 * or another field of its own.
 */
const contentOf = (head: Buffer): Content | undefined => {
  const resource = fieldIn(head, 0, lengthTag(1), [])
  const scope = resource === undefined ? undefined : fieldIn(head, resource, lengthTag(2), [lengthTag(1)])
  const item = scope === undefined ? undefined : fieldIn(head, scope, lengthTag(2), [lengthTag(1)])
  if (item === undefined) return undefined
  const tag = head[item]
  if (tag === lengthTag(1)) return head[item + 1] === TRACE_ID_BYTES ? "TraceRequest" : undefined
  return tag !== undefined && RECORD_TAGS.has(tag) ? "LogsRequest" : undefined
}

const TRACE_ID_BYTES = 16

/** Times (1, 11), severity (2, 3), body (5), attributes (6), trace and span (9, 10), name of the event (12). */
const RECORD_TAGS: ReadonlySet<number> = new Set([
  ...[(1 << 3) | 1, (11 << 3) | 1, 2 << 3],
  ...[3, 5, 6, 9, 10, 12].map(lengthTag),
])

/** Where the content of a field begins, after fields that may come before it. */
const fieldIn = (head: Buffer, from: number, wanted: number, skipped: ReadonlyArray<number>): number | undefined => {
  let at = from
  for (let fields = 0; fields <= skipped.length; fields++) {
    const tag = head[at]
    const length = lengthAt(head, at + 1)
    if (length === undefined) return undefined
    if (tag === wanted) return length.end
    if (tag === undefined || !skipped.includes(tag)) return undefined
    at = length.end + length.value
  }
  return undefined
}

/** A length of up to five bytes. */
const lengthAt = (head: Buffer, from: number): { readonly value: number; readonly end: number } | undefined => {
  let value = 0
  for (let index = 0; index < 5; index++) {
    const byte = head[from + index]
    if (byte === undefined) return undefined
    value += (byte & 0x7f) * 2 ** (7 * index)
    if (byte < 0x80) return { value, end: from + index + 1 }
  }
  return undefined
}
