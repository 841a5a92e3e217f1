/**
 * WebSockets of the host request `fetch`: each process of a plugin has at most one connection for each URL. Each request
 * sends a message and takes the next one as its answer. A connection whose order of answers is in doubt is over.
 */
import { randomBytes } from "node:crypto"
import type { ClientRequest } from "node:http"
import type { Duplex } from "node:stream"
import { Effect, Either, type Scope } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import { GrowingBytes } from "../../platform/loopback/GrowingBytes.ts"
import * as Frames from "../../platform/loopback/WebSocketFrames.ts"
import { visible } from "../../values/PlainText.ts"

/** Maximum number of connections of a process. */
export const MAX_CONNECTIONS = 4

/** Time for the last message to a server, in milliseconds. */
const LAST_BYTES_MS = 2_000

/** Maximum length of a message that an error repeats, in characters. */
const SHOWN_CHARACTERS = 300

/** The connections of one process. */
export interface Connections {
  /** Connects, after ending any earlier connection to the same URL. */
  readonly open: (url: string, opening: Opening) => Effect.Effect<void, Failure>
  /** Sends a text, and returns the next message. Interruption ends the connection: the answer might still come. */
  readonly ask: (url: string, text: string) => Effect.Effect<string, Failure>
}

/** How to connect. */
export interface Opening {
  /** Maximum size of a message, in bytes. */
  readonly maxBytes: number
  /** Makes a request of `node:http` with the headers of the handshake. Declarations compile without Node's types. */
  readonly upgrade: (headers: { readonly [name: string]: string }) => object
  /** The failure for a request that was not made, or whose server cannot be reached. */
  readonly failed: (cause: unknown) => Failure
}

/** Closing the scope ends all connections. */
export const make: Effect.Effect<Connections, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => new Map<string, Connection>()),
    (all) => Effect.sync(() => all.forEach((connection) => connection.close())),
  ),
  (all) => ({
    open: (url, opening) =>
      Effect.suspend(() => {
        all.get(url)?.close()
        all.delete(url)
        for (const [other, { over }] of all) if (over !== undefined) all.delete(other)
        if (all.size >= MAX_CONNECTIONS) {
          const message = `expected at most ${MAX_CONNECTIONS} connections of the plugin, found one more`
          return Effect.fail({ code: "TooManyConnections", message })
        }
        return Effect.map(handshake(url, opening), (connection) => {
          // Another request may have connected meanwhile.
          all.get(url)?.close()
          all.set(url, connection)
        })
      }),
    ask: (url, text) =>
      Effect.suspend(() => {
        const connection = all.get(url)
        return connection === undefined
          ? Effect.fail({ code: "NotConnected", message: `expected an open connection to ${url}: GET opens one` })
          : connection.ask(text)
      }),
  }),
)

const handshake = (url: string, { maxBytes, upgrade, failed }: Opening): Effect.Effect<Connection, Failure> =>
  Effect.async((resume) => {
    const key = randomBytes(16).toString("base64")
    const refused = (found: string) => {
      const message = `${url}: expected a WebSocket (status 101), found ${found}`
      resume(Effect.fail({ code: "HandshakeRefused", message }))
    }
    let request: ClientRequest
    try {
      request = upgrade({
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": key,
      }) as ClientRequest
    } catch (cause) {
      return resume(Effect.fail(failed(cause)))
    }
    request.on("error", (cause) => resume(Effect.fail(failed(cause))))
    request.on("response", ({ statusCode, statusMessage = "" }) => {
      refused(`the status ${statusCode} ${visible(statusMessage).slice(0, SHOWN_CHARACTERS)}`.trim())
      request.destroy()
    })
    request.on("upgrade", ({ headers }, socket, head) => {
      if (headers["sec-websocket-accept"] === Frames.acceptOf(key)) {
        return resume(Effect.succeed(new Connection(url, maxBytes, socket, head)))
      }
      refused("an answer to another key")
      socket.destroy()
    })
    request.end()
    return Effect.sync(() => request.destroy())
  })

type Answer = Either.Either<string, Failure>

