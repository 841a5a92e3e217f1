/** Requests and responses over HTTP as a recording has them: without keys, and with bodies byte for byte. */

import { Schema } from "effect"
import { bytesOf, Chunk, chunkOf } from "../../agents/models/Cassette.ts"
import type { HttpHeaders, HttpResponse } from "../../agents/models/Fetch.ts"
import { optional } from "../../events/vocabulary/EventType.ts"
import { jsonOf } from "../../providers/pieces.ts"
import { digest, sha256 } from "../../values/Digest.ts"
import { type Json, type JsonObject, wellFormed } from "../../values/Json.ts"
import type { Redaction } from "./Redaction.ts"
import { remembered } from "./Remembered.ts"

/** The most of one body that is kept, in bytes: an event holds at most 8 MiB. */
export const MOST_KEPT = 4 * 1024 * 1024

/** The headers of a request that are kept. */
const REQUEST_HEADERS = /^(accept|content-type|range|if-none-match|anthropic-version|anthropic-beta|openai-beta)$/

/** The headers of a response that are kept: those that clients decide by. Cookies never are. */
const RESPONSE_HEADERS =
  /^(content-type|retry-after|retry-after-ms|x-should-retry|(x-)?request-id|etag|link|location|openai-processing-ms|(x|anthropic)-ratelimit-[a-z-]+)$/

/** A response as it is recorded. */
export const RecordedResponse = Schema.Struct({
  url: Schema.String,
  status: Schema.Int,
  statusText: Schema.String,
  /** Present where the request was redirected to the URL. */
  redirected: optional(Schema.Literal(true)),
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  /** The pieces of the body, as the program got them. */
  chunks: Schema.Array(Chunk),
  /** `open`: the program had not read it to its end when the recording ended. */
  end: Schema.Literal("none", "clean", "cut", "cancelled", "open"),
  /**
   * Present where the body was encoded for its way, and its encoding (`gzip`) broke off, although the connection ended as if the body were
   * whole: many clients take no notice of it.
   */
  cutWithin: optional(Schema.String),
  /** Present where the program's signal ended it: what reading it failed with. It is `cancelled` then. */
  aborted: optional(Schema.Struct({ name: Schema.String, message: Schema.String })),
  /** Why the body was not kept. */
  omitted: optional(Schema.Literal("a key occurs in it", "it is too large")),
  /** Present where keys were taken out of the body, which is one piece then. */
  redacted: optional(Schema.Literal(true)),
})

export type RecordedResponse = typeof RecordedResponse.Type

/** A request as a program made it. */
export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: HttpHeaders
  /** Text that is well-formed, or bytes; null without a body. */
  readonly body: string | Uint8Array | null
}

/** A request with what is read of it, without keys. */
export interface ReadRequest {
  readonly method: string
  /** Without keys. */
  readonly url: string
  /** `{ method, url, headers, body? }`: there is no `body` without one, nor where it is too large or has keys between its bytes. */
  readonly recorded: () => JsonObject
  /** The body's JSON, or its text; undefined without a body, and where it is not text. */
  readonly body: Json | undefined
  /** Whether what is recorded of it may be too large for an event. */
  readonly isLong: boolean
  /** Digest of the method, the path with its query, and the body: the host may be another in a replay. */
  readonly digest: string
}

/** Reads a request, and learns the keys in it. */
export const read = (sent: SentRequest, redaction: Redaction): ReadRequest => {
  const { method, url, headers, body: sentBody } = withFixedBoundary(sent)
  const text = sentBody === null ? undefined : textOf(sentBody)
  const json = text === undefined ? undefined : jsonOf(text)
  // Also of JSON that is nested too deeply for a log, which is recorded as text.
  redaction.learn(headers, url, json ?? text)
  const given = text === undefined ? undefined : loggable(json, text)
  const safeUrl = redaction.url(url)
  const body = given === undefined ? undefined : redaction.json(given, spelledPlainly(text))
  const asked = body ?? (sentBody === null ? null : { bytes: sha256(Buffer.from(sentBody).toString("base64")) })
  return {
    method,
    url: safeUrl,
    body,
    digest: digest({ method, path: pathOf(safeUrl), body: asked }),
    isLong: text !== undefined && text.length > LONG_TEXT,
    recorded: () => ({
      method,
      url: safeUrl,
      headers: keptHeaders(headers, REQUEST_HEADERS, redaction),
      ...keptBody(sentBody, text, redaction),
    }),
  }
}

/** A shorter text fits into an event, in characters: JSON takes 6 bytes for some. */
const LONG_TEXT = 1024 * 1024

