/** Frames and messages of WebSockets (RFC 6455): text, without extensions, as both sides read and write them. */
import { isUtf8 } from "node:buffer"
import { createHash } from "node:crypto"
import { GrowingBytes } from "./GrowingBytes.ts"

/** Codes of ends. */
export const [NORMAL, PROTOCOL_ERROR, UNSUPPORTED, INVALID_DATA, TOO_BIG] = [1000, 1002, 1003, 1007, 1009]

/** Opcodes. */
export const [CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG] = [0, 1, 2, 8, 9, 10]

/** RFC 6455, section 1.3. */
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

/** The answer to a handshake's key. */
export const acceptOf = (key: string): string =>
  createHash("sha1")
    .update(key + GUID)
    .digest("base64")

export interface WebSocketFrame {
  readonly opcode: number
  readonly isFinal: boolean
  readonly body: Buffer
  /** Of the frame, in bytes. */
  readonly size: number
}

/** The other side of a connection. */
export interface Sender {
  /** A client masks each frame, a server none. */
  readonly isMasked: boolean
  /** Maximum size of a frame's body, in bytes. */
  readonly maxBytes: number
}

/** The first frame of some bytes, undefined if more have to come, or the code of an end. */
export const parsed = (bytes: Buffer, { isMasked, maxBytes }: Sender): WebSocketFrame | number | undefined => {
  if (bytes.length < 2) return undefined
  const [first = 0, second = 0] = bytes
  const opcode = first & 0x0f
  const isFinal = (first & 0x80) !== 0
  const isControl = opcode >= CLOSE
  const isKnown = opcode <= BINARY || (opcode >= CLOSE && opcode <= PONG)
  // Nobody agreed on extensions.
  if ((first & 0x70) !== 0 || ((second & 0x80) !== 0) !== isMasked || !isKnown) return PROTOCOL_ERROR
  const short = second & 0x7f
  if (isControl && (!isFinal || short > 125)) return PROTOCOL_ERROR
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0
  const start = 2 + lengthBytes + (isMasked ? 4 : 0)
  if (bytes.length < 2 + lengthBytes) return undefined
  const length =
    lengthBytes === 2 ? bytes.readUInt16BE(2) : lengthBytes === 8 ? Number(bytes.readBigUInt64BE(2)) : short
  if (length > maxBytes) return TOO_BIG
  if (bytes.length < start + length) return undefined
  const body = Buffer.from(bytes.subarray(start, start + length))
  if (isMasked) mask(body, bytes.subarray(start - 4, start))
  return { opcode, isFinal, body, size: start + length }
}

const mask = (body: Buffer, key: Buffer): void => {
  for (let index = 0; index < body.length; index++) body[index] = (body[index] ?? 0) ^ (key[index % 4] ?? 0)
}

/** A frame, which is the last of its message. With a key of 4 bytes, it is masked. */
export const frame = (opcode: number, body: Buffer, key?: Buffer): Buffer => {
  const masked = key === undefined ? 0 : 0x80
  const extended = body.length < 126 ? 0 : body.length > 0xffff ? 8 : 2
  const head = Buffer.alloc(2 + extended)
  head[0] = 0x80 | opcode
  head[1] = masked | (extended === 0 ? body.length : extended === 8 ? 127 : 126)
  if (extended === 8) head.writeBigUInt64BE(BigInt(body.length), 2)
  else if (extended === 2) head.writeUInt16BE(body.length, 2)
  if (key === undefined) return Buffer.concat([head, body])
  const whole = Buffer.concat([head, key, body])
  mask(whole.subarray(head.length + key.length), key)
  return whole
}

/** A message in one or several frames. */
export class Message {
  readonly #parts = new GrowingBytes()
  readonly #maxBytes: number
  #isWithin = false

  /** @param maxBytes maximum size of a message */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Takes a frame that is no control frame. Returns the text that it completes, or the code of an end. */
  take({ opcode, isFinal, body }: Pick<WebSocketFrame, "opcode" | "isFinal" | "body">): string | number | undefined {
    if (opcode === BINARY) return UNSUPPORTED
    if ((opcode === CONTINUATION) !== this.#isWithin) return PROTOCOL_ERROR
    this.#isWithin = true
    if (this.#parts.bytes.length + body.length > this.#maxBytes) return TOO_BIG
    this.#parts.append(body)
    if (!isFinal) return undefined
    const whole = this.#parts.bytes
    const text = isUtf8(whole) ? whole.toString("utf8") : INVALID_DATA
    this.#parts.drop(whole.length)
    this.#isWithin = false
    return text
  }
}
