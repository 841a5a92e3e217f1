/** The server's side of a WebSocket, on a stream whose other end reads and sends as the test says. */
import { IncomingMessage } from "node:http"
import { Socket } from "node:net"
import { Duplex } from "node:stream"
import { describe, expect, it } from "vitest"
import * as WebSockets from "../../src/platform/loopback/WebSockets.ts"
import { frame } from "../cli/openenv/webSocket.ts"

const turn = () => new Promise(setImmediate)

/** A connection: `sends` brings bytes of the client, `reads` lets it take everything that waits, now and later. */
const connected = (head: Buffer = Buffer.alloc(0)) => {
  let isReading = false
  let written = 0
  let release = () => {}
  const socket = new Duplex({
    read: () => {},
    write: (chunk: Buffer, _, done) => {
      written += chunk.length
      if (isReading) done()
      else release = done
    },
  })
  const request = new IncomingMessage(new Socket())
  request.method = "GET"
  request.headers = {
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  }
  const texts: Array<string> = []
  let onText: (text: string) => void = () => {}
  const handlers = {
    onText: (text: string) => {
      texts.push(text)
      onText(text)
    },
    onEnd: () => {},
  }
  const connection = WebSockets.accept(request, socket, head, handlers)
  if (connection === undefined) throw new Error("expected a handshake")
  return {
    connection,
    texts,
    written: () => written,
    waiting: () => socket.writableLength,
    on: (handler: (text: string) => void) => {
      onText = handler
    },
    sends: async (bytes: Buffer) => {
      socket.push(bytes)
      await turn()
    },
    reads: async () => {
      isReading = true
      release()
      await turn()
    },
  }
}

describe("a WebSocket", () => {
  it("takes nothing more while a message waits, and then everything in order", async () => {
    const { connection, texts, on, sends } = connected(frame(1, "first"))
    on(() => connection.pause())
    await sends(Buffer.concat([frame(1, "second"), frame(1, "third")]))
    expect(texts).toEqual(["first"])
    connection.resume()
    await turn()
    expect(texts).toEqual(["first", "second"])
    connection.resume()
    await turn()
    expect(texts).toEqual(["first", "second", "third"])
  })

  it("answers no more than a client reads: neither messages nor pings", async () => {
    const { connection, texts, on, sends, reads, waiting } = connected()
    on((text) => connection.send(text))
    const text = "x".repeat(1000)
    for (let count = 0; count < 100; count++) await sends(Buffer.concat([frame(1, text), frame(9, "y".repeat(100))]))
    expect(texts.length).toBeLessThan(100)
    expect(waiting()).toBeLessThan(100_000)
    await reads()
    while (texts.length < 100) await turn()
    expect(new Set(texts)).toEqual(new Set([text]))
  })

  it("puts a large message together from many small chunks and frames", async () => {
    const { texts, sends } = connected()
    const part = frame(0, "z".repeat(100), { isFinal: false })
    const bytes = Buffer.concat([
      frame(1, "", { isFinal: false }),
      ...Array.from({ length: 40_000 }, () => part),
      frame(0, ""),
      frame(1, "y".repeat(4_000_000)),
    ])
    for (let at = 0; at < bytes.length; at += 64_000) {
      const chunk = bytes.subarray(at, at + 64_000)
      for (let small = 0; small < chunk.length; small += 64) await sends(chunk.subarray(small, small + 64))
    }
    expect(texts.map((text) => text.length)).toEqual([4_000_000, 4_000_000])
  }, 60_000)
})
