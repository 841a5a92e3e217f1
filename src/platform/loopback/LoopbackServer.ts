/**
 * An HTTP server for programs on this machine, on 127.0.0.1 or a socket in the file system: checks access, turns
 * failures into answers, and ends with its scope. It listens elsewhere only on an address that the user names.
 */

import type { IncomingMessage, ServerResponse } from "node:http"
import { Effect, FiberSet, type Scope } from "effect"
import { canParseUrl } from "../../values/url/canParseUrl.ts"
import * as CallingFiber from "../fibers/CallingFiber.ts"
import * as ProgramLog from "../ProgramLog.ts"
import { siteRefusalOf, tokenRefusalOf } from "./Access.ts"
import * as Listening from "./Listening.ts"
import * as Messages from "./Messages.ts"
import type { PortUnavailable, SocketUnavailable } from "./PortUnavailable.ts"
import { type Failure, type Refusal, refusal, shown } from "./Refusal.ts"

/** A request, and the response to write. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Of the URL, still encoded. */
  readonly path: string
  readonly parameters: URLSearchParams
}

export interface Serving<R> {
  /** Its name in the program's log: `Studio`. */
  readonly name: string
  /** The token that each request must show; undefined for none, which only the loopback allows. */
  readonly token: string | undefined
  /** A header that may show the token instead of Authorization, which a forwarded request needs for itself. */
  readonly tokenHeader?: string
  /** Paths that need no token. Default: none. */
  readonly isOpen?: (path: string) => boolean
  /** Headers of every answer. */
  readonly headers?: ReadonlyArray<readonly [name: string, value: string]>
  /** The HTTP status of a failure that is no refusal, by its tag. */
  readonly statusOf: (tag: string) => number
  readonly answer: (exchange: Exchange) => Effect.Effect<void, Failure, R>
  readonly timeouts?: Listening.RequestTimeouts
}

export interface ServingPort<R> extends Serving<R>, Listening.Exposure {
  /** 0 for a free port. */
  readonly port: number
  /** The address to listen on. Default: 127.0.0.1. */
  readonly host?: string | undefined
  /** Replaces the check of the loopback's hosts and origins, for a server that knows its public names. */
  readonly siteCheck?: SiteCheck
}

/**
 * Serves until the scope closes, which also ends answers in progress. A client that goes away interrupts its answer.
 * Defects are answered without details, which go to the program's log.
 *
 * @returns the port
 */
export const serve = <R>(serving: ServingPort<R>): Effect.Effect<number, PortUnavailable, R | Scope.Scope> =>
  Effect.gen(function* () {
    let { port } = serving
    const { host = Listening.LOOPBACK } = serving
    // The names of another address are unknown; there, the token decides.
    const ofLoopback: SiteCheck =
      host === Listening.LOOPBACK ? (request) => siteRefusalOf(request.headers, port) : () => undefined
    const { siteCheck = ofLoopback, tls, maxConnections, onUpgrade } = serving
    const listener = yield* listenerOf(serving, siteCheck)
    port = yield* Listening.onAddress(listener, serving.port, serving.timeouts, host, {
      tls,
      maxConnections,
      onUpgrade,
    })
    return port
  })

/** Serves as `serve`, on a socket, which no page of a browser can reach. See `Listening.onSocket`. */
export const serveSocket = <R>(
  socket: string,
  serving: Serving<R>,
): Effect.Effect<void, SocketUnavailable, R | Scope.Scope> =>
  Effect.gen(function* () {
    const listener = yield* listenerOf(serving, () => undefined)
    yield* Listening.onSocket(listener, socket, serving.timeouts)
  })

/** Refuses a request by its connection and headers, before anything else looks at it. */
export type SiteCheck = (request: IncomingMessage) => Refusal | undefined

const listenerOf = <R>(serving: Serving<R>, siteCheck: SiteCheck) =>
  Effect.map(FiberSet.makeRuntime<R, void>(), (run) => (request: IncomingMessage, response: ServerResponse): void => {
    for (const [name, value] of serving.headers ?? []) response.setHeader(name, value)
    const asked = exchangeOf(request, response, siteCheck, serving)
    const handled = "status" in asked ? Effect.fail(asked) : Effect.suspend(() => serving.answer(asked))
    const fiber = run(answered(response, handled, serving))
    response.on("error", () => response.destroy())
    response.once("close", () => CallingFiber.interrupt(fiber))
  })

/** Checks the origin, then the token, and reveals nothing before. */
const exchangeOf = <R>(
  request: IncomingMessage,
  response: ServerResponse,
  siteCheck: SiteCheck,
  { token, tokenHeader, isOpen = () => false }: Serving<R>,
): Exchange | Refusal => {
  const site = siteCheck(request)
  if (site !== undefined) return site
  const typed = request.url ?? "/"
  // A proxy's absolute URL is not ours. In URLs, `\\` counts as `/`.
  const isPath = /^\/(?![/\\])/.test(typed) && canParseUrl(typed, ORIGIN)
  const url = isPath ? new URL(typed, ORIGIN) : undefined
  const isFree = token === undefined || (url !== undefined && isOpen(url.pathname))
  const shownToken = tokenHeader === undefined ? undefined : request.headers[tokenHeader]
  const headers = typeof shownToken === "string" ? { authorization: `Bearer ${shownToken}` } : request.headers
  const refused = isFree ? undefined : tokenRefusalOf(headers, token)
  if (refused !== undefined) return refused
  if (url === undefined) return refusal(400, "InvalidAddress", "a path", shown(typed))
  return { request, response, path: url.pathname, parameters: url.searchParams }
}

const ORIGIN = "http://127.0.0.1"

const answered = <R>(
  response: ServerResponse,
  handled: Effect.Effect<void, Failure, R>,
  { name, statusOf }: Serving<R>,
): Effect.Effect<void, never, R> =>
  handled.pipe(
    Effect.catchAll((failure) =>
      "status" in failure
        ? Messages.answerRefusal(response, failure)
        : Messages.answer(response, statusOf(failure._tag), { error: failure._tag, message: failure.message }),
    ),
    Effect.catchAllDefect((cause) =>
      Effect.zipRight(
        ProgramLog.error(`a request to ${name} died`, cause),
        Messages.answer(response, 500, {
          error: "Defect",
          message: "The request could not be served: this is a bug in Hindcast.",
        }),
      ),
    ),
  )
