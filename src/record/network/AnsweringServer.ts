/**
 * Answers HTTP clients by a `fetch`, over connections that never leave this machine: each is led to a socket in the file system, at
 * whose other end is a server of this process. So every client reads its answer by its own means, streams included.
 */

import { once } from "node:events"
import http from "node:http"
import net from "node:net"
import type { Duplex } from "node:stream"
import { threadId } from "node:worker_threads"
import type { Fetch } from "../../agents/models/Fetch.ts"
import * as CutEncoding from "../http/CutEncoding.ts"
import { type Target, written } from "./AllowedHosts.ts"

/** Where a client believes that it is connected to. */
export interface Place extends Target {
  /** Whether it speaks over TLS, which is left out. */
  readonly isSecure: boolean
}

/** A server that answers. */
export interface Answering {
  /** Connects a client's socket to the server. */
  readonly connect: (socket: net.Socket, place: Place) => void
  /** Whether a socket was connected so. */
  readonly has: (socket: unknown) => boolean
}

/**
 * @param path where the socket is
 * @param onForeign notes what is no request, and returns the error that the program gets of it
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
      // A client of this process gets the error itself; to another one it can only be said.
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
    // A client that goes away is no other protocol.
    if (link !== undefined && link.client?.destroyed !== true && !socket.destroyed) foreign(link)
  })
  // A tunnel through a proxy: what comes after it is for another place.
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
 * Leads clients to a server that is in another process, or in another thread.
 *
 * @param onConnect called with each client, and how it introduces itself
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

/** A client, and the end of its connection here. */
interface Link {
  readonly socket: Duplex
  readonly place: Place
  /** Undefined in another process. */
  readonly client: net.Socket | undefined
}

/** The first line of a connection: who connected, and where to. Written by `connect` above. */
interface Introduction extends Place {
  readonly id: string
}

/** Longest head of a request, in bytes: providers take longer ones than Node's server does. */
const MOST_HEADERS = 1024 * 1024

/** Reads the first line, and leaves the rest. */
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
  // What a `fetch` gives is decoded.
  const headers = [...answered.headers].filter(([name]) => !OF_CONNECTION.test(name) && name !== "content-encoding")
  response.writeHead(answered.status, answered.statusText, Object.fromEntries([...headers, ...sent.headers]))
  response.flushHeaders()
  try {
    for await (const piece of sent.body) if (!response.write(piece)) await once(response, "drain")
    response.end()
  } catch (error) {
    // Where the program had ended it, it does so again.
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

/** The headers that are not of the connection (RFC 9110, section 7.6.1). */
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
