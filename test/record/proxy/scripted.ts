/** A provider on the loopback that answers what it is told, byte by byte, and keeps what it was sent. */

import * as http from "node:http"
import type * as net from "node:net"
import type { AddressInfo } from "node:net"
import { afterAll } from "vitest"

/** An answer: its head as it is on the wire, and its body in pieces. */
export interface Scripted {
  readonly head: string
  readonly pieces: ReadonlyArray<Uint8Array>
  /** How it ends: `cut` breaks the connection off. Default: clean. */
  readonly end?: "clean" | "cut"
}

/** A request as it came. */
export interface Asked {
  readonly line: string
  readonly rawHeaders: ReadonlyArray<string>
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

export interface Provider {
  readonly url: string
  readonly asked: Array<Asked>
}

const servers: Array<http.Server> = []
afterAll(() => {
  for (const server of servers) {
    server.close()
    server.closeAllConnections()
  }
})

/** A provider that answers each request by what `answer` says to it. */
export const provider = async (answer: (asked: Asked, index: number) => Scripted): Promise<Provider> => {
  const asked: Array<Asked> = []
  const server = http.createServer(async (request, response) => {
    const body: Array<Buffer> = []
    for await (const piece of request) body.push(piece)
    const one = {
      line: `${request.method} ${request.url}`,
      rawHeaders: request.rawHeaders,
      headers: request.headers,
      body: Buffer.concat(body),
    }
    asked.push(one)
    write(response.socket as net.Socket, answer(one, asked.length - 1))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

/** Written by hand, so that nothing is added; each answer ends its connection. */
const write = (socket: net.Socket, { head, pieces, end = "clean" }: Scripted) => {
  const isChunked = /transfer-encoding: chunked/i.test(head)
  socket.write(`${head}\r\nconnection: close\r\n\r\n`)
  for (const piece of pieces) {
    if (isChunked) socket.write(`${piece.byteLength.toString(16)}\r\n`)
    socket.write(piece)
    if (isChunked) socket.write("\r\n")
  }
  if (isChunked && end === "clean") socket.write("0\r\n\r\n")
  socket.end()
}

/** The bytes in pieces of this size. */
export const pieces = (bytes: Uint8Array, size = 40): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(bytes.byteLength / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )

/** What a client got. */
export interface Got {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
  /** `cut`: the connection broke off before the end. */
  readonly end: "clean" | "cut"
}

/** Asks as a client of another language does: with raw headers, and without decoding the answer. Rejects where no answer begins. */
export const ask = (
  url: string,
  {
    method = "POST",
    headers = [],
    body = "",
  }: { readonly method?: string; readonly headers?: ReadonlyArray<string>; readonly body?: string | Uint8Array } = {},
): Promise<Got> =>
  new Promise((resolve, reject) => {
    const sent = http.request(url, { method, agent: false })
    for (let index = 0; index < headers.length; index += 2) {
      if (!/^(host|connection|content-length)$/i.test(headers[index] ?? ""))
        sent.setHeader(headers[index] ?? "", headers[index + 1] ?? "")
    }
    sent.on("error", reject)
    sent.on("response", (response) => {
      const got: Array<Buffer> = []
      const { statusCode = 0, headers } = response
      const done = (end: Got["end"]) => resolve({ status: statusCode, headers, body: Buffer.concat(got), end })
      response.on("data", (piece: Buffer) => got.push(piece))
      response.on("end", () => done(response.complete ? "clean" : "cut"))
      response.on("error", () => done("cut"))
    })
    sent.end(body)
  })
