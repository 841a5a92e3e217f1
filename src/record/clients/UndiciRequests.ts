/**
 * Observes requests of undici, any version and dispatcher, through its diagnostics channel, which publishes each
 * request before it is sent. A run's own `fetch` also uses undici, but records by itself.
 */

import diagnostics from "node:diagnostics_channel"
import { canParseUrl } from "../../values/url/canParseUrl.ts"
import { isOutside } from "../network/ClosedNetwork.ts"
import * as Method from "../network/Method.ts"
import { isOwnServer } from "../network/NetworkPatches.ts"
import type * as Unseen from "../network/Unseen.ts"
import * as ObservedExchange from "./ObservedExchange.ts"

export const observe = (record: ObservedExchange.Record, note: Unseen.Note): void => {
  diagnostics.subscribe("undici:request:create", (message) => {
    const request: unknown = Reflect.get(Object(message), "request")
    if (!isOutside() && typeof request === "object" && request !== null) tap(request, record, note)
  })
}

const tap = (request: object, record: ObservedExchange.Record, note: Unseen.Note) => {
  const field = (name: string): unknown => Reflect.get(request, name)
  const [method, path, origin] = [String(field("method")), String(field("path")), String(field("origin"))]
  // A proxy tunnel: the request inside it is observed itself.
  if (method === "CONNECT") return
  const url = /^https?:/i.test(path) ? path : `${origin}${path}`
  if (!canParseUrl(url)) return
  const { hostname, port, protocol, href } = new URL(url)
  if (isOwnServer({ host: hostname, port: Number(port || (protocol === "https:" ? 443 : 80)) })) return
  if (field("upgrade")) return note(`an upgrade to ${String(field("upgrade"))}`, new URL(url).origin)

  const exchange = ObservedExchange.make(record)
  const pieces: Array<Uint8Array> = []
  const begin = () =>
    exchange.begin(() => ({
      method,
      url: href,
      headers: requestHeaders(field("headers")),
      body: ObservedExchange.bodyOf(pieces),
    }))
  const refuse = (error: unknown) => {
    const abort = field("abort")
    if (typeof abort === "function") abort.call(request, error)
    else Reflect.set(request, "error", error)
  }
  const body = field("body")
  if (body === null || body instanceof Uint8Array) {
    if (body !== null) pieces.push(Buffer.from(body))
    begin().catch(refuse)
  } else {
    on(request, ["onBodySent"], (original, args) => {
      const [piece] = args
      if (typeof piece === "string" || piece instanceof Uint8Array) pieces.push(Buffer.from(piece as string))
      return original(...args)
    })
    on(request, ["onRequestSent"], (original, args) => {
      begin().catch(refuse)
      return original(...args)
    })
  }

  let answered: number | undefined
  let cancelledBy: { readonly reason: unknown } | undefined
  on(request, ["onConnect", "onRequestStart"], (original, [abort, ...more]) => {
    const cancel = (reason: unknown) => {
      cancelledBy ??= { reason }
      return typeof abort === "function" ? abort(reason) : undefined
    }
    return original(cancel, ...more)
  })
  on(request, ["onHeaders", "onResponseStart"], (original, args) => {
    const [status, headers, , statusText] = args
    if (typeof status === "number" && status >= 200) {
      answered = status
      begin().catch(() => {})
      exchange.head({
        url: href,
        status,
        statusText: String(statusText ?? ""),
        redirected: false,
        headers: responseHeaders(headers),
      })
    }
    return original(...args)
  })
  on(request, ["onData", "onResponseData"], (original, args) => {
    const [piece] = args
    if (piece instanceof Uint8Array && piece.byteLength > 0) exchange.took(piece)
    return original(...args)
  })
  on(request, ["onComplete", "onResponseEnd"], (original, args) => {
    exchange.ended(ObservedExchange.hasBody(method, answered ?? 0) ? "clean" : "none").then(
      () => original(...args),
      (error) => fail(request, error),
    )
  })
  on(request, ["onError", "onResponseError"], (original, args) => {
    const [error] = args
    // The program already knows.
    if (field("aborted") === true) return void original(...args)
    const recorded =
      answered === undefined
        ? begin().then(() => exchange.failed(error))
        : cancelledBy === undefined
          ? exchange.ended("cut")
          : exchange.ended("cancelled", cancelledBy.reason ?? error)
    // Marks the request as done for its client now, and tells the program once the end is recorded.
    Reflect.set(request, "aborted", true)
    const tell = () => {
      Reflect.set(request, "aborted", false)
      original(...args)
    }
    recorded.then(tell, tell)
  })
}

/** Replaces a method of a request under any of its names; they differ between versions of undici. */
const on = (
  request: object,
  names: ReadonlyArray<string>,
  by: (original: (...args: ReadonlyArray<unknown>) => unknown, args: ReadonlyArray<unknown>) => unknown,
) => {
  for (const name of names) {
    Method.replace(
      request,
      name,
      (original) =>
        function passed(this: unknown, ...args) {
          return by((...changed) => original.apply(this, [...changed]), args)
        },
    )
  }
}

const fail = (request: object, error: unknown) => {
  const told = Reflect.get(request, "onError") ?? Reflect.get(request, "onResponseError")
  if (typeof told === "function") told.call(request, error)
}

/** Alternating names and values; before undici 6, the header lines. */
const requestHeaders = (headers: unknown): Headers => {
  if (Array.isArray(headers)) return ObservedExchange.headersOf(headers.map((value) => String(value)))
  const pairs = String(headers ?? "")
    .split("\r\n")
    .flatMap((line) => {
      const [, name, value] = /^([^:]+): ?(.*)$/s.exec(line) ?? []
      return name === undefined || value === undefined ? [] : [name, value]
    })
  return ObservedExchange.headersOf(pairs)
}

/** Alternating names and values in bytes; for HTTP/2, an object. */
const responseHeaders = (headers: unknown): Headers => {
  if (Array.isArray(headers)) return ObservedExchange.headersOf(headers)
  return ObservedExchange.headersOf(Object.entries(Object(headers)).flatMap(([name, value]) => [name, String(value)]))
}
