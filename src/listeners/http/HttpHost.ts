/**
 * The port of all listeners: opened once, when the first of them needs it. It gives each request to the listener of its
 * path, and refuses what no listener should see.
 */

import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { Effect, Schema, Scope } from "effect"
import { siteRefusalOf } from "../../platform/loopback/Access.ts"
import { LOOPBACK, type RequestTimeouts } from "../../platform/loopback/Listening.ts"
import * as LoopbackServer from "../../platform/loopback/LoopbackServer.ts"
import type { PortUnavailable } from "../../platform/loopback/PortUnavailable.ts"
import { type Failure, type Refusal, refusal, shown } from "../../platform/loopback/Refusal.ts"
import * as WebSockets from "../../platform/loopback/WebSockets.ts"
import * as Options from "../../values/Options.ts"

/** Schema of the path of a route. */
export const RoutePath: Schema.Schema<string> = Schema.String.pipe(
  Schema.pattern(/^(?:\/[\w.~-]+)+$/),
  Schema.annotations({ description: 'a path such as "/events"' }),
)

/** A path of the port. */
export interface Route {
  /** Such as `/github`. */
  readonly path: string
  /**
   * Whether it checks a signature of each request. Then any site may send; otherwise only programs of this machine, and
   * no page of another site.
   */
  readonly isSigned: boolean
  /** Answers a request. */
  readonly answer?: (exchange: LoopbackServer.Exchange) => Effect.Effect<void, Failure>
  /** Takes a handshake of a WebSocket. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
}

export interface HttpHost {
  /** Takes a path until the scope closes. Returns its URL. */
  readonly route: (route: Route) => Effect.Effect<string, PortUnavailable | Options.InvalidOptions, Scope.Scope>
  /** Opens the port now. */
  readonly open: Effect.Effect<number, PortUnavailable>
}

export interface HttpHostOptions {
  /** 0 for a free one. */
  readonly port: number
  /** The address to listen on. */
  readonly host: string
  /** Slower requests are cut off. Default: 10 s for the headers, 30 s for the whole. */
  readonly timeouts?: RequestTimeouts
}

/** Connections at the same time. Further ones are closed. */
const MAX_CONNECTIONS = 256

const TIMEOUTS: RequestTimeouts = { headersMs: 10_000, requestMs: 30_000 }

/** The errors that a sender may repeat, and others, as HTTP statuses. */
const STATUS: { readonly [tag: string]: number } = {
  InvalidOptions: 400,
  InvalidEvent: 400,
  Unreadable: 400,
  PluginFailed: 502,
  InboxFull: 503,
  LogBusy: 503,
  LogUnavailable: 503,
  DiskFull: 507,
}

/** The host, which closes its port with the scope. */
export const make = ({
  port: wanted,
  host,
  timeouts = TIMEOUTS,
}: HttpHostOptions): Effect.Effect<HttpHost, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const routes = new Map<string, Route>()
    let port = wanted

    const refused = (request: IncomingMessage): Refusal | undefined => {
      const route = routes.get(pathOf(request))
      // A signature says more than a name: senders from elsewhere reach the loopback through a proxy with its own name.
      if (route?.isSigned === true || host !== LOOPBACK) return undefined
      return siteRefusalOf(request.headers, port)
    }

    const upgraded = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (refused(request) !== undefined) return WebSockets.refuse(socket, "403 Forbidden")
      const upgrade = routes.get(pathOf(request))?.upgrade
      if (upgrade === undefined) return WebSockets.refuse(socket, "404 Not Found")
      upgrade(request, socket, head)
    }

    const open = yield* Effect.cached(
      LoopbackServer.serve({
        name: "the listeners",
        port: wanted,
        host,
        token: undefined,
        statusOf: (tag) => STATUS[tag] ?? 500,
        siteCheck: refused,
        timeouts,
        maxConnections: MAX_CONNECTIONS,
        onUpgrade: upgraded,
        answer: (exchange) => {
          const { path } = exchange
          const answer = routes.get(path)?.answer
          return answer === undefined
            ? Effect.fail(refusal(404, "NotFound", "the path of a listener", shown(path)))
            : answer(exchange)
        },
      }).pipe(
        Effect.tap((opened) => {
          port = opened
        }),
        Scope.extend(scope),
      ),
    )

    const route = (given: Route) =>
      Effect.gen(function* () {
        const problem = flawOf(given, routes, host)
        if (problem !== undefined) {
          return yield* new Options.InvalidOptions({
            of: "Listener.serve",
            problems: [{ path: "listeners", ...problem }],
          })
        }
        yield* Effect.acquireRelease(
          Effect.sync(() => routes.set(given.path, given)),
          () => Effect.sync(() => routes.delete(given.path)),
        )
        return `http://${host.includes(":") ? `[${host}]` : host}:${yield* open}${given.path}`
      })

    return { route, open }
  })

const flawOf = (
  { path, isSigned }: Route,
  routes: ReadonlyMap<string, Route>,
  host: string,
): Omit<Options.Problem, "path"> | undefined => {
  if (routes.has(path)) return { expected: "a path of its own for each listener", found: `${path} twice` }
  return isSigned || host === LOOPBACK
    ? undefined
    : { expected: `a signature for ${path}, because others reach ${host}`, found: "none" }
}

const pathOf = ({ url = "/" }: IncomingMessage): string => url.split("?")[0] ?? "/"
