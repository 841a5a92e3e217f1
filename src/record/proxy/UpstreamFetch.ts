/**
 * A `fetch` that forwards like the proxy: it uses the environment's proxies, signs where needed, and follows no
 * redirects.
 */

import { Readable } from "node:stream"
import type { ReadableStream } from "node:stream/web"
import type { Fetch } from "../../agents/models/Fetch.ts"
import * as HttpMessage from "../http/HttpMessage.ts"
import { sentBy } from "../http/SentRequest.ts"
import type { OutgoingRequests } from "./OutgoingRequests.ts"
import { headersOf } from "./RecordingProxy.ts"
import * as Signing from "./Signing.ts"

export const make =
  (forwarding: OutgoingRequests, env: Signing.Credentials): Fetch =>
  async (input, init) => {
    const { sent, request } = await sentBy(input, init)
    const url = new URL(sent.url)
    const body = sent.body === null ? new Uint8Array() : Buffer.from(sent.body)
    const headers = [...sent.headers, ["host", url.host] as const, ...lengthOf(sent.body, body)].flat()
    const signed = await Signing.signed({ method: sent.method, url, headers, body }, env)
    if ("refused" in signed) throw new TypeError(signed.refused)
    const signal = request?.signal ?? init?.signal ?? new AbortController().signal
    const outgoing = { method: sent.method, url, headers: signed.headers, body, signal }
    const upstream = await forwarding.send(outgoing)
    const { statusCode: status = 502, statusMessage: statusText = "", rawHeaders } = upstream
    const isEmpty = sent.method === "HEAD" || status === 204 || status === 304
    // Node's web-stream types differ from the global ones.
    const stream = Readable.toWeb(upstream) as ReadableStream<Uint8Array> as unknown as ConstructorParameters<
      typeof Response
    >[0]
    const response = new Response(isEmpty ? null : stream, { status, statusText, headers: headersOf(rawHeaders) })
    return HttpMessage.from(response, { url: sent.url, redirected: false, type: "basic" })
  }

const lengthOf = (sent: unknown, body: Uint8Array): ReadonlyArray<readonly [string, string]> =>
  sent === null ? [] : [["content-length", String(body.byteLength)]]
