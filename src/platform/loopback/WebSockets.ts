/** The server's side of WebSockets (RFC 6455): text messages, without extensions. */
import { isUtf8 } from "node:buffer"
import { createHash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { GrowingBytes } from "./GrowingBytes.ts"

/** Maximum size of a message, in bytes, if `accept` names no other. A larger one ends the connection with the code 1009. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024

/** An open connection. */
export interface WebSocketConnection {
  readonly send: (text: string) => void
  /** Takes nothing further from the client until `resume`: neither messages nor its end. */
  readonly pause: () => void
  readonly resume: () => void
  /** Says why, and ends the connection. Nothing happens the second time. */
  readonly close: (code?: number) => void
}

export interface WebSocketHandlers {
  /** Called for each message, never while the connection is paused or the client has yet to read what was sent. */
  readonly onText: (text: string) => void
  /** Called once, when either side has ended the connection. */
  readonly onEnd: () => void
}

/** Codes of ends. */
const [NORMAL, PROTOCOL_ERROR, UNSUPPORTED, INVALID_DATA, TOO_BIG] = [1000, 1002, 1003, 1007, 1009]

const [CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG] = [0, 1, 2, 8, 9, 10]

/** RFC 6455, section 1.3. */
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

/**
 * Answers a client's handshake. Undefined, and the connection is closed, if it is no handshake.
 *
 * @param maxBytes the maximum size of a message
 */
export const accept = (
  { method, headers }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  handlers: WebSocketHandlers,
  maxBytes = MAX_MESSAGE_BYTES,
): WebSocketConnection | undefined => {
  const key = headers["sec-websocket-key"]
  const isHandshake =
    method === "GET" && headers.upgrade?.toLowerCase() === "websocket" && headers["sec-websocket-version"] === "13"
  if (!isHandshake || typeof key !== "string" || Buffer.from(key, "base64").length !== 16) {
    refuse(socket, "400 Bad Request", "sec-websocket-version: 13\r\n")
    return undefined
  }
  const accepted = createHash("sha1")
    .update(key + GUID)
    .digest("base64")
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accepted}\r\n\r\n`,
  )
  return new Served(socket, head, handlers, maxBytes)
}

/**
 * Refuses a handshake.
 *
 * @param headers further ones, each with its end of line
 */
export const refuse = (socket: Duplex, status: string, headers = ""): void => {
  socket.on("error", () => socket.destroy())
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n${headers}content-length: 0\r\n\r\n`)
  ended(socket)
}

/** Time for a client to read the last bytes, in milliseconds. */
const LAST_BYTES_MS = 5_000

/** Closes a socket once everything is written: a client that keeps its side open, or reads nothing, does not hold up the server. */
const ended = (socket: Duplex): void => {
  const timer = setTimeout(() => socket.destroy(), LAST_BYTES_MS)
  socket.once("close", () => clearTimeout(timer))
  if ("destroySoon" in socket && typeof socket.destroySoon === "function") socket.destroySoon()
}

class Served implements WebSocketConnection {
  readonly #socket: Duplex
  readonly #handlers: WebSocketHandlers
  readonly #maxBytes: number
  readonly #held = new GrowingBytes()
  /** Of a message in several frames. */
  readonly #parts = new GrowingBytes()
  #isWithinMessage = false
  #isPaused = false
  /** Whether the client has yet to read what was sent. */
  #isFull = false
  #isEnded = false
  #hasClosed = false

