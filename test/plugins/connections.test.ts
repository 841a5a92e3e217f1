/** WebSockets that a plugin asks the host for. */

import { createHash } from "node:crypto"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { MAX_CONNECTIONS, make } from "../../src/plugins/hostapi/connections.ts"
import * as HostApi from "../../src/plugins/hostapi/HostApi.ts"
import { sha256 } from "../../src/values/Digest.ts"
import type { JsonObject } from "../../src/values/Json.ts"

/** A frame of a server, without a mask. */
const frame = (first: number, body: Buffer | string): Buffer => {
  const bytes = Buffer.from(body)
  const length = bytes.length < 126 ? [bytes.length] : [126, bytes.length >> 8, bytes.length & 255]
  return Buffer.concat([Buffer.from([first, ...length]), bytes])
}

const text = (body: Buffer | string) => frame(0x81, body)

/** A server that sends bytes for each frame that it gets, and keeps those frames. */
const serving = (
  answer: (message: string, socket: Duplex) => void,
  {
    accept = (key: string) => key,
    status,
  }: { readonly accept?: (key: string) => string; readonly status?: string } = {},
) =>
  Effect.acquireRelease(
    Effect.async<{
      readonly port: number
      readonly sockets: Array<Duplex>
      readonly heads: Array<http.IncomingMessage>
      readonly server: http.Server
    }>((resume) => {
      const sockets: Array<Duplex> = []
      const heads: Array<http.IncomingMessage> = []
      const server = http.createServer((_, response) => response.end())
      server.on("upgrade", (request, socket) => {
        sockets.push(socket)
        heads.push(request)
        socket.on("error", () => {})
        if (status !== undefined) return void socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`)
        const key = createHash("sha1")
          .update(`${accept(request.headers["sec-websocket-key"] ?? "")}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
          .digest("base64")
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${key}\r\n\r\n`,
        )
        socket.on("data", (bytes: Buffer) => {
          const long = (bytes[1] ?? 0) === 0xfe ? 2 : 0
          const key = bytes.subarray(2 + long, 6 + long)
          const body = bytes.subarray(6 + long).map((byte, index) => byte ^ (key[index % 4] ?? 0))
          if (((bytes[0] ?? 0) & 15) === 1) answer(Buffer.from(body).toString("utf8"), socket)
        })
      })
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({ port: (server.address() as AddressInfo).port, sockets, heads, server })),
      )
    }),
    ({ server, sockets }) =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      }),
  )

const clientOf = (port: number, limits: HostApi.HostApiLimits = {}) =>
  Effect.map(
    make,
    (connections): HostApi.Client => ({
      grants: { read: [], write: [], net: [`127.0.0.1:${port}`], env: [], run: [], runAny: false },
      workspace: "/",
      limits,
      connections,
    }),
  )

const ask = (client: HostApi.Client, params: JsonObject) =>
  Effect.flatMap(HostApi.request("fetch", params), ({ execute }) => execute(client))

const failure = (client: HostApi.Client, params: JsonObject) => Effect.flip(ask(client, params))

const echo = (message: string, socket: Duplex) => void socket.write(text(message))

const opened = (answer: (message: string, socket: Duplex) => void, limits?: HostApi.HostApiLimits) =>
  Effect.gen(function* () {
    const server = yield* serving(answer)
    const client = yield* clientOf(server.port, limits)
    const url = `ws://127.0.0.1:${server.port}/ws`
    yield* ask(client, { url })
    const send = (body: string) => ({ url, method: "POST", body })
    return { ...server, client, url, send }
  })

/** What a server does instead of an answer, and the code of the failure. */
const BREAKING: ReadonlyArray<readonly [string, (message: string, socket: Duplex) => void, string]> = [
  ["its end", (_, socket) => void socket.destroy(), "ConnectionLost"],
  ["a close", (_, socket) => void socket.write(frame(0x88, Buffer.from([3, 233, 98, 121, 101]))), "ConnectionLost"],
  [
    "a length of 100 MB",
    (_, socket) => void socket.write(Buffer.from([0x81, 127, 0, 0, 0, 0, 5, 245, 225, 0])),
    "AnswerTooLarge",
  ],
  ["bytes", (_, socket) => void socket.write(frame(0x82, "x")), "AnswerInvalid"],
  ["text that is no UTF-8", (_, socket) => void socket.write(text(Buffer.from([0xff]))), "AnswerInvalid"],
  ["a masked frame", (_, socket) => void socket.write(Buffer.from([0x81, 0x81, 1, 2, 3, 4, 5])), "AnswerInvalid"],
  ["two answers", (m, socket) => void socket.write(Buffer.concat([text(m), text("second")])), "UnaskedMessage"],
]

describe("a WebSocket of a plugin", () => {
  it.scopedLive("carries messages in order, and the log has sizes and digests alone", () =>
    Effect.gen(function* () {
      const { client, url, send, heads } = yield* opened(echo)
      const long = "grüezi".repeat(50)
      const request = yield* HostApi.request("fetch", send(long))
      const digest = { bytes: 350, sha256: sha256(long) }
      expect(request.logged).toEqual({ url, method: "POST", headers: [], body: digest })
      const { value, logged } = yield* request.execute(client)
      expect(value).toEqual({ status: 200, headers: {}, url, body: long, encoding: "utf8" })
      expect(logged).toEqual({ status: 200, via: [url], ...digest })
      expect((yield* ask(client, send("second"))).value).toMatchObject({ body: "second" })
      expect(heads).toHaveLength(1)
    }),
  )

  it.scopedLive("answers pings between the frames of an answer", () =>
    Effect.gen(function* () {
      const { client, send } = yield* opened((_, socket) => {
        socket.write(Buffer.concat([frame(0x01, "gr"), frame(0x89, "ping"), frame(0x80, "ü")]))
      })
      expect((yield* ask(client, send("x"))).value).toMatchObject({ body: "grü" })
    }),
  )

  it.scopedLive("is not opened by a message, and not to another host or by another method", () =>
    Effect.gen(function* () {
      const { port, heads } = yield* serving(echo)
      const client = yield* clientOf(port)
      const url = `ws://127.0.0.1:${port}/ws`
      expect(yield* failure(client, { url, method: "POST", body: "x" })).toMatchObject({ code: "NotConnected" })
      for (const other of [`ws://localhost:${port}/ws`, `ws://127.0.0.1:${port + 1}/`, `wss://127.0.0.1/`]) {
        expect(yield* failure(client, { url: other })).toMatchObject({ code: "NetNotGranted" })
      }
      for (const wrong of [
        { url, method: "PUT", body: "x" },
        { url, method: "POST" },
        { url: `ws://me:pw@127.0.0.1:${port}/` },
      ]) {
        expect(yield* failure(client, wrong)).toMatchObject({ code: "ParametersInvalid" })
      }
      expect(yield* failure(client, { url, headers: { Upgrade: "other" } })).toMatchObject({
        code: "ParametersInvalid",
      })
      expect(heads).toEqual([])
    }),
  )

  it.scopedLive.each([
    ["a status", { status: "503 Busy" }, /found the status 503 Busy/],
    ["the answer to another key", { accept: () => "other" }, /found an answer to another key/],
  ] as const)("is refused by a handshake with %s", ([_, given, said]) =>
    Effect.gen(function* () {
      const { port } = yield* serving(echo, given)
      const refused = yield* failure(yield* clientOf(port), { url: `ws://127.0.0.1:${port}/` })
      expect(refused.code).toBe("HandshakeRefused")
      expect(refused.message).toMatch(said)
    }),
  )

  it.scopedLive.each(BREAKING)("that gets %s is over, and says so until it is opened again", ([name, answer, code]) =>
    Effect.gen(function* () {
      let isBroken = true
      const { client, send, url } = yield* opened((message, socket) =>
        isBroken ? answer(message, socket) : echo(message, socket),
      )
      if (name === "two answers") expect((yield* ask(client, send("x"))).value).toMatchObject({ body: "x" })
      else expect(yield* failure(client, send("x"))).toMatchObject({ code })
      const after = yield* failure(client, send("y"))
      expect(after.code).toBe(code)
      if (name === "a close") expect(after.message).toContain("with the code 1001 (bye)")
      isBroken = false
      yield* ask(client, { url })
      expect((yield* ask(client, send("z"))).value).toMatchObject({ body: "z" })
    }),
  )

  it.scopedLive("takes one request at a time, and one without an answer in time ends it", () =>
    Effect.gen(function* () {
      const { client, send } = yield* opened(() => {}, { fetchMs: 300 })
      const first = yield* Effect.fork(failure(client, send("x")))
      yield* Effect.yieldNow()
      expect(yield* failure(client, send("y"))).toMatchObject({ code: "ConnectionBusy" })
      expect(yield* Fiber.join(first)).toMatchObject({ code: "FetchTimedOut" })
      expect(yield* failure(client, send("z"))).toMatchObject({
        code: "ConnectionLost",
        message: expect.stringContaining("not answered in time"),
      })
    }),
  )

  it.scopedLive("is one of a few, and all end with the process", () =>
    Effect.gen(function* () {
      const { port, sockets } = yield* serving(echo)
      const url = (index: number) => ({ url: `ws://127.0.0.1:${port}/${index}` })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const client = yield* clientOf(port)
          for (let index = 0; index < MAX_CONNECTIONS; index++) yield* ask(client, url(index))
          expect(yield* failure(client, url(99))).toMatchObject({ code: "TooManyConnections" })
          // The same URL has one connection.
          yield* ask(client, url(0))
        }),
      )
      yield* Effect.forEach(sockets, (socket) =>
        Effect.async<void>((resume) =>
          socket.destroyed || socket.readableEnded
            ? resume(Effect.void)
            : void socket.once("end", () => resume(Effect.void)),
        ),
      )
      expect(sockets).toHaveLength(MAX_CONNECTIONS + 1)
    }),
  )
})
