/**
 * `fetch` for a server at a URL: to its granted host alone, with bounded responses. A name that leads to a private
 * network fails, as for plugins' own requests.
 */

import { lookup } from "node:dns"
import * as http from "node:http"
import * as https from "node:https"
import { Readable } from "node:stream"
import { canParseUrl } from "../../values/url/canParseUrl.ts"
import { isLocalName, publicOnly } from "../hostapi/PublicLookup.ts"

/** Maximum size of one response, also of a stream of events, in bytes. */
export const RESPONSE_BYTES = 64 * 1024 * 1024

/** A server's host, with its port unless it is the scheme's default. Undefined for any other than HTTP. */
export const hostOf = (url: string): string | undefined => {
  if (!canParseUrl(url)) return undefined
  const { protocol, host, username, password } = new URL(url)
  return /^https?:$/.test(protocol) && username === "" && password === "" ? host : undefined
}

/** Follows no redirect: another host has no grant. */
export const make =
  (granted: ReadonlyArray<string>) =>
  async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const host = hostOf(String(url))
    if (host === undefined || !granted.includes(host)) {
      throw new Error(
        `expected one of the hosts that it may reach (${granted.join(", ") || "none"}), found ${host ?? url}`,
      )
    }
    const response = await exchange(new URL(url), init, granted)
    if (response.status >= 300 && response.status < 400 && response.headers.has("location")) {
      await response.body?.cancel()
      throw new Error(`expected an answer of ${host}, found a redirect to ${response.headers.get("location")}`)
    }
    if (response.body === null) return response
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(limited(host)), { status, statusText, headers })
  }

/** Statuses without a body. */
const BODILESS: ReadonlySet<number> = new Set([101, 204, 205, 304])

/** One request over a connection of its own, whose address was checked. Node's `fetch` takes no such check. */
const exchange = (url: URL, init: RequestInit = {}, granted: ReadonlyArray<string>): Promise<Response> =>
  new Promise((resolve, reject) => {
    const { method = "GET", body, signal } = init
    if (body !== undefined && body !== null && typeof body !== "string")
      return reject(new Error("expected a body of text"))
    const request = (url.protocol === "https:" ? https : http).request(url, {
      ...{ method, agent: false },
      headers: { ...Object.fromEntries(new Headers(init.headers)), "accept-encoding": "identity" },
      lookup: isLocalName(url.hostname)
        ? lookup
        : publicOnly(lookup, { granted, advice: "grant the address next to the host" }),
      ...(signal === undefined || signal === null ? {} : { signal }),
    })
    request.on("error", reject)
    request.on("response", (response) => {
      const { statusCode: status = 0, statusMessage: statusText = "" } = response
      const headers = new Headers()
      for (const [name, value] of Object.entries(response.headers))
        for (const one of [value ?? []].flat()) headers.append(name, one)
      const isBodiless = BODILESS.has(status) || method === "HEAD"
      if (isBodiless) response.resume()
      const stream = isBodiless ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array>)
      try {
        resolve(new Response(stream, { status, statusText, headers }))
      } catch (cause) {
        // A status that no response may have.
        request.destroy()
        reject(cause)
      }
    })
    request.end(body ?? undefined)
  })

const limited = (host: string): TransformStream<Uint8Array, Uint8Array> => {
  let bytes = 0
  return new TransformStream({
    transform: (chunk, controller) => {
      bytes += chunk.length
      if (bytes > RESPONSE_BYTES)
        controller.error(new Error(`${host} sent more than ${RESPONSE_BYTES} bytes in one response`))
      else controller.enqueue(chunk)
    },
  })
}
