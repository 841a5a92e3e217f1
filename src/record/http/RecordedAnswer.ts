/** Answers over HTTP as they are recorded: without keys, as far as they came. */

import type { Chunk } from "../../agents/models/Cassette.ts"
import { defined } from "../../values/defined.ts"
import { failureOf } from "../Thrown.ts"
import * as HttpMessage from "./HttpMessage.ts"
import type { Redaction } from "./Redaction.ts"

/** An answer without its body. */
export interface AnswerHead {
  /** Where it came from; empty where nothing says so. */
  readonly url: string
  readonly status: number
  readonly statusText: string
  /** Whether the request was redirected to the URL. */
  readonly redirected: boolean
  readonly headers: Headers
  /** Whether the body comes as its `content-encoding` has it, since it could not be decoded. */
  readonly isEncoded?: boolean
}

/** A body as far as it came. */
export interface KeptBody {
  readonly chunks: ReadonlyArray<Chunk>
  readonly end: "clean" | "cut" | "unfinished" | "cancelled" | "open"
  /** What the program's signal ended it with. */
  readonly abortedBy?: unknown
  readonly isTooLarge: boolean
}

const abortedBy = (error: unknown, redaction: Redaction) => {
  const { code: name, message } = failureOf(error, redaction)
  return { name, message }
}

/** What came of a response. */
export interface Came {
  readonly kept: KeptBody | undefined
  readonly text: string
  /** The same, where it may be no text. */
  readonly bytes: () => Uint8Array
  readonly headers: HttpMessage.RecordedResponse["headers"]
}

/** Reads what came, and learns the keys in it first. */
export const cameOf = (response: AnswerHead, kept: KeptBody | undefined, redaction: Redaction): Came => {
  const chunks = kept?.chunks ?? []
  const text = HttpMessage.joinedText(chunks)
  redaction.learnGiven(response, text)
  const encoding = response.isEncoded === true ? response.headers.get("content-encoding") : null
  const headers = HttpMessage.responseHeaders(response.headers, redaction)
  return {
    kept,
    text,
    bytes: () => HttpMessage.joined(chunks),
    headers: encoding === null ? headers : { ...headers, "content-encoding": encoding },
  }
}

/**
 * A response as it is recorded, without keys: a body with keys is one piece without them. A model may also spell a key
 * out over several pieces, of which no single one holds it; such a body is not kept.
 *
 * @param hasToldKey whether a key occurs in what was read of the body
 */
export const recordedResponse = (
  response: AnswerHead,
  { kept, text, headers }: Came,
  redaction: Redaction,
  hasToldKey = false,
): HttpMessage.RecordedResponse => {
  const { url, status, statusText, redirected } = response
  const hasKeys = redaction.isIn(text)
  // The text of what is no text cannot stand for it.
  const isHeld = hasToldKey || (hasKeys && !HttpMessage.isText(kept?.chunks ?? []))
  const omitted: HttpMessage.RecordedResponse["omitted"] =
    kept?.isTooLarge === true ? "it is too large" : isHeld ? "a key occurs in it" : undefined
  const chunks = hasKeys ? [[0, redaction.text(text)] as const] : (kept?.chunks ?? [])
  return {
    url: url === "" ? "" : redaction.url(url),
    status,
    statusText: redaction.text(statusText),
    ...(redirected ? { redirected } : {}),
    headers,
    chunks: omitted === undefined ? chunks : [],
    ...endOf(response, kept),
    ...(kept?.abortedBy === undefined ? {} : { aborted: abortedBy(kept.abortedBy, redaction) }),
    ...defined({ omitted }),
    ...(hasKeys ? { redacted: true as const } : {}),
  }
}

/** How a body ended. */
const endOf = (
  { headers }: AnswerHead,
  kept: KeptBody | undefined,
): Pick<HttpMessage.RecordedResponse, "end" | "cutWithin"> =>
  kept?.end === "unfinished"
    ? { end: "clean", cutWithin: headers.get("content-encoding") ?? "" }
    : { end: kept?.end ?? "none" }

/** A response whose body makes an event that is too large, as one of many characters that JSON escapes does. */
export const tooLarge = (response: HttpMessage.RecordedResponse): HttpMessage.RecordedResponse => ({
  ...response,
  chunks: [],
  omitted: "it is too large",
})
