/** Splits a stream of bytes into lines, each a JSON text. Pure, apart from the bytes that it keeps between chunks. */
import { isUtf8 } from "node:buffer"

/**
 * Maximum number of bytes of a line, without its end. A longer request is refused, and the connection stays open: no
 * question or action needs as much.
 */
export const MAX_LINE_BYTES = 16 * 1024 * 1024

/** A line, or why its bytes are not one. */
export type Line = { readonly text: string } | { readonly expected: string; readonly found: string }

const NEWLINE = 10

/** Takes chunks in order. Keeps the bytes of an unfinished line, at most `maxBytes`. */
export class LineSplitter {
  private parts: Array<Buffer> = []
  private bytes = 0
  /** The rest of a line that was too long is left out up to its end. */
  private isSkipping = false

  private readonly maxBytes: number

  constructor(maxBytes = MAX_LINE_BYTES) {
    this.maxBytes = maxBytes
  }

  /** Returns the lines that the chunk ends. A line that is too long is returned once, before its end. */
  push(chunk: Buffer): ReadonlyArray<Line> {
    const lines: Array<Line> = []
    let from = 0
    for (let to = chunk.indexOf(NEWLINE); to >= 0; to = chunk.indexOf(NEWLINE, from)) {
      this.take(chunk.subarray(from, to), lines)
      this.end(lines)
      from = to + 1
    }
    if (from < chunk.length) this.take(chunk.subarray(from), lines)
    return lines
  }

  /** The bytes of a line that has no end yet. After the last chunk, they are half a request. */
  get unfinished(): number {
    return this.bytes
  }

  private take(part: Buffer, lines: Array<Line>): void {
    if (this.isSkipping || part.length === 0) return
    if (this.bytes + part.length <= this.maxBytes) {
      this.parts.push(part)
      this.bytes += part.length
      return
    }
    this.forget()
    this.isSkipping = true
    lines.push({ expected: `a line of at most ${this.maxBytes} bytes`, found: "a longer one" })
  }

  private end(lines: Array<Line>): void {
    if (this.bytes > 0) {
      const [only] = this.parts
      const whole = this.parts.length === 1 && only !== undefined ? only : Buffer.concat(this.parts)
      const text = whole.toString("utf8")
      // Broken bytes are decoded as U+FFFD, which a text may also have itself.
      const isBroken = text.includes("\uFFFD") && !isUtf8(whole)
      lines.push(isBroken ? { expected: "a line of UTF-8", found: "other bytes" } : { text })
    }
    this.forget()
    this.isSkipping = false
  }

  private forget(): void {
    this.parts = []
    this.bytes = 0
  }
}
