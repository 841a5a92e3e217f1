import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import * as Listener from "../../src/listeners/index.ts"
import { connect, frame } from "../cli/openenv/webSocket.ts"
import { echo, eventsOf, lasting, until } from "./given.ts"

const TEXT = 1
const CLOSE = 8

const serving = (options: Omit<Listener.WebSocketOptions, "name"> = {}) =>
  Effect.gen(function* () {
    const { run } = yield* lasting()
    const listeners = [Listener.webSocket({ name: "events", ...options })]
    const { urls } = yield* run(Listener.serve({ listeners, rules: [{ agent: echo }] }))
    return { run, port: Number(new URL(urls.events ?? "").port) }
  })

const asking = (port: number, headers: ReadonlyArray<string> = []) =>
  Effect.promise(async () => {
    const socket = await connect(port, "/events", headers)
    const ask = async (message: unknown) => {
      socket.write(frame(TEXT, typeof message === "string" ? message : JSON.stringify(message)))
      return JSON.parse((await socket.next()).body.toString("utf8"))
    }
    return { ...socket, ask }
  })

describe("a WebSocket", () => {
  it.scopedLive("takes a message as a signal, answers once it is on the disk, and says what is wrong with others", () =>
    Effect.gen(function* () {
      const { run, port } = yield* serving()
      const { ask } = yield* asking(port)
      const answers = yield* Effect.promise(async () => [
        await ask({ id: "1", content: { n: 1 } }),
        await ask({ id: "1", content: { n: 1 } }),
        await ask({ content: "no id" }),
        await ask("{"),
        await ask({ n: 1 }),
        await ask({ id: "", content: 1 }),
      ])
      expect(answers).toMatchObject([
        { id: "1", duplicate: false },
        { id: "1", duplicate: true },
        { duplicate: false },
        { error: "InvalidMessage" },
        { error: "InvalidOptions" },
        { error: "InvalidOptions" },
      ])
      yield* run(until("TaskClosed", 2))
      const received = yield* run(eventsOf("SignalReceived"))
      expect(received.map(({ payload }) => [payload.source, payload.content])).toEqual([
        ["websocket:events", { n: 1 }],
        ["websocket:events", "no id"],
      ])
    }),
  )

  it.scopedLive("ends with the code 1009 for a message that is too long", () =>
    Effect.gen(function* () {
      const { run, port } = yield* serving({ maxBytes: 100 })
      const socket = yield* asking(port)
      const { opcode, body } = yield* Effect.promise(() => {
        socket.write(frame(TEXT, JSON.stringify({ content: "x".repeat(200) })))
        return socket.next()
      })
      expect([opcode, body.readUInt16BE(0)]).toEqual([CLOSE, 1009])
      expect(yield* run(eventsOf("SignalReceived"))).toEqual([])
    }),
  )

  it.scopedLive("asks for its token, and takes no handshake of a page of another site", () =>
    Effect.gen(function* () {
      const token = "the-token-of-the-sender"
      const { port } = yield* serving({ token })
      const heads = yield* Effect.promise(async () => [
        (await connect(port, "/events")).head,
        (await connect(port, "/other")).head,
        (await connect(port, "/events", [`Authorization: Bearer ${token}`])).head,
      ])
      expect(heads.map((head) => head.split(" ")[1])).toEqual(["401", "404", "101"])
      const open = yield* serving()
      const refused = yield* Effect.promise(() => connect(open.port, "/events", ["Origin: https://elsewhere.example"]))
      expect(refused.head).toContain("403")
    }),
  )
})
