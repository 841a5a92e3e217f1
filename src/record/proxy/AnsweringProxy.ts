/** Answers proxied requests with a run's `fetch`: from the recording, or for real after a fork point. */

import { once } from "node:events"
import type { ServerResponse } from "node:http"
import type { Fetch } from "../../agents/models/Fetch.ts"
import * as CutEncoding from "../http/CutEncoding.ts"
import { cut, type Incoming, refuse } from "./ProxyServer.ts"
import { isTagged, OWN, pairs, sentOf, targetOf } from "./RecordingProxy.ts"
import type { Routes } from "./Routes.ts"

export interface AnsweringParts {
  readonly routes: Routes
  /** The run's `fetch`; rejects with tagged errors if the run has no answer. */
  readonly fetch: Fetch
}

/** Headers that the outgoing request sets itself. It asks for no encoding, since recordings have none. */
const SET = /^(host|content-length|content-encoding|accept-encoding)$/i

export const answer = async ({ routes, fetch }: AnsweringParts, incoming: Incoming): Promise<void> => {
  const { response, rawHeaders, gone } = incoming
  const target = targetOf(routes, incoming)
  if (target === undefined) return
  const { method, url, body } = await sentOf(incoming, target.url)
  const headers = pairs(rawHeaders).filter(([name]) => !OWN.test(name) && !SET.test(name))
  let answered: Response
  try {
    answered = await fetch(url, {
      method,
      headers: headers.map(([name, value]) => [name, value] as [string, string]),
      signal: gone,
      ...(body === null ? {} : { body: body as NonNullable<RequestInit["body"]> }),
    })
  } catch (error) {
    if (isTagged(error)) refuse(response, 400, error._tag.toLowerCase(), error.message)
    else cut(response)
    return
  }
  await give(answered, response)
}

const give = async (answered: Response, response: ServerResponse): Promise<void> => {
  const { headers, body } = await CutEncoding.sent(answered)
  const own = [...answered.headers].filter(([name]) => !OWN.test(name))
  response.writeHead(answered.status, answered.statusText, [...own, ...headers].flat())
  response.flushHeaders()
  try {
    for await (const piece of body) {
      if (response.destroyed) return
      if (!response.write(piece)) await Promise.race([once(response, "drain"), once(response, "close")])
    }
  } catch {
    cut(response)
    return
  }
  response.end()
}
