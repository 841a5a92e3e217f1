/**
 * A `fetch` for a program that goes on from a moment of its recording: what it asked before is answered from the log, and
 * what it asks from there on is asked for real and recorded.
 */

import type { Fetch } from "../../agents/models/Fetch.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { jsonOf } from "../../providers/pieces.ts"
import { askedBy } from "../../providers/wires.ts"
import { written } from "../../providers/written.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as HttpMessage from "../http/HttpMessage.ts"
import type { Redaction } from "../http/Redaction.ts"
import { beside, sentBy } from "../http/SentRequest.ts"
import * as PlayedBody from "../replay/PlayedBody.ts"
import * as SentDifference from "../replay/SentDifference.ts"
import type { ChangesToMake } from "./Changes.ts"
import type { PastCalls } from "./PastCalls.ts"

/** What such a `fetch` needs. */
export interface ForkParts {
  /** The events of the task up to the moment, which the fork shares. */
  readonly events: ReadonlyArray<Event>
  readonly past: PastCalls
  readonly redaction: Redaction
  /** The model that is asked, in the place of the one that the program names. */
  readonly model: string | undefined
  /** Makes requests and records them. */
  readonly recording: Fetch
}

export const make =
  ({ events, past, redaction, model, recording }: ForkParts): Fetch =>
  async (input, init) => {
    const { sent, request } = await sentBy(input, init)
    const read = HttpMessage.read(sent, redaction)
    const found = past.answer("fetch", read.digest, ({ asked }) => SentDifference.of(events, asked, sent, read))
    const { answer, position = null } = found ?? {}
    const signal = request?.signal ?? init?.signal
    if (answer?.kind === "error") throw PlayedBody.failureOf(answer.failure, signal)
    if (answer?.kind !== "response") return recording(...withModel(model, sent, request ?? input, init))
    const { omitted } = answer.response
    if (omitted === undefined) return PlayedBody.of(answer.response, signal)
    const recorded = `no body, because ${omitted}`
    throw past.diverge("fetch", position, { where: "the response", recorded, now: "a request" })
  }

/** A `fetch` with the answer and the result that are to be other ones. */
export const changed =
  (changes: ChangesToMake, fetch: Fetch): Fetch =>
  async (input, init) => {
    const { sent, request } = await sentBy(input, init)
    const pass = () => (request === undefined ? fetch(input, init) : fetch(request, beside(init)))
    const body = bodyOf(sent)
    const { host, pathname, search } = new URL(sent.url)
    const asked = askedBy(sent.method, { host, path: pathname }, body)
    if (asked === undefined || !isObject(body)) {
      const given = changes.takeResult()
      if (given === undefined) return pass()
      const contentType = jsonOf(given) === undefined ? "text/plain;charset=utf-8" : "application/json"
      return new Response(given, { headers: { "content-type": contentType } })
    }
    const answer = changes.takeAnswer()
    if (answer === undefined) return pass()
    const given = written(asked.wire.name, { host, path: pathname + search }, body, answer)
    return new Response(given.body, { headers: { "content-type": given.contentType } })
  }

/** What a request sends, where it is JSON. */
const bodyOf = ({ body }: HttpMessage.SentRequest): Json | undefined => {
  const text = body === null ? undefined : HttpMessage.textOf(body)
  return text === undefined ? undefined : jsonOf(text)
}

/** A request to a model, with another model named in its body, or in the path where a format has it there. */
const withModel = (
  model: string | undefined,
  sent: HttpMessage.SentRequest,
  input: Parameters<Fetch>[0],
  init: RequestInit | undefined,
): readonly [Parameters<Fetch>[0], RequestInit | undefined] => {
  const body = bodyOf(sent)
  const { host, pathname: path } = new URL(sent.url)
  if (model === undefined || !isObject(body)) return [input, init]
  const asked = askedBy(sent.method, { host, path }, body)
  if (asked === undefined) return [input, init]
  const isInPath = asked.wire.name === "gemini"
  const url = isInPath ? sent.url.replace(/(\/models\/)[^:/?]+(?=:)/, `$1${encodeURIComponent(model)}`) : sent.url
  const named: JsonObject = isInPath ? body : { ...body, model }
  const signal = input instanceof Request ? input.signal : init?.signal
  return [
    url,
    { ...init, method: sent.method, headers: sent.headers, body: JSON.stringify(named), ...(signal ? { signal } : {}) },
  ]
}
