/** Describes how a sent request differs from a recorded one. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { askedBy } from "../../providers/WireFormats.ts"
import type { Json } from "../../values/Json.ts"
import type * as HttpMessage from "../http/HttpMessage.ts"
import * as RequestDifference from "./RequestDifference.ts"

/** A request's question to a model; undefined for other requests. */
export const requestIn = ({ method, url, body }: HttpMessage.ReadRequest) => {
  const { host, pathname: path } = new URL(url)
  return askedBy(method, { host, path }, body)?.request
}

export const of = (
  events: ReadonlyArray<Event>,
  asked: Event,
  read: HttpMessage.ReadRequest,
): RequestDifference.Difference => {
  const now = requestIn(read)
  const was = RequestDifference.readIn(events, asked)
  if (now !== undefined && was !== undefined) {
    if (asked.payload.model !== now.model) {
      return { where: "the model", recorded: String(asked.payload.model), now: now.model }
    }
    return RequestDifference.between(was, { ...now, tools: now.tools as unknown as Json })
  }
  const before = is(asked, "ModelCalled") ? "a request to a model" : (asked.payload.request ?? null)
  return RequestDifference.first("the request", before, now === undefined ? read.recorded() : "a request to a model")
}
