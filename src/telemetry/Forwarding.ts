/**
 * Passes requests on to another receiver, as they came. Neither its failures nor its pace change Hindcast's own answers:
 * it drops and counts a request that failed several times.
 */

import { randomUUID } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import * as Delivery from "./sending/Delivery.ts"

export interface Forwarding {
  /** Takes a request to send soon; drops it if too much waits. */
  readonly forward: (request: Forwarded) => void
  readonly counts: () => ForwardingCounts
  /** Ends, and cuts requests in progress off. Returns how many requests it did not pass on. */
  readonly close: () => number
}

export interface Forwarded {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** As sent, compressed or not. */
  readonly body: Uint8Array
}

export interface ForwardingCounts {
  readonly sent: number
  readonly failed: number
  readonly waiting: number
}

export interface ForwardingOptions {
  /** The other receiver's base address, such as `http://127.0.0.1:4319`. */
  readonly to: URL
  /** Our own token, which clients' headers may have and the other receiver never gets. */
  readonly token: string | undefined
  /** Called for each dropped request. */
  readonly onFailed: (reason: string) => void
}

/** Maximum bytes that wait. */
const MAX_WAITING_BYTES = 128 * 1024 * 1024

/** Requests at the same time. */
const AT_ONCE = 4

const ATTEMPTS = 4
/** Pause before the second attempt; it doubles with each further one. */
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 30_000

/** The header that may show our own token. */
export const TOKEN_HEADER = "x-hindcast-token"

export const make = ({ to, token, onFailed }: ForwardingOptions): Forwarding => {
  const ending = new AbortController()
  const queue: Array<Forwarded> = []
  const totals = { sent: 0, failed: 0, underWay: 0, waitingBytes: 0 }
  /** This process among receivers that pass requests on (RFC 9110 §7.6.3). */
  const name = `hindcast-${randomUUID()}`

  const drop = (reason: string) => {
    totals.failed += 1
    if (!ending.signal.aborted) onFailed(reason)
  }

  const next = () => {
    while (totals.underWay < AT_ONCE) {
      const request = queue.shift()
      if (request === undefined) return
      totals.underWay += 1
      void send(request).finally(() => {
        totals.underWay -= 1
        totals.waitingBytes -= request.body.length
        next()
      })
    }
  }

  const send = async (request: Forwarded): Promise<void> => {
    const url = Delivery.addressOf(to, request.path)
    const headers = headersFor(request.headers, token)
    headers.append("via", `1.1 ${name}`)
    let reason = "it was not tried"
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const delivered = await Delivery.attempt({ url, headers, body: request.body, ending: ending.signal })
      if (delivered.kind === "taken") {
        totals.sent += 1
        return
      }
      reason = delivered.reason
      if (delivered.kind === "refused") break
      const pauseMs = Math.min(MAX_PAUSE_MS, delivered.afterMs ?? FIRST_PAUSE_MS * 2 ** attempt)
      if (attempt + 1 < ATTEMPTS) await pause(pauseMs, ending.signal)
      if (ending.signal.aborted) break
    }
    drop(reason)
  }

  return {
    forward: (request) => {
      if (String(request.headers.via ?? "").includes(name))
        return drop(`${to.origin} sends back what it gets: the receivers pass it on in a circle`)
      if (totals.waitingBytes + request.body.length > MAX_WAITING_BYTES)
        return drop(`${to.origin} is too slow: ${MAX_WAITING_BYTES} bytes wait for it`)
      totals.waitingBytes += request.body.length
      queue.push(request)
      next()
    },
    counts: () => ({ sent: totals.sent, failed: totals.failed, waiting: queue.length + totals.underWay }),
    close: () => {
      const left = queue.length + totals.underWay
      queue.length = 0
      ending.abort()
      return left
    },
  }
}

/** Headers of a connection (RFC 9110 §7.6.1), and those that the next request makes itself. */
const OWN: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer"],
  ...["transfer-encoding", "upgrade", "host", "content-length", "expect", "accept-encoding", TOKEN_HEADER],
])

/** The headers to pass on: all but the connection's own, and our token. */
export const headersFor = (headers: IncomingHttpHeaders, token: string | undefined): Headers => {
  const passed = new Headers()
  const named = new Set((headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()))
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || OWN.has(name) || named.has(name)) continue
    if (name === "authorization" && token !== undefined && String(value).replace(/^bearer /i, "") === token) continue
    passed.set(name, Array.isArray(value) ? value.join(", ") : String(value))
  }
  return passed
}

const pause = (ms: number, ending: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      ending.removeEventListener("abort", end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    ending.addEventListener("abort", end)
  })
