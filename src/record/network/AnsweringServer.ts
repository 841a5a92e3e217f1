/**
 * Answers HTTP clients with a `fetch`, over connections that never leave this machine. Connects each client's socket to
 * a Unix socket with an HTTP server of this process behind it, so that every client parses its answer itself, streams
 * included.
 */

import { once } from "node:events"
import http from "node:http"
import net from "node:net"
import type { Duplex } from "node:stream"
import { threadId } from "node:worker_threads"
import type { Fetch } from "../../agents/models/Fetch.ts"
import * as CutEncoding from "../http/CutEncoding.ts"
import { type Target, written } from "./AllowedHosts.ts"

/** The server that a client believes it is connected to. */
export interface Place extends Target {
  /** Whether the client expects TLS; the connection is plain anyway. */
  readonly isSecure: boolean
}

export interface Answering {
  readonly connect: (socket: net.Socket, place: Place) => void
  readonly has: (socket: unknown) => boolean
}

/**
 * @param path path of the Unix socket
 * @param onForeign called for a protocol other than HTTP; returns the error for the program
 */
export const start = async (path: string, fetch: Fetch, onForeign: (place: Place) => Error): Promise<Answering> => {
  const clients = new Map<string, net.Socket>()
  const links = new WeakMap<Duplex, Link>()
  const server = http.createServer({
    requestTimeout: 0,
    headersTimeout: 0,
    keepAliveTimeout: 0,
    connectionsCheckingInterval: 2 ** 30,
    maxHeaderSize: MOST_HEADERS,
    insecureHTTPParser: true,
  })
  const end = (link: Link | undefined, error: Error) => {
    link?.client?.destroy(error)
    link?.socket.destroy()
  }
  const foreign = (link: Link) => end(link, onForeign(link.place))

  server.on("request", (request, response) => {
    const link = links.get(request.socket)
    if (link === undefined) return void request.socket.destroy()
    answer(request, response, link.place, fetch).catch((thrown: unknown) => {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      // A client of this process gets the error object; one of another process gets its message as a response.
      if (link.client !== undefined || response.headersSent) end(link, error)
      else response.writeHead(502, { "content-type": "text/plain" }).end(`${error.message}\n`)
    })
  })
  server.on("upgrade", (_, socket) => {
    const link = links.get(socket)
    if (link !== undefined) foreign(link)
  })
  server.on("clientError", (_, socket) => {
    const link = links.get(socket)
    // A client that disconnects is not a foreign protocol.
    if (link !== undefined && link.client?.destroyed !== true && !socket.destroyed) foreign(link)
  })
  // A proxy tunnel: later requests on the socket are for another place.
  server.on("connect", (request, socket, head) => {
    const link = links.get(socket)
    const { hostname, port } = new URL(`http://${request.url}`)
    if (link === undefined) return
    const place = { host: hostname, port: Number(port || 443), isSecure: port !== "80" }
    links.set(socket, { ...link, place })
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n")
    socket.unshift(head)
    server.emit("connection", socket)
    socket.resume()
  })

  const listener = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.unref()
    socket.on("error", () => {})
    introduced(socket, (line) => {
      const { id, ...place }: Introduction = JSON.parse(line)
      const client = clients.get(id)
      clients.delete(id)
      links.set(socket, { socket, place, client })
      server.emit("connection", socket)
      socket.resume()
    })
  })
  listener.unref().listen(path)
  await once(listener, "listening")

  return leadingTo(path, (id, socket) => clients.set(id, socket))
}

/**
 * Connects clients to a server in another process or thread.
 *
 * @param onConnect called with each client and its introduction id
 */
export const leadingTo = (path: string, onConnect: (id: string, socket: net.Socket) => void = () => {}): Answering => {
  const connected = new WeakSet<object>()
  let last = 0
  return {
    has: (socket) => typeof socket === "object" && socket !== null && connected.has(socket),
    connect: (socket, place) => {
      last += 1
      const introduction: Introduction = { id: `${process.pid}-${threadId}-${last}`, ...place }
      onConnect(introduction.id, socket)
      connected.add(socket)
      socket.connect({ path })
      socket.write(`${JSON.stringify(introduction)}\n`)
    },
  }
}

interface Link {
  readonly socket: Duplex
  readonly place: Place
  /** Undefined for a client of another process. */
  readonly client: net.Socket | undefined
}

/** The first line of a connection, written by `connect`: who connects, and where to. */
interface Introduction extends Place {
  readonly id: string
}

/** Maximum size of a request's headers, in bytes. Providers accept more than Node's default. */
const MOST_HEADERS = 1024 * 1024

/** Reads the first line and puts the rest back. */
const introduced = (socket: net.Socket, then: (line: string) => void) => {
  const pieces: Array<Buffer> = []
  const heard = (piece: Buffer) => {
    pieces.push(piece)
    const at = piece.indexOf("\n")
    if (at < 0) return
    socket.off("data", heard).pause()
    const all = Buffer.concat(pieces)
    const end = all.indexOf("\n")
    socket.unshift(all.subarray(end + 1))
    then(all.subarray(0, end).toString())
  }
  socket.on("data", heard)
}

const answer = async (request: http.IncomingMessage, response: http.ServerResponse, place: Place, fetch: Fetch) => {
  const gone = new AbortController()
  response.once("close", () => gone.abort())
  const pieces: Array<Buffer> = []
  for await (const piece of request) pieces.push(piece)
  const body = pieces.length === 0 ? null : new Uint8Array(Buffer.concat(pieces))
  const { method = "GET" } = request
  const answered = await fetch(urlOf(request, place), {
    method,
    headers: headersOf(request),
    body,
    signal: gone.signal,
  })
  response.sendDate = false
  const sent = await CutEncoding.sent(answered)
  // `fetch` has decoded the body.
  const headers = [...answered.headers].filter(([name]) => !OF_CONNECTION.test(name) && name !== "content-encoding")
  response.writeHead(answered.status, answered.statusText, Object.fromEntries([...headers, ...sent.headers]))
  response.flushHeaders()
  try {
    for await (const piece of sent.body) if (!response.write(piece)) await once(response, "drain")
    response.end()
  } catch (error) {
    // After the program's own abort, the program ends the connection itself.
    if (!isAbort(error)) response.destroy()
  }
}

const isAbort = (error: unknown) => error instanceof Error && /^(Abort|Timeout)Error$/.test(error.name)

const urlOf = (request: http.IncomingMessage, place: Place): string => {
  const { url = "/", headers } = request
  if (/^https?:/i.test(url)) return url
  const host = headers.host ?? written(place)
  return `${place.isSecure ? "https" : "http"}://${host}${url}`
}

/** Drops connection headers (RFC 9110, section 7.6.1). */
const headersOf = ({ rawHeaders }: http.IncomingMessage): Headers => {
  const headers = new Headers()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2)
    if (!OF_CONNECTION.test(name)) headers.append(name, value)
  }
  return headers
}

const OF_CONNECTION =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|content-length|upgrade|expect)$/i
