/** A playback's answer to an HTTP request, from a program's `fetch` or from a proxy. */

import type { Failure } from "../../events/vocabulary/EventType.ts"
import type * as HttpMessage from "../http/HttpMessage.ts"
import type { Diverged } from "./Diverged.ts"
import type { Match, Playback } from "./Playback.ts"
import * as SentDifference from "./SentDifference.ts"

export type RequestAnswer =
  | { readonly kind: "response"; readonly response: HttpMessage.RecordedResponse }
  | { readonly kind: "failure"; readonly failure: Failure }
  | { readonly kind: "live" }
  /** Not recorded; send nothing. */
  | { readonly kind: "diverged"; readonly diverged: Diverged }

export const LINE = "fetch"

/** @param request from `HttpMessage.read` */
export const to = (playback: Playback, request: HttpMessage.ReadRequest): RequestAnswer => {
  const match = matchOf(playback, request)
  if (match.kind !== "recorded") return match
  const { answer, position } = match.interaction
  if (answer.kind === "response") return { kind: "response", response: answer.response }
  if (answer.kind === "error") return { kind: "failure", failure: answer.failure }
  // Only in logs of other versions: a request answered by a value.
  const difference = { where: "the response", recorded: "a value that is not a response", now: "a request" }
  return { kind: "diverged", diverged: playback.diverge(LINE, position, difference) }
}

export const matchOf = (playback: Playback, request: HttpMessage.ReadRequest): Match =>
  playback.match({
    line: LINE,
    digest: request.digest,
    isModel: SentDifference.requestIn(request) !== undefined,
    difference: ({ asked }) => SentDifference.of(playback.recording.events, asked, request),
  })
