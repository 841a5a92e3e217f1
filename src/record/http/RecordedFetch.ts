/** A `fetch` that records its requests and answers. */

import type { Fetch } from "../../agents/models/Fetch.ts"
import * as EncodedBody from "./EncodedBody.ts"
import type * as Exchange from "./Exchange.ts"
import * as HttpMessage from "./HttpMessage.ts"
import * as RecordedBody from "./RecordedBody.ts"
import { beside, sentBy } from "./SentRequest.ts"

export interface FetchParts {
  readonly exchange: (sent: HttpMessage.SentRequest) => Promise<Exchange.Exchange>
  readonly fetch: Fetch
  readonly assertOpen: (call: string) => void
}

/** Resolves and rejects like the `fetch` that makes the requests. */
export const make =
  (parts: FetchParts): Fetch =>
  async (input, init) => {
    parts.assertOpen("fetch")
    const { sent, request } = await sentBy(input, init)
    const exchange = await parts.exchange(sent)
    const { made, endOf } = EncodedBody.watch(() =>
      request === undefined ? parts.fetch(input, init) : parts.fetch(request, beside(init)),
    )
    let response: Response
    try {
      response = await made
    } catch (error) {
      await exchange.failed(error)
      throw error
    }
    const answer = exchange.answering(response)
    if (response.body === null) {
      await answer.ended("none")
      return response
    }
    const { body, url } = response
    return sameResponse(
      response,
      RecordedBody.pass(body, request?.signal ?? init?.signal, answer, () => endOf(url)),
    )
  }

const sameResponse = (response: Response, body: ReadableStream<Uint8Array>): Response => {
  const { status, statusText, headers } = response
  return HttpMessage.from(new Response(body, { status, statusText, headers }), response)
}
