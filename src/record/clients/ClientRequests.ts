/**
 * Observes requests of `node:http` and `node:https`, on which axios, got, node-fetch and the AWS SDK are built. The
 * client's own objects stay in use, so agents, proxies, `expect`, trailers and back-pressure work unchanged. Two steps
 * wait for the log: sending a request whose body is complete, and the end of a response.
 */

import http from "node:http"
import type { Socket } from "node:net"
import { canParseUrl } from "../../values/url/canParseUrl.ts"
import { isOutside } from "../network/ClosedNetwork.ts"
import * as Method from "../network/Method.ts"
import { isOwnServer } from "../network/NetworkPatches.ts"
import type * as Unseen from "../network/Unseen.ts"
import * as ObservedExchange from "./ObservedExchange.ts"

/** Maximum size of a buffered request body, in bytes. */
const MOST_SENT = 64 * 1024 * 1024

interface Observed {
  readonly exchange: ObservedExchange.ObservedExchange
  readonly url: string
  readonly pieces: Array<Uint8Array>
  size: number
  isSent: boolean
  /** The error with which the program destroyed it. */
  cancelledBy: unknown
  isCancelled: boolean
  hasAnswer: boolean
  /** Events held back until a failure is recorded. */
  waiting: Array<ReadonlyArray<unknown>> | undefined
}

/** Observes every request of the process from now on. */
export const observe = (record: ObservedExchange.Record, note: Unseen.Note): void => {
  const observed = new WeakMap<http.ClientRequest, Observed | null>()
  const { prototype } = http.ClientRequest

  const met = (request: unknown): Observed | undefined => {
    if (!(request instanceof http.ClientRequest)) return undefined
    const known = observed.get(request)
    if (known !== undefined) return known ?? undefined
    const url = isOutside() ? undefined : urlOf(request, note)
    const found: Observed | null =
      url === undefined
        ? null
        : {
            url,
            exchange: ObservedExchange.make(record),
            pieces: [],
            size: 0,
            waiting: undefined,
            isSent: false,
            cancelledBy: undefined,
            isCancelled: false,
            hasAnswer: false,
          }
    observed.set(request, found)
    return found ?? undefined
  }

  for (const name of ["write", "end"] as const) {
    Method.replace(
      prototype,
      name,
      (original) =>
        function send(this: unknown, ...args) {
          const found = met(this)
          if (found !== undefined && !found.isSent) {
            take(found, args)
            if (name === "end") sent(found, this)
          }
          return original.apply(this, args)
        },
    )
  }
  const sent = (found: Observed, request: unknown) => {
    found.isSent = true
    if (found.size > MOST_SENT) note("a request whose body is too large", found.url)
    else begin(found, request)
  }

  Method.replace(
    prototype,
    "onSocket",
    (original) =>
      function onSocket(this: unknown, ...args) {
        const found = met(this)
        if (found === undefined) return original.apply(this, args)
        // A program that sends the body synchronously has done so by then.
        process.nextTick(() => connected(found, this, args, original))
        return undefined
      },
  )

  Method.replace(
    prototype,
    "destroy",
    (original) =>
      function destroy(this: unknown, ...args) {
        const found = met(this)
        if (found !== undefined && !found.isCancelled) {
          found.isCancelled = true
          found.cancelledBy = args[0] ?? undefined
        }
        return original.apply(this, args)
      },
  )

  Method.replace(
    prototype,
    "emit",
    (original) =>
      function emit(this: unknown, ...args) {
        const found = met(this)
        if (found === undefined) return original.apply(this, args)
        if (found.waiting !== undefined) {
          found.waiting.push(args)
          return true
        }
        const [event, told] = args
        if (event === "response" && told instanceof http.IncomingMessage) answered(found, this, told)
        if (event === "error" && !found.hasAnswer && found.size <= MOST_SENT) {
          fail(
            found,
            this,
            told,
            () => original.apply(this, args),
            (more) => original.apply(this, more),
          )
          return true
        }
        return original.apply(this, args)
      },
  )
}

/** The URL of a request; undefined if it is not recorded. Notes upgrades as unseen. */
const urlOf = (request: http.ClientRequest, note: Unseen.Note): string | undefined => {
  // A proxy tunnel: the request inside it is observed itself.
  if (request.method === "CONNECT" || Reflect.get(request, "socketPath")) return undefined
  const { host, protocol, path } = request
  const url = /^https?:/i.test(path) ? path : `${protocol}//${String(request.getHeader("host") ?? host)}${path}`
  if (!canParseUrl(url)) return undefined
  const { port, href, origin } = new URL(url)
  if (isOwnServer({ host, port: Number(port || (protocol === "https:" ? 443 : 80)) })) return undefined
  if (request.getHeader("upgrade") !== undefined) {
    note(`an upgrade to ${String(request.getHeader("upgrade"))}`, origin)
    return undefined
  }
  return href
}

