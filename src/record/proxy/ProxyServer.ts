/** The HTTP server of a proxy: checks who may use it, and reads each request for its handler. */

import * as http from "node:http"
import type { Duplex } from "node:stream"
import { siteRefusalOf } from "../../platform/loopback/Access.ts"
import { PortUnavailable } from "../../platform/loopback/PortUnavailable.ts"
import { refusal, shown } from "../../platform/loopback/Refusal.ts"
import type { Interception } from "./Interception.ts"

export interface Incoming {
  readonly method: string
  /** Path and query as sent, without the prefix that names a run. */
  readonly path: string
  /** The run named by the path prefix `/run/NAME` or the header `x-hindcast-run`. */
  readonly run: string | undefined
  /** The server that it is meant for, if not the proxy: `https://api.mistral.ai`. */
  readonly origin: string | undefined
  /** Alternating names and values. */
  readonly rawHeaders: ReadonlyArray<string>
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
  readonly response: http.ServerResponse
  /** Aborts if the client disconnects before its answer ends. */
  readonly gone: AbortSignal
}

export interface Serving {
  /** 0 for a free port. */
  readonly port: number
  /** Default: 127.0.0.1. */
  readonly host?: string
  readonly answer: (incoming: Incoming) => Promise<void>
  /** Handles a request for another protocol, such as a WebSocket, and owns its socket. */
  readonly upgrade: (request: http.IncomingMessage, socket: Duplex, head: Buffer, origin: string | undefined) => void
  /** Handles connections to other servers. Default: none. */
  readonly interception?: Interception
}

export interface ProxyServer {
  readonly url: string
  /** Ends all connections. Resolves once every handler is done. */
  readonly close: () => Promise<void>
}

/** Milliseconds before an idle client connection is closed: longer than clients keep theirs. */
const KEPT_MS = 600_000

/** Listens until closed. Rejects with `PortUnavailable`. */
export const listen = ({ port, host = "127.0.0.1", answer, upgrade, interception }: Serving): Promise<ProxyServer> =>
  new Promise((resolve, reject) => {
    const isLocal = host === "127.0.0.1"
    const underWay = new Set<Promise<void>>()
    let own = port
    const server = http.createServer({ keepAliveTimeout: KEPT_MS, requestTimeout: 0 })
    const refusalOf = (headers: http.IncomingHttpHeaders) => {
      if (isLocal) return siteRefusalOf(headers, own)
      // The proxy's own host name is unknown here, but a web page shows itself by its `Origin`.
      const { origin } = headers
      return origin === undefined ? undefined : refusal(403, "ForbiddenOrigin", "no origin", shown(origin))
    }
    const sockets = new Set<Duplex>()
    const originOf = ({ url = "", socket }: http.IncomingMessage) => {
      const origin = interception?.originOf(socket)
      if (interception === undefined || origin !== undefined) return origin
      const [named] = /^http:\/\/[^/?]+/i.exec(url) ?? []
      return named === undefined || new URL(named).port === String(own) ? undefined : named
    }
    server.on("connection", (socket: Duplex) => {
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
    })
    if (interception !== undefined) {
      server.on("connect", (request, socket, head) => {
        socket.on("error", () => socket.destroy())
        interception.connect(request, socket, head, (read) => server.emit("connection", read))
      })
    }
    server.on("request", (request, response) => {
      response.sendDate = false
      response.on("error", () => response.destroy())
      const origin = originOf(request)
      const refused = origin === undefined ? refusalOf(request.headers) : undefined
      if (refused === undefined) {
        const work = received(request, response, origin)
          .then((incoming) => (incoming === undefined ? undefined : answer(incoming)))
          .catch((error) => refuse(response, 500, "fault", `expected an answer, found ${error}`))
          .finally(() => underWay.delete(work))
        underWay.add(work)
      } else {
        refuse(response, refused.status, refused.error, `expected ${refused.expected}, found ${refused.found}`)
      }
    })
    server.on("upgrade", (request, socket, head) => {
      socket.on("error", () => socket.destroy())
      const origin = originOf(request)
      if (origin !== undefined || refusalOf(request.headers) === undefined) upgrade(request, socket, head, origin)
      else socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")
    })
    server.on("error", (cause) => reject(new PortUnavailable({ port, reason: cause.message })))
    server.listen({ host, port }, () => {
      const address = server.address()
      own = typeof address === "object" && address !== null ? address.port : port
      resolve({
        url: `http://${host.includes(":") ? `[${host}]` : host}:${own}`,
        close: () => closed(server, sockets).then(() => settled(underWay)),
      })
    })
  })

/** Also ends connections that are no longer HTTP: WebSockets and tunnels. */
const closed = (server: http.Server, sockets: ReadonlySet<Duplex>): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
    for (const socket of sockets) socket.destroy()
  })

const settled = async (underWay: ReadonlySet<Promise<void>>): Promise<void> => {
  while (underWay.size > 0) await Promise.all(underWay)
}

/** Reads a whole request; undefined if the client disconnected. */
const received = async (
  request: http.IncomingMessage,
  response: http.ServerResponse,
  origin: string | undefined,
): Promise<Incoming | undefined> => {
  const gone = new AbortController()
  response.once("close", () => {
    if (!response.writableFinished) gone.abort()
  })
  const body = await bodyOf(request)
  if (body === undefined) return undefined
  const { method = "GET", url = "/", rawHeaders, headers } = request
  const place = origin === undefined ? placeOf(pathOf(url)) : { path: pathOf(url) }
  const { path, run = headers[RUN_HEADER]?.toString() } = place
  return { method, path, run, origin, rawHeaders, headers, body, response, gone: gone.signal }
}

/** A whole body; undefined if the client disconnected. An iterator takes 40 µs more for each request. */
const bodyOf = (request: http.IncomingMessage): Promise<Buffer | undefined> =>
  new Promise((resolve) => {
    const pieces: Array<Buffer> = []
    request.on("data", (piece: Buffer) => pieces.push(piece))
    request.on("end", () => {
      const [only] = pieces
      resolve(pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces))
    })
    for (const event of ["error", "close"]) request.on(event, () => resolve(undefined))
  })

/** The path of a request. Clients that use this as a general HTTP proxy send the whole URL. */
const pathOf = (url: string): string => url.replace(/^https?:\/\/[^/?]*/i, "") || "/"

const RUN_HEADER = "x-hindcast-run"

export const placeOf = (path: string): { readonly path: string; readonly run?: string } => {
  const [, run, rest = ""] = /^\/run\/([^/?]+)(.*)$/s.exec(path) ?? []
  return run === undefined ? { path } : { path: rest, run }
}

/** Breaks a connection off in mid-answer: sent data arrives, but no end. */
export const cut = (response: http.ServerResponse): void => {
  const { socket } = response
  if (socket !== null && response.headersSent) socket.end()
  else response.destroy()
}

/** Sends an error of the proxy itself, in a shape that clients do not retry. */
export const refuse = (response: http.ServerResponse, status: number, type: string, message: string): void => {
  if (response.headersSent || response.destroyed) {
    cut(response)
    return
  }
  response.writeHead(status, { "content-type": "application/json", "x-should-retry": "false" })
  response.end(JSON.stringify({ error: { type: `hindcast_${type}`, message: `hindcast: ${message}` } }))
}
