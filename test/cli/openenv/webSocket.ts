/** A client of WebSockets that can send what no library would. */
import { once } from "node:events"
import * as net from "node:net"

export interface Received {
  readonly opcode: number
  readonly body: Buffer
}

/** A frame of a client. */
export const frame = (opcode: number, body: Buffer | string, { isFinal = true, isMasked = true } = {}): Buffer => {
  const bytes = Buffer.from(body)
  const mask = Buffer.from([1, 2, 3, 4])
  const length =
    bytes.length < 126
      ? Buffer.from([bytes.length])
      : bytes.length < 65_536
        ? Buffer.from([126, bytes.length >> 8, bytes.length & 255])
        : Buffer.concat([Buffer.from([127, 0, 0, 0, 0]), Buffer.from(Uint32Array.of(bytes.length).buffer).reverse()])
  length[0] = (length[0] ?? 0) | (isMasked ? 128 : 0)
  const masked = isMasked ? bytes.map((byte, index) => byte ^ (mask[index % 4] ?? 0)) : bytes
  return Buffer.concat([Buffer.from([(isFinal ? 128 : 0) | opcode]), length, isMasked ? mask : Buffer.alloc(0), masked])
}

export const connect = async (port: number, path = "/ws", headers: ReadonlyArray<string> = []) => {
  const socket = net.connect(port, "127.0.0.1")
  await once(socket, "connect")
  const asked = [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, "Upgrade: websocket", "Connection: Upgrade"]
  const handshake = ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
  socket.write(`${[...asked, ...handshake, ...headers].join("\r\n")}\r\n\r\n`)
  let held = Buffer.alloc(0)
  let isOver = false
  let wake = () => {}
  socket.on("data", (chunk) => {
    held = Buffer.concat([held, chunk])
    wake()
  })
  socket.on("error", () => {})
  socket.on("close", () => {
    isOver = true
    wake()
  })
  const more = () =>
    new Promise<void>((resolve, reject) => {
      wake = resolve
      if (isOver) reject(new Error(`it closed after ${held.toString("latin1")}`))
    })
  while (!held.includes("\r\n\r\n")) await more()
  const end = held.indexOf("\r\n\r\n") + 4
  const head = held.toString("latin1", 0, end)
  held = held.subarray(end)

  /** The next frame. */
  const next = async (): Promise<Received> => {
    for (;;) {
      const short = (held[1] ?? 0) & 127
      const start = short === 126 ? 4 : 2
      const length = short === 126 && held.length >= 4 ? held.readUInt16BE(2) : short
      if (held.length >= 2 && held.length >= start + length) {
        const received = { opcode: (held[0] ?? 0) & 15, body: Buffer.from(held.subarray(start, start + length)) }
        held = held.subarray(start + length)
        return received
      }
      await more()
    }
  }
  const write = (bytes: Buffer) => void socket.write(bytes)
  return {
    head,
    next,
    write,
    /** The next message, as JSON. */
    json: async () => JSON.parse((await next()).body.toString("utf8")),
    ask: async (text: string) => {
      write(frame(1, text))
      return JSON.parse((await next()).body.toString("utf8"))
    },
    /** The code with which the server closes the connection. */
    closed: async () => {
      const { opcode, body } = await next()
      return [opcode, body.readUInt16BE()]
    },
    vanish: () => socket.resetAndDestroy(),
  }
}