class Connection {
  readonly #url: string
  readonly #socket: Duplex
  readonly #maxBytes: number
  readonly #held = new GrowingBytes()
  readonly #message: Frames.Message
  #waiting: ((answer: Answer) => void) | undefined
  /** Why it takes no further messages. */
  over: Failure | undefined

  constructor(url: string, maxBytes: number, socket: Duplex, head: Buffer) {
    this.#url = url
    this.#maxBytes = maxBytes
    this.#socket = socket
    this.#message = new Frames.Message(maxBytes)
    socket.on("error", ({ message }) => this.#end("ConnectionLost", `the connection was lost: ${message}`))
    socket.once("close", () => this.#end("ConnectionLost", "the server ended the connection"))
    socket.once("end", () => this.#end("ConnectionLost", "the server ended the connection"))
    socket.on("data", (chunk: Buffer) => this.#take(chunk))
    if (head.length > 0) this.#take(head)
  }

  ask(text: string): Effect.Effect<string, Failure> {
    return Effect.async((resume) => {
      if (this.over !== undefined) return resume(Effect.fail(this.over))
      if (this.#waiting !== undefined) {
        const message = `${this.#url}: expected one request at a time, found another that waits for its answer`
        return resume(Effect.fail({ code: "ConnectionBusy", message }))
      }
      this.#waiting = (answer) => resume(answer)
      this.#write(Frames.TEXT, Buffer.from(text))
      return Effect.sync(() => this.#end("ConnectionLost", "an earlier request was not answered in time"))
    })
  }

  close(): void {
    this.#end("ConnectionLost", "the connection was closed")
  }

  #write(opcode: number, body: Buffer): void {
    if (this.#socket.writable) this.#socket.write(Frames.frame(opcode, body, randomBytes(4)))
  }

  /** The first reason counts. */
  #end(code: string, reason: string, close: number = Frames.NORMAL): void {
    if (this.over !== undefined) return
    this.over = { code, message: `${this.#url}: ${reason}` }
    const waiting = this.#waiting
    this.#waiting = undefined
    const body = Buffer.alloc(2)
    body.writeUInt16BE(close)
    this.#write(Frames.CLOSE, body)
    this.#socket.end()
    this.#socket.removeAllListeners("data")
    this.#socket.resume()
    const timer = setTimeout(() => this.#socket.destroy(), LAST_BYTES_MS)
    timer.unref()
    this.#socket.once("close", () => clearTimeout(timer))
    waiting?.(Either.left(this.over))
  }

  #take(chunk: Buffer): void {
    if (this.over !== undefined) return
    this.#held.append(chunk)
    while (this.over === undefined) {
      const frame = Frames.parsed(this.#held.bytes, { isMasked: false, maxBytes: this.#maxBytes })
      if (frame === undefined) return
      if (typeof frame === "number") this.#broken(frame)
      else {
        this.#held.drop(frame.size)
        this.#frame(frame)
      }
    }
  }

  #frame({ opcode, isFinal, body }: Frames.WebSocketFrame): void {
    if (opcode === Frames.PING) this.#write(Frames.PONG, body)
    else if (opcode === Frames.CLOSE) this.#end("ConnectionLost", `the server ended the connection${closing(body)}`)
    else if (opcode !== Frames.PONG) {
      const message = this.#message.take({ opcode, isFinal, body })
      if (typeof message === "number") this.#broken(message)
      else if (message !== undefined) this.#answered(message)
    }
  }

  #answered(message: string): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting !== undefined) waiting(Either.right(message))
    else {
      const found = visible(message).slice(0, SHOWN_CHARACTERS)
      this.#end("UnaskedMessage", `expected a message only as an answer, found ${found}`)
    }
  }

  #broken(code: number): void {
    if (code === Frames.TOO_BIG)
      this.#end("AnswerTooLarge", `expected a message of at most ${this.#maxBytes} bytes, found more`, code)
    else this.#end("AnswerInvalid", `expected messages of text by RFC 6455, found others (${code})`, code)
  }
}

const closing = (body: Buffer): string => {
  if (body.length < 2) return ""
  const reason = visible(body.toString("utf8", 2)).slice(0, SHOWN_CHARACTERS)
  return ` with the code ${body.readUInt16BE()}${reason === "" ? "" : ` (${reason})`}`
}
