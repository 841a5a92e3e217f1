/**
 * What a playback answers to a request over HTTP, whoever sends it: the `fetch` of a program, or a proxy for a program in any
 * language.
 */

import type { Failure } from "../../events/vocabulary/EventType.ts"
import type * as HttpMessage from "../http/HttpMessage.ts"
import type { Diverged } from "./Diverged.ts"
import type { Match, Playback } from "./Playback.ts"
import * as SentDifference from "./SentDifference.ts"

/** The answer to a request. */
export type RequestAnswer =
  | { readonly kind: "response"; readonly response: HttpMessage.RecordedResponse }
  /** There was no response: the request failed so. */
  | { readonly kind: "failure"; readonly failure: Failure }
  /** The request is to be made for real. */
  | { readonly kind: "live" }
  /** Another one was recorded, or none. Nothing is to be sent. */
  | { readonly kind: "diverged"; readonly diverged: Diverged }

/** The line of all requests over HTTP. */
export const LINE = "fetch"

/** @param request as it is recorded: `HttpMessage.read` makes it of what a client sends */
export const to = (playback: Playback, request: HttpMessage.ReadRequest): RequestAnswer => {
  const match = matchOf(playback, request)
  if (match.kind !== "recorded") return match
  const { answer, position } = match.interaction
  if (answer.kind === "response") return { kind: "response", response: answer.response }
  if (answer.kind === "error") return { kind: "failure", failure: answer.failure }
  // The log of another version: no request is answered by a value.
  const difference = { where: "the response", recorded: "what is no response", now: "a request" }
  return { kind: "diverged", diverged: playback.diverge(LINE, position, difference) }
}

/** The recorded call that answers a request. */
export const matchOf = (playback: Playback, request: HttpMessage.ReadRequest): Match =>
  playback.match({
    line: LINE,
    digest: request.digest,
    isModel: SentDifference.requestIn(request) !== undefined,
    difference: ({ asked }) => SentDifference.of(playback.recording.events, asked, request),
  })
