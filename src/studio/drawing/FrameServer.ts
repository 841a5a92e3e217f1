/**
 * The server of the frames in which plugins draw: another one than Studio's, under other names of the loopback, so that a browser puts each
 * plugin's code in a process of its own. It has nothing but the documents of frames.
 */

import { randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http"
import { Effect, Option, type Scope } from "effect"
import { PortUnavailable } from "../../platform/loopback/PortUnavailable.ts"
import type { FrameDocument } from "./FrameDocument.ts"
import { HEADERS } from "./FrameHeaders.ts"

/** A running server. */
export interface FrameServer {
  /** The origin of the frames of a label, the first part of a name below `localhost` (RFC 6761). */
  readonly originOf: (label: string) => string
  /** The address of its document. */
  readonly addressOf: (label: string) => string
}

/** Serves, until the scope closes, the documents that are there by their labels. It listens on the loopback alone. */
export const serve = (
  documentOf: (label: string) => FrameDocument | undefined,
): Effect.Effect<FrameServer, PortUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    // No secret of the log: it keeps other programs of this machine from looking plugins' code up.
    const key = randomBytes(16).toString("hex")
    let port = 0
    const listener: RequestListener = (request, response) => {
      for (const [name, value] of HEADERS) response.setHeader(name, value)
      const label = labelOf(request, port)
      const isKnown = request.url === `/${key}` && request.method === "GET"
      const found = label === undefined || !isKnown ? undefined : documentOf(label)
      response.setHeader("content-security-policy", found?.policy ?? NOTHING)
      response.setHeader("content-type", `text/${found === undefined ? "plain" : "html"}; charset=utf-8`)
      response.writeHead(label === undefined ? 403 : found === undefined ? 404 : 200)
      response.end(found?.html ?? "Expected Studio's page to show this.")
    }
    port = yield* onLoopback(listener)
    const originOf = (label: string) => `http://${label}.localhost:${port}`
    return { originOf, addressOf: (label) => `${originOf(label)}/${key}` }
  })

/** The policy of what is no document of a frame. */
const NOTHING = "sandbox; default-src 'none'; frame-ancestors 'none'"

/** The label that a request is for; undefined if it is from another host's name, or not for a frame of another site's page. */
const labelOf = ({ headers }: IncomingMessage, port: number): string | undefined => {
  const [, label] = /^([0-9a-f]{1,63})\.localhost:\d+$/.exec(headers.host ?? "") ?? []
  const isOurs = headers.host === `${label}.localhost:${port}` && headers.origin === undefined
  const fetched = ["sec-fetch-dest", "sec-fetch-site", "sec-fetch-mode"].map((name) => headers[name] ?? "")
  const isFrame = fetched.every((found, index) => found === "" || found === FOR_A_FRAME[index])
  return isOurs && isFrame ? label : undefined
}

const FOR_A_FRAME = ["iframe", "cross-site", "navigate"]

/**
 * Listens on one port of both loopback addresses, since names below `localhost` lead to either: nobody else answers there. A machine
 * without IPv6 has one.
 */
const onLoopback = (listener: RequestListener): Effect.Effect<number, PortUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const four = createServer(listener)
      const port = yield* listening(four, "127.0.0.1", 0)
      const six = createServer(listener)
      const problem = yield* Effect.option(Effect.flip(listening(six, "::1", port)))
      const isTaken = Option.isSome(problem) && problem.value.reason.includes("EADDRINUSE")
      yield* Effect.addFinalizer(() => Effect.zipRight(closed(four), closed(six)))
      if (!isTaken) return port
    }
    return yield* new PortUnavailable({ port: 0, reason: "no port was free on 127.0.0.1 and ::1 at once" })
  })

const MAX_ATTEMPTS = 8

const listening = (server: Server, host: string, port: number): Effect.Effect<number, PortUnavailable> =>
  Effect.async((resume) => {
    server.once("error", (cause) => resume(new PortUnavailable({ port, reason: cause.message })))
    server.listen({ host, port }, () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })

const closed = (server: Server): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (!server.listening) return resume(Effect.void)
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })
