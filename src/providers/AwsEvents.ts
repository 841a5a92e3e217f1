/**
 * The binary event stream of AWS (https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html), in
 * which Bedrock streams: messages of headers and a payload, with one CRC-32 of the lengths and one of the whole
 * message.
 */

import { crc32 } from "../values/Digest.ts"
import type { Json } from "../values/Json.ts"
import { isObject } from "../values/JsonObjects.ts"
import * as ExactJson from "./ExactJson.ts"

export const MEDIA_TYPE = "application/vnd.amazon.eventstream"

/**
 * Returns the events of a body, up to the first that is cut or fails its checksum. An event is `{ type, … }` with the
 * fields of its payload, an exception `{ type, error }`. A `chunk` wraps JSON of the model's provider; it is unwrapped.
 */
export const eventsOf = (body: Uint8Array): ReadonlyArray<Json> => {
  const events: Array<Json> = []
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength)
  for (let at = 0; at + LEAST <= body.byteLength; ) {
    const [size, headersSize] = [view.getUint32(at), view.getUint32(at + 4)]
    const isPlausible = size >= LEAST + headersSize && at + size <= body.byteLength
    if (!isPlausible || view.getUint32(at + 8) !== crc32(body.subarray(at, at + 8))) break
    if (view.getUint32(at + size - 4) !== crc32(body.subarray(at, at + size - 4))) break
    const payloadAt = at + PRELUDE + headersSize
    const headers = headersOf(body.subarray(at + PRELUDE, payloadAt))
    const event = eventOf(headers, TEXT.decode(body.subarray(payloadAt, at + size - 4)))
    if (event !== undefined) events.push(event)
    at += size
  }
  return events
}

const parsed = (text: string): Json | undefined => {
  try {
    return ExactJson.parse(text)
  } catch {
    return undefined
  }
}

/** Sizes in bytes: the two lengths with their checksum, and a message without headers and payload. */
const PRELUDE = 12
const LEAST = PRELUDE + 4

const TEXT = new TextDecoder()

/** Encodes events, each a type and the JSON of its payload, as one body. */
export const bodyOf = (events: ReadonlyArray<readonly [type: string, payload: Json]>): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(events.map(([type, payload]) => messageOf(type, JSON.stringify(payload)))))

const messageOf = (type: string, payload: string): Uint8Array => {
  const named = [
    [":event-type", type],
    [":content-type", "application/json"],
    [":message-type", "event"],
  ] as const
  const headers = Buffer.concat(named.map(([name, value]) => headerOf(name, value)))
  const inside = Buffer.concat([headers, Buffer.from(payload)])
  const message = Buffer.alloc(PRELUDE + inside.length + 4)
  message.writeUInt32BE(message.length, 0)
  message.writeUInt32BE(headers.length, 4)
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8)
  inside.copy(message, PRELUDE)
  message.writeUInt32BE(crc32(message.subarray(0, -4)), message.length - 4)
  return message
}

const headerOf = (name: string, value: string): Buffer => {
  const size = Buffer.alloc(2)
  size.writeUInt16BE(value.length)
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([TEXT_HEADER]),
    size,
    Buffer.from(value),
  ])
}

const eventOf = (headers: ReadonlyMap<string, string>, payload: string): Json | undefined => {
  const value = parsed(payload)
  const kind = headers.get(":message-type")
  if (kind !== undefined && kind !== "event") {
    const type = headers.get(":exception-type") ?? headers.get(":error-code") ?? kind
    const message = isObject(value) ? (value.message ?? value.Message) : headers.get(":error-message")
    return { type, error: { type, message: typeof message === "string" ? message : payload } }
  }
  const type = headers.get(":event-type") ?? ""
  if (!isObject(value)) return undefined
  if (type !== "chunk") return { ...value, type }
  return typeof value.bytes === "string" ? parsed(Buffer.from(value.bytes, "base64").toString("utf8")) : undefined
}

const headersOf = (bytes: Uint8Array): ReadonlyMap<string, string> => {
  const headers = new Map<string, string>()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  while (at < bytes.byteLength) {
    const typeAt = at + 1 + view.getUint8(at)
    if (typeAt >= bytes.byteLength) break
    const type = view.getUint8(typeAt)
    const fixed = FIXED[type]
    if (fixed === undefined && typeAt + 3 > bytes.byteLength) break
    const [valueAt, size] = fixed === undefined ? [typeAt + 3, view.getUint16(typeAt + 1)] : [typeAt + 1, fixed]
    if (type === TEXT_HEADER) {
      headers.set(TEXT.decode(bytes.subarray(at + 1, typeAt)), TEXT.decode(bytes.subarray(valueAt, valueAt + size)))
    }
    at = valueAt + size
  }
  return headers
}

/**
 * Sizes by header type: true, false, byte, short, integer, long, bytes and text (which state their length), timestamp,
 * UUID.
 */
const FIXED: ReadonlyArray<number | undefined> = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16]
const TEXT_HEADER = 7
