/**
 * A `fetch` for a program that goes on from a moment of its recording: what it asked before is answered from the log, and
 * what it asks from there on is asked for real and recorded.
 */

import type { Fetch } from "../../agents/models/Fetch.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as HttpMessage from "../http/HttpMessage.ts"
import type { Redaction } from "../http/Redaction.ts"
import { sentBy } from "../http/SentRequest.ts"
import { Diverged } from "../replay/Played.ts"
import * as PlayedBody from "../replay/PlayedBody.ts"
import * as SentDifference from "../replay/SentDifference.ts"
import * as Tape from "../replay/Tape.ts"
import { isObject, jsonOf } from "../wire/pieces.ts"
import { askedBy } from "../wire/wires.ts"
import { written } from "../wire/written.ts"

/** What is otherwise from the moment on. */
export interface Changes {
  /** The model that is asked, in the place of the one that the program names. */
  readonly model?: string
  /** The answer of the first request to a model, in the place of the model's own. */
  readonly answer?: string
  /** The body of the response to the first request that is none to a model, in the place of its own. */
  readonly result?: string
}

/** What such a `fetch` needs. */
export interface ForkParts {
  /** The events of the task up to the moment, which the fork shares. */
  readonly events: ReadonlyArray<Event>
  readonly taskId: string
  readonly redaction: Redaction
  readonly changes: Changes
  /** Makes requests and records them. */
  readonly recording: (fetch: Fetch) => Fetch
  /** Makes requests. */
  readonly fetch: Fetch
  readonly diverged: (error: Diverged) => void
}

export const make = ({ events, taskId, redaction, changes, recording, fetch, diverged }: ForkParts): Fetch => {
  const all = Tape.of(events).filter(({ line }) => line === "fetch")
  const playing = Tape.play(all.filter(({ answeredAt }) => answeredAt !== null))
  // What was under way at the moment is asked again, and recorded in the fork.
  const underWay = Tape.play(all.filter(({ answeredAt }) => answeredAt === null))
  let { answer, result } = changes
  const changed: Fetch = async (input, init) => {
    const request = new Request(input, init)
    const text = request.method === "POST" ? await request.clone().text() : ""
    const body = jsonOf(text)
    const { host, pathname, search } = new URL(request.url)
    const asked = askedBy(request.method, { host, path: pathname }, body)
    if (asked === undefined || !isObject(body)) {
      if (result === undefined) return fetch(request)
      const given = result
      result = undefined
      const contentType = jsonOf(given) === undefined ? "text/plain;charset=utf-8" : "application/json"
      return new Response(given, { headers: { "content-type": contentType } })
    }
    if (answer !== undefined) {
      const given = written(asked.wire.name, { host, path: pathname + search }, body, answer)
      answer = undefined
      return new Response(given.body, { headers: { "content-type": given.contentType } })
    }
    return fetch(request)
  }
  const live = recording(changed)
  return async (input, init) => {
    const { sent, request } = await sentBy(input, init)
    const read = HttpMessage.read(sent, redaction)
    const found = playing.take("fetch", read.digest)
    const signal = request?.signal ?? init?.signal
    if (found?.answer.kind === "response") return PlayedBody.of(found.answer.response, signal)
    if (found?.answer.kind === "error") throw PlayedBody.failureOf(found.answer, signal)
    const instead = playing.next("fetch")
    if (instead !== undefined && underWay.take("fetch", read.digest) === undefined) {
      const difference = SentDifference.of(events, instead.asked, sent, read)
      const error = new Diverged({ taskId, call: "fetch", position: instead.position, difference })
      diverged(error)
      throw error
    }
    return live(...withModel(changes.model, sent, request ?? input, init))
  }
}

/** A request to a model, with another model named in its body, or in the path where a format has it there. */
const withModel = (
  model: string | undefined,
  sent: HttpMessage.SentRequest,
  input: Parameters<Fetch>[0],
  init: RequestInit | undefined,
): readonly [Parameters<Fetch>[0], RequestInit | undefined] => {
  const text = sent.bytes === null ? undefined : HttpMessage.textOf(sent.bytes)
  const body = text === undefined ? undefined : jsonOf(text)
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
