/** The server's side of WebSockets (RFC 6455): text messages, without extensions. */
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { GrowingBytes } from "./GrowingBytes.ts"
import * as Frames from "./WebSocketFrames.ts"

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
  const accepted = Frames.acceptOf(key)
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
  readonly #message: Frames.Message
  #isPaused = false
  /** Whether the client has yet to read what was sent. */
  #isFull = false
  #isEnded = false
  #hasClosed = false

  constructor(socket: Duplex, head: Buffer, handlers: WebSocketHandlers, maxBytes: number) {
    this.#socket = socket
    this.#maxBytes = maxBytes
    this.#message = new Frames.Message(maxBytes)
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
    if (!this.#hasClosed) this.#write(Frames.frame(Frames.TEXT, Buffer.from(text)))
  }

  pause(): void {
    this.#isPaused = true
    this.#socket.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#continue()
  }

  close(code = Frames.NORMAL): void {
    if (this.#hasClosed) return
    this.#hasClosed = true
    const body = Buffer.alloc(2)
    body.writeUInt16BE(code)
    if (this.#socket.writable) this.#socket.end(Frames.frame(Frames.CLOSE, body))
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
      const found = Frames.parsed(this.#held.bytes, { isMasked: true, maxBytes: this.#maxBytes })
      if (found === undefined) return
      if (typeof found === "number") {
        this.close(found)
        return
      }
      this.#held.drop(found.size)
      this.#frame(found)
    }
  }

  #frame({ opcode, isFinal, body }: Frames.WebSocketFrame): void {
    if (opcode === Frames.PING) this.#write(Frames.frame(Frames.PONG, body))
    else if (opcode === Frames.CLOSE) this.close()
    else if (opcode !== Frames.PONG) {
      const message = this.#message.take({ opcode, isFinal, body })
      if (typeof message === "number") this.close(message)
      else if (message !== undefined) this.#handlers.onText(message)
    }
  }
}
