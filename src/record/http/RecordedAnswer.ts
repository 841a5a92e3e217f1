/** Recorded form of HTTP answers: redacted, and as much as arrived. */

import type { BodyPiece } from "../../agents/models/Cassette.ts"
import type { HttpHeaders } from "../../agents/models/Fetch.ts"
import { defined } from "../../values/defined.ts"
import { failureOf } from "../Thrown.ts"
import * as HttpMessage from "./HttpMessage.ts"
import type { Redaction } from "./Redaction.ts"

export interface AnswerHead {
  /** The final URL; empty if unknown. */
  readonly url: string
  readonly status: number
  readonly statusText: string
  readonly redirected: boolean
  readonly headers: HttpHeaders & Parameters<Redaction["learnGiven"]>[0]["headers"]
  /** Whether the body is still encoded because its `content-encoding` cannot be decoded. */
  readonly isEncoded?: boolean
}

/** A body, or as much of it as arrived. */
export interface KeptBody {
  readonly chunks: ReadonlyArray<BodyPiece>
  readonly end: "clean" | "cut" | "unfinished" | "cancelled" | "open"
  /** The reason of the program's abort signal. */
  readonly abortedBy?: unknown
  readonly isTooLarge: boolean
}

const abortedBy = (error: unknown, redaction: Redaction) => {
  const { code: name, message } = failureOf(error, redaction)
  return { name, message }
}

export interface Came {
  readonly kept: KeptBody | undefined
  readonly text: string
  readonly bytes: () => Uint8Array
  readonly headers: HttpMessage.RecordedResponse["headers"]
}

/** Reads an answer, and first teaches the redaction its keys. */
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
 * The recorded form of a response. A body with keys becomes one redacted piece. A body in which a key is spread over
 * several pieces, as a model may spell it out, is omitted.
 *
 * @param hasToldKey whether a key occurs in the parts read from the body
 */
export const recordedResponse = (
  response: AnswerHead,
  { kept, text, headers }: Came,
  redaction: Redaction,
  hasToldKey = false,
): HttpMessage.RecordedResponse => {
  const { url, status, statusText, redirected } = response
  const hasKeys = redaction.isIn(text)
  // Redacted text cannot replace binary data.
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

const endOf = (
  { headers }: AnswerHead,
  kept: KeptBody | undefined,
): Pick<HttpMessage.RecordedResponse, "end" | "cutWithin"> =>
  kept?.end === "unfinished"
    ? { end: "clean", cutWithin: headers.get("content-encoding") ?? "" }
    : { end: kept?.end ?? "none" }

/** Omits a body that does not fit into an event after JSON escaping. */
export const tooLarge = (response: HttpMessage.RecordedResponse): HttpMessage.RecordedResponse => ({
  ...response,
  chunks: [],
  omitted: "it is too large",
})
