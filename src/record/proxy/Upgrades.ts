/**
 * Requests for protocols other than HTTP, such as the WebSockets of OpenAI's Responses and Realtime: passed on
 * unrecorded.
 */

import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import type { OutgoingRequests } from "./OutgoingRequests.ts"
import type * as ProxyServer from "./ProxyServer.ts"
import { placeOf } from "./ProxyServer.ts"
import type { Routes } from "./Routes.ts"

export interface Unrecorded {
  /** Number of connections by host and path. */
  readonly counts: Map<string, number>
  /** Whether unrecorded connections reach their server. */
  readonly answers: boolean
  readonly pass: ProxyServer.Serving["upgrade"]
}

export const passing = (routes: Routes, { upgrade }: OutgoingRequests): Unrecorded => {
  const counts = new Map<string, number>()
  const pass = async (request: IncomingMessage, socket: Duplex, head: Buffer, origin: string | undefined) => {
    const target = targetOf(routes, request, origin)
    if (target === undefined) return void refuse(socket, 404, "Not Found")
    const { host, pathname } = target.url
    const name = `${host}${pathname}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
    const headers = [...request.rawHeaders]
    for (let index = 0; index < headers.length; index += 2) {
      if (/^host$/i.test(headers[index] ?? "")) headers[index + 1] = host
    }
    const signal = new AbortController()
    socket.once("close", () => signal.abort())
    const outgoing = {
      method: request.method ?? "GET",
      url: target.url,
      headers,
      body: new Uint8Array(),
      signal: signal.signal,
    }
    const upgraded = await upgrade(outgoing).catch((cause: unknown) => String(cause))
    if (typeof upgraded === "string") return refuse(socket, 502, "Bad Gateway", `${host}: ${upgraded}\n`)
    const { answer, socket: upstream, head: begun } = upgraded
    socket.write(headOf(answer))
    if (upstream === undefined) return void answer.pipe(socket)
    upstream.on("error", () => socket.destroy())
    upstream.once("close", () => socket.destroy())
    socket.once("close", () => upstream.destroy())
    upstream.write(head)
    socket.write(begun)
    upstream.pipe(socket)
    socket.pipe(upstream)
  }
  return { counts, answers: true, pass: (...given) => void pass(...given) }
}

/** Refuses connections and counts them, for a replay. */
export const refusing = (routes: Routes): Unrecorded => {
  const counts = new Map<string, number>()
  return {
    counts,
    answers: false,
    pass: (request, socket, _, origin) => {
      const { host = "", pathname = "" } = targetOf(routes, request, origin)?.url ?? {}
      counts.set(host + pathname, (counts.get(host + pathname) ?? 0) + 1)
      refuse(socket, 501, "Not Implemented")
    },
  }
}

const targetOf = (
  routes: Routes,
  { url = "/" }: IncomingMessage,
  origin: string | undefined,
): { readonly url: URL } | undefined =>
  origin === undefined ? routes.target(placeOf(url).path) : { url: new URL(url, origin) }

const refuse = (socket: Duplex, status: number, reason: string, text = ""): void => {
  const head = ["content-type: text/plain; charset=utf-8", `content-length: ${Buffer.byteLength(text)}`]
  socket.end([`HTTP/1.1 ${status} ${reason}`, "connection: close", ...head, "", text].join("\r\n"))
}

const headOf = ({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string => {
  const lines = Array.from(
    { length: rawHeaders.length >> 1 },
    (_, index) => `${rawHeaders[2 * index]}: ${rawHeaders[2 * index + 1]}`,
  )
  // Node has decoded the chunks of a refusal's body, which now ends with the connection.
  const kept = lines.filter((line) => !/^transfer-encoding:/i.test(line))
  return [`HTTP/1.1 ${statusCode} ${statusMessage}`, ...kept, "", ""].join("\r\n")
}
