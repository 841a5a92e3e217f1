/** A `fetch` that a playback answers. */

import type { Fetch } from "../../agents/models/Fetch.ts"
import * as HttpMessage from "../http/HttpMessage.ts"
import type { Redaction } from "../http/Redaction.ts"
import { beside, sentBy } from "../http/SentRequest.ts"
import type { Playback } from "./Playback.ts"
import * as ReplayedResponse from "./ReplayedResponse.ts"
import * as RequestAnswer from "./RequestAnswer.ts"

/** @param live makes the requests that run for real */
export const make =
  (playback: Playback, redaction: Redaction, live: Fetch): Fetch =>
  async (input, init) => {
    const { sent, request } = await sentBy(input, init)
    const answer = RequestAnswer.to(playback, HttpMessage.read(sent, redaction))
    const signal = request?.signal ?? init?.signal
    switch (answer.kind) {
      case "response":
        return ReplayedResponse.of(answer.response, signal)
      case "failure":
        throw ReplayedResponse.failureOf(answer.failure, signal)
      case "live":
        return request === undefined ? live(input, init) : live(request, beside(init))
      case "diverged":
        throw answer.diverged
    }
  }
