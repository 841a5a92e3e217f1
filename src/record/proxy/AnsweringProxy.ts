/** Answers requests by the `fetch` of a run: of a replay from its recording, of a fork from its moment on for real. */

import { once } from "node:events"
import type { ServerResponse } from "node:http"
import type { Fetch } from "../../agents/models/Fetch.ts"
import * as CutEncoding from "../http/CutEncoding.ts"
import { cut, type Incoming, refuse } from "./ProxyServer.ts"
import { isTagged, OWN, pairs, sentOf, targetOf } from "./RecordingProxy.ts"
import type { Routes } from "./Routes.ts"

/** What such a proxy needs. */
export interface AnsweringParts {
  readonly routes: Routes
  /** The run's. It rejects with tagged errors where the run has no answer. */
  readonly fetch: Fetch
}

/** What the way out sets itself. No encoding is asked for, since what is recorded is none. */
const SET = /^(host|content-length|content-encoding|accept-encoding)$/i

/** Answers a request. */
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
