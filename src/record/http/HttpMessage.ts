/** Recorded HTTP requests and responses: redacted, with bodies byte for byte. */

import { Schema } from "effect"
import { BodyPiece, bytesOf, pieceOf } from "../../agents/models/Cassette.ts"
import type { HttpHeaders, HttpResponse } from "../../agents/models/Fetch.ts"
import { optional } from "../../events/vocabulary/EventType.ts"
import { jsonOf } from "../../providers/BodyPieces.ts"
import { digest, sha256 } from "../../values/Digest.ts"
import { type Json, type JsonObject, wellFormed } from "../../values/Json.ts"
import type { Redaction } from "./Redaction.ts"
import { remembered } from "./Remembered.ts"

/** Maximum size of a recorded body, in bytes. An event holds at most 8 MiB. */
export const MOST_KEPT = 4 * 1024 * 1024

/** Maximum size of a file of batch results, in bytes: its calls are recorded, and the file itself up to `MOST_KEPT`. */
export const MOST_RESULTS = 64 * 1024 * 1024

const REQUEST_HEADERS = /^(accept|content-type|range|if-none-match|anthropic-version|anthropic-beta|openai-beta)$/

/** Recorded response headers: those that clients act on, never cookies. */
const RESPONSE_HEADERS =
  /^(content-type|retry-after|retry-after-ms|x-should-retry|(x-)?request-id|etag|link|location|openai-processing-ms|(x|anthropic)-ratelimit-[a-z-]+)$/

export const RecordedResponse = Schema.Struct({
  url: Schema.String,
  status: Schema.Int,
  statusText: Schema.String,
  /** Present if `url` is the target of a redirect. */
  redirected: optional(Schema.Literal(true)),
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  /** The body in the pieces that the program got. */
  chunks: Schema.Array(BodyPiece),
  /** `open`: the program was still reading when the recording ended. */
  end: Schema.Literal("none", "clean", "cut", "cancelled", "open"),
  /**
   * The encoding (`gzip`) of a compressed body that ended early on a connection that ended cleanly. Many clients do not
   * notice.
   */
  cutWithin: optional(Schema.String),
  /** The error that reading failed with after the program aborted it; `end` is then `cancelled`. */
  aborted: optional(Schema.Struct({ name: Schema.String, message: Schema.String })),
  omitted: optional(Schema.Literal("a key occurs in it", "it is too large")),
  /** Present if keys were removed from the body, which is then one piece. */
  redacted: optional(Schema.Literal(true)),
})

export type RecordedResponse = typeof RecordedResponse.Type

export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: HttpHeaders
  /** Well-formed text, or bytes; null without a body. */
  readonly body: string | Uint8Array | null
}

/** A request as read, redacted. */
export interface ReadRequest {
  readonly method: string
  readonly url: string
  /**
   * `{ method, url, headers, body? }`. `body` is missing if there is none, if it is too large, or if its bytes hold
   * keys.
   */
  readonly recorded: () => JsonObject
  /** The body's JSON or text; undefined without a body and for binary data. */
  readonly body: Json | undefined
  /** Whether it may be too large for an event. */
  readonly isLong: boolean
  /** Digest of the method, the path with its query, and the body. Not of the host: a replay may use another one. */
  readonly digest: string
}

/** Reads a request, and teaches the redaction its keys. */
export const read = (sent: SentRequest, redaction: Redaction): ReadRequest => {
  const { method, url, headers, body: sentBody } = withFixedBoundary(sent)
  const text = sentBody === null ? undefined : textOf(sentBody)
  const json = text === undefined ? undefined : jsonOf(text)
  // Also for JSON too deep for the log, which is recorded as text.
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

/** Shorter texts always fit into an event, in characters: JSON takes up to 6 bytes for one. */
const LONG_TEXT = 1024 * 1024

/** The JSON value if the log can hold it, otherwise the text. */
const loggable = (json: Json | undefined, text: string): Json =>
  (json === undefined ? undefined : wellFormed(json)) ?? text

/** The text if its escapes are those of `JSON.stringify`, so that keys are spelled the same; undefined otherwise. */
const spelledPlainly = (text: string | undefined): string | undefined =>
  text === undefined || (text.includes("\\") && /\\[u/]/.test(text)) ? undefined : text

const pathOf = remembered((url) => {
  const { pathname, search } = new URL(url)
  return pathname + search
})

const keptBody = (body: SentRequest["body"], text: string | undefined, redaction: Redaction) => {
  if (body === null || Buffer.byteLength(body) > MOST_KEPT) return {}
  if (text !== undefined) return { body: [0, redaction.text(text)] as const }
  return typeof body === "string" || hasKey(body, redaction) ? {} : { body: pieceOf(0, body) }
}

/**
 * Replaces the boundary of a multipart form with a fixed one: clients draw it at random (RFC 7578, section 4.1), so a
 * replay would differ.
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

const hasKey = (bytes: Uint8Array, redaction: Redaction): boolean => {
  const text = Buffer.from(bytes).toString("latin1")
  redaction.learn(new Headers(), "http://none", text)
  return redaction.isIn(text)
}

/** The text of a body; undefined if its bytes are not UTF-8. */
export const textOf = (body: string | Uint8Array): string | undefined => {
  if (typeof body === "string") return body
  try {
    return UTF_8.decode(body)
  } catch {
    return undefined
  }
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

export const responseHeaders = (headers: HttpHeaders, redaction: Redaction) =>
  keptHeaders(headers, RESPONSE_HEADERS, redaction)

const keptHeaders = (headers: HttpHeaders, kept: RegExp, redaction: Redaction) =>
  Object.fromEntries(
    [...headers].filter(([name]) => kept.test(name)).map(([name, value]) => [name, redaction.text(value)]),
  )

export const areChunks = (value: unknown): value is ReadonlyArray<BodyPiece> =>
  Array.isArray(value) &&
  value.every((piece: unknown) => Array.isArray(piece) && typeof piece[0] === "number" && typeof piece[1] === "string")

/** The joined text. Most chunks are text already and skip decoding. */
export const joinedText = (chunks: ReadonlyArray<BodyPiece>): string =>
  chunks.every(([, , encoding]) => encoding === undefined)
    ? chunks.map(([, text]) => text).join("")
    : Buffer.from(joined(chunks)).toString("utf8")

/** Whether a body is text, even if chunks split characters. */
export const isText = (chunks: ReadonlyArray<BodyPiece>): boolean =>
  chunks.every(([, , encoding]) => encoding === undefined) || textOf(joined(chunks)) !== undefined

export const joined = (chunks: ReadonlyArray<BodyPiece>): Uint8Array =>
  new Uint8Array(Buffer.concat(chunks.map(bytesOf)))

/** Whether the name is that of an abort: `AbortError`, or `TimeoutError` from `AbortSignal.timeout`. */
export const isAbort = (name: string): boolean => name === "AbortError" || name === "TimeoutError"

interface Origin {
  readonly url: string
  readonly redirected: boolean
  readonly type: string
}

/** Sets a response's `url`, `redirected` and `type`, which its constructor cannot, on its clones too. */
export const from = (response: HttpResponse, { url, redirected, type }: Origin): HttpResponse =>
  Object.defineProperties(response, {
    url: { value: url },
    redirected: { value: redirected },
    type: { value: type },
    clone: { value: () => from(Response.prototype.clone.call(response), { url, redirected, type }) },
  })
