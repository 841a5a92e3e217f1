/** Splits a stream of bytes into lines, without a change and with bounded memory. */

import { Buffer } from "node:buffer"

/** Maximum length of a line to read, in bytes. The parts of a longer one pass unread. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024

export interface Piece {
  /** As it came, with its line break. */
  readonly bytes: Buffer
  /** `line`: a whole line. `part`: a piece of a line that is too long. `last`: its end. */
  readonly kind: "line" | "part" | "last"
}

export interface Lines {
  readonly push: (chunk: Buffer) => ReadonlyArray<Piece>
  /** The rest of the stream, without a line break: nothing in a line that is too long, whose parts have left already. */
  readonly end: () => ReadonlyArray<Piece>
}

const BREAK = 0x0a

export const make = (most = MAX_LINE_BYTES): Lines => {
  let held: Array<Buffer> = []
  let size = 0
  let isLong = false
  const taken = (): Buffer => {
    const bytes = Buffer.concat(held)
    held = []
    size = 0
    return bytes
  }
  const add = (bytes: Buffer): void => {
    held.push(bytes)
    size += bytes.length
  }
  return {
    push: (chunk) => {
      const pieces: Array<Piece> = []
      let start = 0
      for (let at = chunk.indexOf(BREAK); at >= 0; at = chunk.indexOf(BREAK, start)) {
        add(chunk.subarray(start, at + 1))
        const kind = isLong || size > most ? "last" : "line"
        pieces.push({ bytes: taken(), kind })
        isLong = false
        start = at + 1
      }
      if (start < chunk.length) add(chunk.subarray(start))
      if (size > most || (isLong && size > 0)) {
        isLong = true
        pieces.push({ bytes: taken(), kind: "part" })
      }
      return pieces
    },
    end: () => (size === 0 ? [] : [{ bytes: taken(), kind: "line" }]),
  }
}
