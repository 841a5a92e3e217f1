/** Studio's server: HTTP on the loopback, for the page that it serves and for nobody else. */

import { Effect, type Scope } from "effect"
import { newToken, siteRefusalOf, tokenRefusalOf } from "../../agents/channel/HttpAccess.ts"
import { refuse } from "../../agents/channel/HttpMessages.ts"
import * as LoopbackServer from "../../platform/loopback/LoopbackServer.ts"
import type { PortUnavailable } from "../../platform/loopback/PortUnavailable.ts"
import { Drawing } from "../drawing/Drawing.ts"
import * as PageFiles from "./PageFiles.ts"
import * as Problems from "./Problems.ts"
import * as Routes from "./Routes.ts"

/** How a server is started. */
export interface ServeOptions {
  /** Default: a port that is free. */
  readonly port?: number | undefined
  /** How often a live connection shows that it lives, in milliseconds. Default: 15 s. */
  readonly heartbeatMs?: number
  /** Where the page's files are. Default: in the package. */
  readonly files?: string
}

/** A running server. */
export interface Served {
  /** With the token in its fragment, which browsers send nowhere. Who has it may do all that the server allows. */
  readonly url: string
  readonly origin: string
  readonly port: number
  readonly token: string
}

const HEARTBEAT_MS = 15_000

/** Serves until the scope closes, on 127.0.0.1 alone. */
export const serve = ({
  port: wanted = 0,
  heartbeatMs = HEARTBEAT_MS,
  files,
}: ServeOptions): Effect.Effect<Served, PortUnavailable, Routes.Needs | Scope.Scope> =>
  Effect.gen(function* () {
    const { origins, showIn } = yield* Drawing
    const headers = PageFiles.headers(origins)
    const token = newToken()
    const port = yield* LoopbackServer.serve(wanted, (incoming) => {
      const { response } = incoming
      for (const [name, value] of headers) response.setHeader(name, value)
      return Problems.answered(response, answer(incoming, { token, heartbeatMs, files }))
    })
    const origin = `http://127.0.0.1:${port}`
    yield* showIn(origin)
    return { url: `${origin}/#token=${token}`, origin, port, token }
  })

interface Serving {
  readonly token: string
  readonly heartbeatMs: number
  readonly files: string | undefined
}

const answer = (
  { request, response, port }: LoopbackServer.Incoming,
  { token, heartbeatMs, files }: Serving,
): Effect.Effect<void, Problems.Failure, Routes.Needs> =>
  Effect.suspend((): Effect.Effect<void, Problems.Failure, Routes.Needs> => {
    const site = siteRefusalOf(request.headers, port)
    if (site !== undefined) return Effect.fail(site)
    const typed = request.url ?? "/"
    // A proxy's absolute address is none of ours.
    if (!typed.startsWith("/") || typed.startsWith("//") || !URL.canParse(typed, ORIGIN)) {
      return refuse(400, "InvalidAddress", "a path", JSON.stringify(typed.slice(0, MAX_SHOWN)))
    }
    const { pathname, searchParams } = new URL(typed, ORIGIN)
    if (pathname === "/api" || pathname.startsWith("/api/")) {
      const refused = tokenRefusalOf(request.headers, token)
      if (refused !== undefined) return Effect.fail(refused)
      return Routes.handle({ request, response, heartbeatMs, path: pathname, parameters: searchParams })
    }
    return request.method === "GET"
      ? PageFiles.serve(response, pathname, files)
      : refuse(405, "MethodNotAllowed", "the method GET", String(request.method))
  })

const ORIGIN = "http://127.0.0.1"

const MAX_SHOWN = 200
