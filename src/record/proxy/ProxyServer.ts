/** The server of a proxy: who may use it, and what of a request its handler gets. */

import * as http from "node:http"
import type { Duplex } from "node:stream"
import { siteRefusalOf } from "../../platform/loopback/Access.ts"
import { PortUnavailable } from "../../platform/loopback/PortUnavailable.ts"
import { refusal, shown } from "../../platform/loopback/Refusal.ts"
import type { Interception } from "./Interception.ts"

/** A request as it came, whole. */
export interface Incoming {
  readonly method: string
  /** Of its address, with the query, encoded as it came, without the prefix that names a run. */
  readonly path: string
  /** The run that it names: by the prefix `/run/NAME` of its path, or the header `x-hindcast-run`. */
  readonly run: string | undefined
  /** The server that it is meant for, where it is not meant for the proxy: `https://api.mistral.ai`. */
  readonly origin: string | undefined
  /** Names and values in turn, as they came. */
  readonly rawHeaders: ReadonlyArray<string>
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
  readonly response: http.ServerResponse
  /** Aborts when the client goes away before its answer has ended. */
  readonly gone: AbortSignal
}

/** What is served. */
export interface Serving {
  /** 0: a port that is free. */
  readonly port: number
  /** Default: 127.0.0.1. */
  readonly host?: string
  /** Answers a request. If it rejects, the connection is cut. */
  readonly answer: (incoming: Incoming) => Promise<void>
  /** Answers a request for another protocol, such as a WebSocket. The socket is the handler's. */
  readonly upgrade: (request: http.IncomingMessage, socket: Duplex, head: Buffer, origin: string | undefined) => void
  /** Takes connections to other servers. Default: none. */
  readonly interception?: Interception
}

/** A proxy that listens. */
export interface ProxyServer {
  /** Its address, without a slash at its end. */
  readonly url: string
  /** Ends all connections. Resolves once every handler is done. */
  readonly close: () => Promise<void>
}

/** How long a client may keep a connection that it does not use, in milliseconds: longer than clients keep it themselves. */
const KEPT_MS = 600_000

/** Listens until it is closed. Rejects with `PortUnavailable`. */
export const listen = ({ port, host = "127.0.0.1", answer, upgrade, interception }: Serving): Promise<ProxyServer> =>
  new Promise((resolve, reject) => {
    const isLocal = host === "127.0.0.1"
    const underWay = new Set<Promise<void>>()
    let own = port
    const server = http.createServer({ keepAliveTimeout: KEPT_MS, requestTimeout: 0 })
    const refusalOf = (headers: http.IncomingHttpHeaders) => {
      if (isLocal) return siteRefusalOf(headers, own)
      // Its name is not known here: that a page asks is.
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

/** Also what is no longer HTTP is ended: a WebSocket, or a connection to another server. */
const closed = (server: http.Server, sockets: ReadonlySet<Duplex>): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
    for (const socket of sockets) socket.destroy()
  })

/** What was under way is recorded as far as it came. */
const settled = async (underWay: ReadonlySet<Promise<void>>): Promise<void> => {
  while (underWay.size > 0) await Promise.all(underWay)
}

/** The whole request; undefined if its client went away before its end. */
const received = async (
  request: http.IncomingMessage,
  response: http.ServerResponse,
  origin: string | undefined,
): Promise<Incoming | undefined> => {
  const gone = new AbortController()
  response.once("close", () => {
    if (!response.writableFinished) gone.abort()
  })
  const pieces: Array<Buffer> = []
  try {
    for await (const piece of request) pieces.push(piece)
  } catch {
    return undefined
  }
  const { method = "GET", url = "/", rawHeaders, headers } = request
  const [only] = pieces
  const body = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces)
  const place = origin === undefined ? placeOf(pathOf(url)) : { path: pathOf(url) }
  const { path, run = headers[RUN_HEADER]?.toString() } = place
  return { method, path, run, origin, rawHeaders, headers, body, response, gone: gone.signal }
}

/** The path of a request. A client that asks this proxy by another one of its variables sends the whole address. */
const pathOf = (url: string): string => url.replace(/^https?:\/\/[^/?]*/i, "") || "/"

const RUN_HEADER = "x-hindcast-run"

/** A path without the prefix that names a run, and the name. */
export const placeOf = (path: string): { readonly path: string; readonly run?: string } => {
  const [, run, rest = ""] = /^\/run\/([^/?]+)(.*)$/s.exec(path) ?? []
  return run === undefined ? { path } : { path: rest, run }
}

/** Ends a connection in mid-answer: what was written before arrives, and no end of the answer. */
export const cut = (response: http.ServerResponse): void => {
  const { socket } = response
  if (socket !== null && response.headersSent) socket.end()
  else response.destroy()
}

/** Answers for the proxy itself: no provider answers so, and no client tries again. */
export const refuse = (response: http.ServerResponse, status: number, type: string, message: string): void => {
  if (response.headersSent || response.destroyed) {
    cut(response)
    return
  }
  response.writeHead(status, { "content-type": "application/json", "x-should-retry": "false" })
  response.end(JSON.stringify({ error: { type: `hindcast_${type}`, message: `hindcast: ${message}` } }))
}
