/** Reads the arguments of a `fetch` call. */

import type * as HttpMessage from "./HttpMessage.ts"
import { remembered } from "./Remembered.ts"

/** Reads a request. If its body can be read only once, returns a new `Request` to send instead. */
export const sentBy = async (
  input: Parameters<typeof globalThis.fetch>[0],
  init: RequestInit | undefined,
): Promise<{ readonly sent: HttpMessage.SentRequest; readonly request?: Request }> => {
  const given = init?.body ?? null
  if (!(input instanceof Request) && (given === null || typeof given === "string" || given instanceof Uint8Array)) {
    const body = typeof given === "string" ? given.toWellFormed() : given
    const method = (init?.method ?? "GET").toUpperCase()
    return { sent: { method, url: hrefOf(String(input)), headers: new Headers(init?.headers), body } }
  }
  const request = new Request(input, init)
  const { method, url, headers } = request
  const body = request.body === null ? null : new Uint8Array(await request.clone().arrayBuffer())
  return { sent: { method, url, headers, body }, request }
}

const hrefOf = remembered((url) => new URL(url).href)

/** The options that a `Request` does not keep, such as undici's `dispatcher`. */
export const beside = (init: RequestInit = {}): RequestInit => {
  const { body: _body, method: _method, headers: _headers, ...others } = init
  return others
}