const take = (found: Observed, [chunk, encoding]: ReadonlyArray<unknown>) => {
  if (typeof chunk !== "string" && !(chunk instanceof Uint8Array)) return
  const piece =
    typeof chunk === "string"
      ? Buffer.from(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8")
      : Buffer.from(chunk)
  if (piece.byteLength === 0) return
  found.size += piece.byteLength
  if (found.size <= MOST_SENT) found.pieces.push(piece)
  else found.pieces.length = 0
}

const begin = ({ exchange, pieces, url }: Observed, request: unknown) =>
  exchange.begin(() => {
    const { method, headers } = headOf(request)
    return { method, url, headers, body: ObservedExchange.bodyOf(pieces) }
  })

const methodOf = (request: unknown): string => (request instanceof http.ClientRequest ? request.method : "GET")

const headOf = (request: unknown) => {
  const headers = new Headers()
  const method = methodOf(request)
  if (!(request instanceof http.ClientRequest)) return { method, headers }
  for (const [name, value] of Object.entries(request.getHeaders())) {
    for (const one of Array.isArray(value) ? value : [value ?? ""]) headers.append(name, String(one))
  }
  return { method, headers }
}

/** Passes the socket on. If the body is complete, records the request first. */
const connected = async (
  found: Observed,
  request: unknown,
  [socket, failed]: ReadonlyArray<unknown>,
  original: Method.Method,
) => {
  if (failed || !found.isSent || found.size > MOST_SENT) return void original.call(request, socket, failed)
  // Until then, the socket has no other error listener.
  let error: unknown
  const heard = (told: unknown) => {
    error = told
  }
  const held = socket as Socket
  held.on("error", heard)
  try {
    await begin(found, request)
  } catch (refused) {
    error = refused
  }
  // By then the request has its own listeners.
  process.nextTick(() => {
    original.call(request, socket, error ?? (held.destroyed ? hungUp() : undefined))
    held.off("error", heard)
  })
}

/** Node's error for a kept-alive connection that the server has closed; clients retry on it. */
const hungUp = (): Error => Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })

const answered = (found: Observed, request: unknown, response: http.IncomingMessage) => {
  if (found.size > MOST_SENT) return
  const { exchange, url } = found
  found.hasAnswer = true
  const { statusCode = 0, statusMessage = "", rawHeaders } = response
  // A server may answer before it has read the whole request.
  begin(found, request)
  exchange.head({
    url,
    status: statusCode,
    statusText: statusMessage,
    redirected: false,
    headers: ObservedExchange.headersOf(rawHeaders),
  })
  const push = response.push.bind(response)
  let ended: Promise<void> | undefined
  response.push = (piece: unknown, encoding?: BufferEncoding) => {
    if (piece !== null) {
      if (piece instanceof Uint8Array && piece.byteLength > 0) exchange.took(piece)
      return push(piece, encoding)
    }
    ended ??= exchange.ended(ObservedExchange.hasBody(methodOf(request), statusCode) ? "clean" : "none").then(
      () => void push(null),
      (error) => void response.destroy(error),
    )
    return false
  }
  const destroy = response._destroy.bind(response)
  response._destroy = (error, callback) => {
    if (ended !== undefined) return destroy(error, callback)
    const isBroken = !found.isCancelled && error !== null && Reflect.get(error, "code") === "ECONNRESET"
    ended = isBroken ? exchange.ended("cut") : exchange.ended("cancelled", found.cancelledBy ?? error ?? undefined)
    const recorded = ended.catch(() => {})
    // Tells the program once it is recorded.
    return destroy(error, (told) => void recorded.then(() => callback(told)))
  }
}

/** Records a failed request before the program hears of it. */
const fail = (
  found: Observed,
  request: unknown,
  error: unknown,
  tell: () => unknown,
  emit: (args: Array<unknown>) => unknown,
) => {
  const waiting: Array<ReadonlyArray<unknown>> = []
  found.waiting = waiting
  const goOn = () =>
    // An unhandled error still ends the process.
    process.nextTick(() => {
      found.waiting = undefined
      found.hasAnswer = true
      try {
        tell()
      } finally {
        for (const args of waiting) emit([...args])
      }
    })
  begin(found, request)
    .then(() => found.exchange.failed(error))
    .then(goOn, goOn)
}
