/** Studio's server: HTTP on the loopback, for the page that it serves and for nobody else. */

import { randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { Effect, Fiber, FiberSet, Runtime, type Scope } from "effect"
import { PortUnavailable } from "../../agents/channel/ChannelServer.ts"
import { siteRefusalOf, tokenRefusalOf } from "../../agents/channel/HttpAccess.ts"
import { refuse } from "../../agents/channel/HttpMessages.ts"
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

/** Bytes of a token. */
const TOKEN_BYTES = 32

/** Serves until the scope closes, on 127.0.0.1 alone. */
export const serve = ({
  port: wanted = 0,
  heartbeatMs = HEARTBEAT_MS,
  files,
}: ServeOptions): Effect.Effect<Served, PortUnavailable, Routes.Needs | Scope.Scope> =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime<Routes.Needs>()
    const { origins, showIn } = yield* Drawing
    const headers = PageFiles.headers(origins)
    const requests = yield* FiberSet.make<void, never>()
    const token = randomBytes(TOKEN_BYTES).toString("base64url")
    let port = wanted
    const server = createServer((request, response) => {
      for (const [name, value] of headers) response.setHeader(name, value)
      const handled = answer({ request, response, heartbeatMs }, { port, token, files })
      const fiber = Runtime.runFork(runtime)(Problems.answered(response, handled))
      // A client that went away gets nothing more.
      response.on("error", () => response.destroy())
      response.once("close", () => Runtime.runFork(runtime)(Fiber.interrupt(fiber)))
      FiberSet.unsafeAdd(requests, fiber)
    })
    port = yield* Effect.acquireRelease(listen(server, wanted), () => close(server))
    const origin = `http://127.0.0.1:${port}`
    yield* showIn(origin)
    return { url: `${origin}/#token=${token}`, origin, port, token }
  })

const listen = (server: Server, port: number): Effect.Effect<number, PortUnavailable> =>
  Effect.async((resume) => {
    server.once("error", (cause) => resume(new PortUnavailable({ port, reason: cause.message })))
    server.listen({ host: "127.0.0.1", port }, () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })

const close = (server: Server): Effect.Effect<void> =>
  Effect.async((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

interface Incoming {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly heartbeatMs: number
}

interface Guard {
  readonly port: number
  readonly token: string
  readonly files: string | undefined
}

const answer = (
  incoming: Incoming,
  { port, token, files }: Guard,
): Effect.Effect<void, Problems.Failure, Routes.Needs> =>
  Effect.suspend((): Effect.Effect<void, Problems.Failure, Routes.Needs> => {
    const { request, response } = incoming
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
      return Routes.handle({ ...incoming, path: pathname, parameters: searchParams })
    }
    return request.method === "GET"
      ? PageFiles.serve(response, pathname, files)
      : refuse(405, "MethodNotAllowed", "the method GET", String(request.method))
  })

const ORIGIN = "http://127.0.0.1"

const MAX_SHOWN = 200