  constructor(socket: Duplex, head: Buffer, handlers: WebSocketHandlers, maxBytes: number) {
    this.#socket = socket
    this.#maxBytes = maxBytes
    this.#handlers = handlers
    if (head.length > 0) socket.unshift(head)
    socket.on("error", () => socket.destroy())
    socket.once("close", () => this.#end())
    socket.once("end", () => socket.end())
    socket.on("drain", () => {
      this.#isFull = false
      this.#continue()
    })
    socket.on("data", (chunk: Buffer) => {
      if (this.#hasClosed) return
      this.#held.append(chunk)
      this.#frames()
    })
  }

  send(text: string): void {
    if (!this.#hasClosed) this.#write(frame(TEXT, Buffer.from(text)))
  }

  pause(): void {
    this.#isPaused = true
    this.#socket.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#continue()
  }

  close(code = NORMAL): void {
    if (this.#hasClosed) return
    this.#hasClosed = true
    const body = Buffer.alloc(2)
    body.writeUInt16BE(code)
    if (this.#socket.writable) this.#socket.end(frame(CLOSE, body))
    // The end of a client comes after what it has sent.
    this.#socket.resume()
    ended(this.#socket)
  }

  #end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#handlers.onEnd()
  }

  #write(bytes: Buffer): void {
    if (!this.#socket.writable || this.#socket.write(bytes)) return
    this.#isFull = true
    this.#socket.pause()
  }

  get #mayRead(): boolean {
    return !this.#isPaused && !this.#isFull
  }

  #continue(): void {
    if (this.#hasClosed || !this.#mayRead) return
    this.#frames()
    if (this.#mayRead) this.#socket.resume()
  }

  #frames(): void {
    while (this.#mayRead && !this.#hasClosed) {
      const found = parsed(this.#held.bytes, this.#maxBytes)
      if (found === undefined) return
      if (typeof found === "number") {
        this.close(found)
        return
      }
      this.#held.drop(found.size)
      this.#frame(found)
    }
  }

  #frame({ opcode, isFinal, body }: Frame): void {
    if (opcode === PING) this.#write(frame(PONG, body))
    else if (opcode === CLOSE) this.close()
    else if (opcode !== PONG) {
      const wrong = this.#part(opcode, body)
      if (wrong !== undefined) this.close(wrong)
      else if (isFinal) this.#message()
    }
  }

  /** Keeps a part of a message. Returns the code of an end if it may not come. */
  #part(opcode: number, body: Buffer): number | undefined {
    if (opcode === BINARY) return UNSUPPORTED
    if ((opcode === CONTINUATION) !== this.#isWithinMessage) return PROTOCOL_ERROR
    this.#isWithinMessage = true
    if (this.#parts.bytes.length + body.length > this.#maxBytes) return TOO_BIG
    this.#parts.append(body)
    return undefined
  }

  #message(): void {
    const whole = this.#parts.bytes
    const text = isUtf8(whole) ? whole.toString("utf8") : undefined
    this.#parts.drop(whole.length)
    this.#isWithinMessage = false
    if (text === undefined) this.close(INVALID_DATA)
    else this.#handlers.onText(text)
  }
}

interface Frame {
  readonly opcode: number
  readonly isFinal: boolean
  readonly body: Buffer
  /** Of the frame, in bytes. */
  readonly size: number
}

/** The first frame of some bytes, undefined if more have to come, or the code of an end. */
const parsed = (bytes: Buffer, maxBytes: number): Frame | number | undefined => {
  if (bytes.length < 2) return undefined
  const [first = 0, second = 0] = bytes
  const opcode = first & 0x0f
  const isFinal = (first & 0x80) !== 0
  const isControl = opcode >= CLOSE
  const isKnown = opcode <= BINARY || (opcode >= CLOSE && opcode <= PONG)
  // A client masks each frame, and nobody agreed on extensions.
  if ((first & 0x70) !== 0 || (second & 0x80) === 0 || !isKnown) return PROTOCOL_ERROR
  const short = second & 0x7f
  if (isControl && (!isFinal || short > 125)) return PROTOCOL_ERROR
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0
  const start = 2 + lengthBytes + 4
  if (bytes.length < 2 + lengthBytes) return undefined
  const length =
    lengthBytes === 2 ? bytes.readUInt16BE(2) : lengthBytes === 8 ? Number(bytes.readBigUInt64BE(2)) : short
  if (length > maxBytes) return TOO_BIG
  if (bytes.length < start + length) return undefined
  const mask = bytes.subarray(start - 4, start)
  const body = Buffer.from(bytes.subarray(start, start + length))
  for (let index = 0; index < body.length; index++) body[index] = (body[index] ?? 0) ^ (mask[index % 4] ?? 0)
  return { opcode, isFinal, body, size: start + length }
}

const frame = (opcode: number, body: Buffer): Buffer => {
  const first = 0x80 | opcode
  if (body.length < 126) return Buffer.concat([Buffer.from([first, body.length]), body])
  const long = body.length > 0xffff
  const head = Buffer.alloc(long ? 10 : 4)
  head[0] = first
  head[1] = long ? 127 : 126
  if (long) head.writeBigUInt64BE(BigInt(body.length), 2)
  else head.writeUInt16BE(body.length, 2)
  return Buffer.concat([head, body])
}
