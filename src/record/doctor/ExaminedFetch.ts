/** A `fetch` that answers every request from a recording and reports it, and continues after differences. */

import { Schema } from "effect"
import type { Fetch } from "../../agents/models/Fetch.ts"
import { Message } from "../../agents/models/Message.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { Json } from "../../values/Json.ts"
import * as HttpMessage from "../http/HttpMessage.ts"
import type { Redaction } from "../http/Redaction.ts"
import { sentBy } from "../http/SentRequest.ts"
import * as Playback from "../replay/Playback.ts"
import * as Recording from "../replay/Recording.ts"
import * as ReplayedResponse from "../replay/ReplayedResponse.ts"
import * as RequestAnswer from "../replay/RequestAnswer.ts"
import type * as RequestDifference from "../replay/RequestDifference.ts"
import * as SentDifference from "../replay/SentDifference.ts"

/** The order in which concurrent calls get their answers. */
export const Order = Schema.Literal("recorded", "reversed")

export type Order = typeof Order.Type

export const Asked = Schema.Struct({
  digest: Schema.String,
  /** Position of the recorded call that answered it; null if none was left. */
  position: Schema.NullOr(Schema.Int),
  /** How it differs from the recorded call in its place; null if it does not. */
  difference: Schema.NullOr(Schema.Struct({ where: Schema.String, recorded: Schema.String, now: Schema.String })),
  /** The part that a model reads; null if it is no request to a model. */
  reads: Schema.NullOr(
    Schema.Struct({
      model: Schema.String,
      system: Schema.String,
      messages: Schema.Array(Message),
      tools: Json,
      settings: Json,
    }),
  ),
  /** The request itself if `reads` is null. */
  request: Json,
})

export type Asked = typeof Asked.Type

export const make = (
  events: ReadonlyArray<Event>,
  redaction: Redaction,
  order: Order,
  told: (asked: Asked) => void,
): Fetch => {
  const playback = Playback.of(Recording.of(events), { goesOn: true })
  const inOrder = turns(order)
  return async (input, init) => {
    const { sent, request } = await sentBy(input, init)
    const read = HttpMessage.read(sent, redaction)
    const match = RequestAnswer.matchOf(playback, read)
    const found = match.kind === "recorded" ? match.interaction : match.kind === "diverged" ? match.instead : undefined
    const difference = match.kind === "diverged" ? match.diverged.difference : null
    told(askedIn(read, difference, found))
    const answer = found?.answer ?? { kind: "none" }
    const signal = request?.signal ?? init?.signal
    await inOrder(found?.answeredAt ?? Number.MAX_SAFE_INTEGER)
    if (answer.kind === "response") return ReplayedResponse.of(answer.response, signal)
    if (answer.kind === "error") throw ReplayedResponse.failureOf(answer.failure, signal)
    throw new TypeError("fetch failed", { cause: new Error("the recording has no answer to this request") })
  }
}

const askedIn = (
  read: HttpMessage.ReadRequest,
  difference: RequestDifference.Difference | null,
  found: Recording.Interaction | undefined,
): Asked => {
  const asked = SentDifference.requestIn(read)
  const reads = asked === undefined ? null : { ...asked, tools: asked.tools as unknown as Json }
  const request = reads === null ? read.recorded() : null
  return { digest: read.digest, difference, position: found?.position ?? null, reads, request }
}

/** Releases waiting calls one at a time; each runs to its next macrotask before the next one starts. */
const turns = (order: Order) => {
  const waiting: Array<{ readonly at: number; readonly goOn: () => void }> = []
  const next = () => {
    waiting.sort((a, b) => (order === "recorded" ? a.at - b.at : b.at - a.at))
    waiting.shift()?.goOn()
    if (waiting.length > 0) setImmediate(next)
  }
  return (at: number) =>
    new Promise<void>((goOn) => {
      waiting.push({ at, goOn })
      if (waiting.length === 1) setImmediate(next)
    })
}
