/** A `fetch` that applies a fork's overrides. */

import type { Fetch } from "../../agents/models/Fetch.ts"
import { jsonOf } from "../../providers/BodyPieces.ts"
import { askedBy } from "../../providers/WireFormats.ts"
import { written } from "../../providers/WrittenAnswer.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as HttpMessage from "../http/HttpMessage.ts"
import { beside, sentBy } from "../http/SentRequest.ts"
import type { ChangesToMake } from "./Changes.ts"

/** @param model replaces the model that the program names; undefined keeps it */
export const askingModel = (model: string | undefined, fetch: Fetch): Fetch =>
  model === undefined
    ? fetch
    : async (input, init) => {
        const { sent, request } = await sentBy(input, init)
        return fetch(...withModel(model, sent, request ?? input, init))
      }

/** A `fetch` that returns the overridden answer and result, once each. */
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
    // A text answer does not fit a request for embeddings.
    const answer = asked.wire.isConversation === false ? undefined : changes.takeAnswer()
    if (answer === undefined) return pass()
    const given = written(asked.wire.name, { host, path: pathname + search }, body, answer)
    return new Response(given.body, { headers: { "content-type": given.contentType } })
  }

const bodyOf = ({ body }: HttpMessage.SentRequest): Json | undefined => {
  const text = body === null ? undefined : HttpMessage.textOf(body)
  return text === undefined ? undefined : jsonOf(text)
}

const withPath = (url: string, path: string): string => {
  const changed = new URL(url)
  if (changed.pathname === path) return url
  changed.pathname = path
  return changed.href
}

/** Replaces the model in a request's body, or in its path for formats that name it there. */
const withModel = (
  model: string,
  sent: HttpMessage.SentRequest,
  input: Parameters<Fetch>[0],
  init: RequestInit | undefined,
): readonly [Parameters<Fetch>[0], RequestInit | undefined] => {
  const body = bodyOf(sent)
  const { host, pathname: path } = new URL(sent.url)
  if (!isObject(body)) return [input, init]
  const asked = askedBy(sent.method, { host, path }, body)
  if (asked === undefined) return [input, init]
  const pathOfModel = asked.wire.withModel?.(path, model)
  const url = pathOfModel === undefined ? sent.url : withPath(sent.url, pathOfModel)
  const named: JsonObject = pathOfModel === undefined ? { ...body, model } : body
  const signal = input instanceof Request ? input.signal : init?.signal
  return [
    url,
    { ...init, method: sent.method, headers: sent.headers, body: JSON.stringify(named), ...(signal ? { signal } : {}) },
  ]
}
