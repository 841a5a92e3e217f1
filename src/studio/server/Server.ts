/** Studio's server: HTTP on the loopback, for the page that it serves and for nobody else. */

import { Effect, type Scope } from "effect"
import { newToken } from "../../platform/loopback/Access.ts"
import * as LoopbackServer from "../../platform/loopback/LoopbackServer.ts"
import type { PortUnavailable } from "../../platform/loopback/PortUnavailable.ts"
import { only } from "../../platform/loopback/Refusal.ts"
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
    const token = newToken()
    const port = yield* LoopbackServer.serve({
      name: "Studio",
      port: wanted,
      token,
      isOpen: (path) => !isOfApi(path),
      headers: PageFiles.headers(origins),
      statusOf: Problems.statusOf,
      answer: ({ request, response, ...asked }) =>
        isOfApi(asked.path)
          ? Problems.ofDamage(Routes.handle({ request, response, ...asked, heartbeatMs }))
          : only("GET", request.method, PageFiles.serve(response, asked.path, files)),
    })
    const origin = `http://127.0.0.1:${port}`
    yield* showIn(origin)
    return { url: `${origin}/#token=${token}`, origin, port, token }
  })

const isOfApi = (path: string): boolean => path === "/api" || path.startsWith("/api/")
