/**
 * Listens until the scope closes: on the loopback, on a socket in the file system, or on an address that the user names.
 */

import * as fs from "node:fs"
import type { IncomingMessage, RequestListener, Server } from "node:http"
import type { Server as TlsServer } from "node:https"
import type { Duplex } from "node:stream"
import { Effect, Option, type Scope } from "effect"
import * as OwnerOnly from "../OwnerOnly.ts"
import { PortUnavailable, SocketUnavailable } from "./PortUnavailable.ts"

/** Slower clients are cut off. */
const HEADERS_MS = 10_000
const REQUEST_MS = 60_000

/** Time limits of a client's request. */
export interface RequestTimeouts {
  /** For the headers. Default: 10 s. */
  readonly headersMs?: number
  /** For the whole request. Default: 60 s. */
  readonly requestMs?: number
}

/** A certificate and its key, as PEM. */
export interface Tls {
  readonly cert: string
  readonly key: string
}

/** Settings of a server on an address that others reach. */
export interface Exposure {
  /** HTTPS instead of HTTP. Default: none. */
  readonly tls?: Tls | undefined
  /** Maximum number of open connections. Further ones are closed. Default: no limit. */
  readonly maxConnections?: number | undefined
  /**
   * Takes the handshakes of WebSockets, and ends the connections itself; those that are open when the server closes have a
   * moment for it. Default: they are requests. Requests that name another protocol, as `curl --http2` does, always are.
   */
  readonly onUpgrade?: ((request: IncomingMessage, socket: Duplex, head: Buffer) => void) | undefined
}

/** Time that a closing server leaves to connections of `onUpgrade`, in milliseconds. */
const UPGRADED_MS = 2_000

/** Time for the handshake of TLS, in milliseconds. */
const HANDSHAKE_MS = 10_000

export const LOOPBACK = "127.0.0.1"

/**
 * Listens on one address.
 *
 * @param wanted the port; 0 for a free one
 * @param host default: 127.0.0.1
 * @returns the port
 */
export const onAddress = (
  listener: RequestListener,
  wanted: number,
  timeouts: RequestTimeouts = {},
  host: string = LOOPBACK,
  exposure: Exposure = {},
): Effect.Effect<number, PortUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const server = yield* make(listener, timeouts, exposure)
    return yield* Effect.acquireRelease(listening(server, host, wanted), () => closed(server))
  })

/**
 * Listens on a Unix socket, which only its owner can open; on Windows, on a named pipe. Unlike a port, nobody else can
 * take the name of a dead server's socket in a directory that only its owner can write to.
 */
export const onSocket = (
  listener: RequestListener,
  file: string,
  timeouts: RequestTimeouts = {},
): Effect.Effect<void, SocketUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const server = yield* make(listener, timeouts)
    const bound = Effect.async<void, SocketUnavailable>((resume) => {
      server.on("error", (cause) => resume(new SocketUnavailable({ file, reason: cause.message })))
      server.listen(file, () => {
        if (process.platform !== "win32") fs.chmodSync(file, OwnerOnly.FILE_MODE)
        resume(Effect.void)
      })
    })
    yield* Effect.acquireRelease(bound, () => closed(server))
  })

/**
 * Listens on one free port of both loopback addresses: names below `localhost` resolve to either, and nobody else may
 * answer there. A machine without IPv6 has one.
 */
export const onBoth = (listener: RequestListener): Effect.Effect<number, PortUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const four = yield* make(listener)
      const port = yield* listening(four, LOOPBACK, 0)
      const six = yield* make(listener)
      const problem = yield* Effect.option(Effect.flip(listening(six, "::1", port)))
      const isTaken = Option.isSome(problem) && problem.value.reason.includes("EADDRINUSE")
      yield* Effect.addFinalizer(() => Effect.zipRight(closed(four), closed(six)))
      if (!isTaken) return port
    }
    return yield* new PortUnavailable({ port: 0, reason: "no port was free on 127.0.0.1 and ::1 at once" })
  })

const MAX_ATTEMPTS = 8

const make = (
  listener: RequestListener,
  { headersMs = HEADERS_MS, requestMs = REQUEST_MS }: RequestTimeouts = {},
  { tls, maxConnections, onUpgrade }: Exposure = {},
) =>
  Effect.promise(async (): Promise<Server | TlsServer> => {
    const connectionsCheckingInterval = Math.min(headersMs, requestMs)
    const limits = { headersTimeout: headersMs, requestTimeout: requestMs, connectionsCheckingInterval }
    const server =
      tls === undefined
        ? (await import("node:http")).createServer(limits, listener)
        : (await import("node:https")).createServer(
            { ...limits, ...tls, minVersion: "TLSv1.2", handshakeTimeout: Math.min(headersMs, HANDSHAKE_MS) },
            listener,
          )
    if (maxConnections !== undefined) server.maxConnections = maxConnections
    if (onUpgrade !== undefined) {
      const sockets = new Set<Duplex>()
      upgraded.set(server, sockets)
      server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        if (request.headers.upgrade?.toLowerCase() !== "websocket") {
          return again(server, tls === undefined ? "connection" : "secureConnection", request, socket, head)
        }
        sockets.add(socket)
        socket.once("close", () => sockets.delete(socket))
        onUpgrade(request, socket, head)
      })
    }
    return server
  })

/** The open connections of `onUpgrade`, which a server no longer counts among its own. */
const upgraded = new WeakMap<Server | TlsServer, Set<Duplex>>()

/** Reads a request again without its wish for another protocol: only so does Node read its body, too. */
const again = (
  server: Server | TlsServer,
  event: "connection" | "secureConnection",
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void => {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2)
    const options = value.split(",").map((option) => option.trim())
    const kept = options.filter((option) => !/^(?:upgrade|http2-settings)$/i.test(option)).join(", ")
    if (/^connection$/i.test(name)) {
      if (kept !== "") lines.push(`${name}: ${kept}`)
    } else if (!/^(?:upgrade|http2-settings)$/i.test(name)) lines.push(`${name}: ${value}`)
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]))
  server.emit(event, socket)
}

const listening = (server: Server | TlsServer, host: string, port: number): Effect.Effect<number, PortUnavailable> =>
  Effect.async((resume) => {
    server.on("error", (cause) => resume(new PortUnavailable({ port, host, reason: cause.message })))
    server.listen({ host, port }, () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })

const closed = (server: Server | TlsServer): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (!server.listening) return resume(Effect.void)
    const left = upgraded.get(server) ?? []
    const timer = setTimeout(() => {
      for (const socket of left) socket.destroy()
    }, UPGRADED_MS)
    server.close(() => {
      clearTimeout(timer)
      resume(Effect.void)
    })
    server.closeAllConnections()
  })