/** The JSON value of a text as a log can hold it, else the text. */
const loggable = (json: Json | undefined, text: string): Json =>
  (json === undefined ? undefined : wellFormed(json)) ?? text

/** A text whose keys are spelled as in the text that `JSON.stringify` writes of its value; undefined if it may have other escapes. */
const spelledPlainly = (text: string | undefined): string | undefined =>
  text === undefined || /\\[u/]/.test(text) ? undefined : text

/** The path of a URL with its query. */
const pathOf = remembered((url) => {
  const { pathname, search } = new URL(url)
  return pathname + search
})

/** The body of a request as it is recorded. */
const keptBody = (body: SentRequest["body"], text: string | undefined, redaction: Redaction) => {
  if (body === null || Buffer.byteLength(body) > MOST_KEPT) return {}
  if (text !== undefined) return { body: [0, redaction.text(text)] as const }
  return typeof body === "string" || hasKey(body, redaction) ? {} : { body: chunkOf(0, body) }
}

/**
 * A form whose parts are parted by the same text each time: clients draw it by lot (RFC 7578, section 4.1), and a replay
 * draws another.
 */
const withFixedBoundary = (sent: SentRequest): SentRequest => {
  const type = sent.headers.get("content-type") ?? ""
  const boundary = /^multipart\/.*\bboundary="?([^";]+)/i.exec(type)?.[1]
  if (boundary === undefined || sent.body === null) return sent
  const headers = new Headers(sent.headers)
  headers.set("content-type", type.replace(boundary, FIXED_BOUNDARY))
  const body = Buffer.from(sent.body).toString("latin1").replaceAll(`--${boundary}`, `--${FIXED_BOUNDARY}`)
  return { ...sent, headers, body: new Uint8Array(Buffer.from(body, "latin1")) }
}

const FIXED_BOUNDARY = "recorded-boundary"

/** Whether a key occurs in bytes that are no text. */
const hasKey = (bytes: Uint8Array, redaction: Redaction): boolean => {
  const text = Buffer.from(bytes).toString("latin1")
  redaction.learn(new Headers(), "http://none", text)
  return redaction.isIn(text)
}

/** A text, or that of bytes that are UTF-8; undefined for others. */
export const textOf = (body: string | Uint8Array): string | undefined => {
  if (typeof body === "string") return body
  try {
    return UTF_8.decode(body)
  } catch {
    return undefined
  }
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The headers of a response that are kept. */
export const responseHeaders = (headers: HttpHeaders, redaction: Redaction) =>
  keptHeaders(headers, RESPONSE_HEADERS, redaction)

const keptHeaders = (headers: HttpHeaders, kept: RegExp, redaction: Redaction) =>
  Object.fromEntries(
    [...headers].filter(([name]) => kept.test(name)).map(([name, value]) => [name, redaction.text(value)]),
  )

/** Whether a value from a log is the pieces of a body. */
export const areChunks = (value: unknown): value is ReadonlyArray<Chunk> =>
  Array.isArray(value) &&
  value.every((piece: unknown) => Array.isArray(piece) && typeof piece[0] === "number" && typeof piece[1] === "string")

/** The text of all pieces, joined. Most are text by themselves, and are not decoded again. */
export const joinedText = (chunks: ReadonlyArray<Chunk>): string =>
  chunks.every(([, , encoding]) => encoding === undefined)
    ? chunks.map(([, text]) => text).join("")
    : Buffer.from(joined(chunks)).toString("utf8")

/** Whether a body is text, wherever its pieces are cut. */
export const isText = (chunks: ReadonlyArray<Chunk>): boolean =>
  chunks.every(([, , encoding]) => encoding === undefined) || textOf(joined(chunks)) !== undefined

/** The bytes of all pieces, joined. */
export const joined = (chunks: ReadonlyArray<Chunk>): Uint8Array => new Uint8Array(Buffer.concat(chunks.map(bytesOf)))

/** Whether an error of that name says that the program's signal ended a request. `AbortSignal.timeout` gives the second one. */
export const isAbort = (name: string): boolean => name === "AbortError" || name === "TimeoutError"

/** Where a response came from. */
interface Origin {
  readonly url: string
  readonly redirected: boolean
  readonly type: string
}

/** The response as one that came from there, as its clones do: a `Response` that is made by hand does not say so. */
export const from = (response: HttpResponse, { url, redirected, type }: Origin): HttpResponse =>
  Object.defineProperties(response, {
    url: { value: url },
    redirected: { value: redirected },
    type: { value: type },
    clone: { value: () => from(Response.prototype.clone.call(response), { url, redirected, type }) },
  })
