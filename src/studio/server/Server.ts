/** Studio's server: HTTP on the loopback, only for the page that it serves. */

import { Effect, type Scope } from "effect"
import { newToken } from "../../platform/loopback/Access.ts"
import * as LoopbackServer from "../../platform/loopback/LoopbackServer.ts"
import type { PortUnavailable } from "../../platform/loopback/PortUnavailable.ts"
import { only } from "../../platform/loopback/Refusal.ts"
import { Drawing } from "../drawing/Drawing.ts"
import * as PageFiles from "./PageFiles.ts"
import * as Problems from "./Problems.ts"
import * as Routes from "./Routes.ts"

export interface ServeOptions {
  /** Default: a free port. */
  readonly port?: number | undefined
  /** Interval of the heartbeat on live connections, in milliseconds. Default: 15 s. */
  readonly heartbeatMs?: number
  /** The directory of the page's files. Default: in the package. */
  readonly files?: string
}

export interface Served {
  /**
   * Includes the token in its fragment, which browsers never send. Its holder may do everything that the server allows.
   */
  readonly url: string
  readonly origin: string
  readonly port: number
  readonly token: string
}

const HEARTBEAT_MS = 15_000

/** Serves on 127.0.0.1 until the scope closes. */
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
