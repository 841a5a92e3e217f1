/** Maximum kept output per stream, in bytes; the rest is dropped. */
export const MAX_OUTPUT_BYTES = 64 * 1024

/** Captures what code writes to a stream. */
export interface Capture {
  /** Accepts everything, kept or not. */
  readonly write: (bytes: Uint8Array) => number
  /** The output since the last call as text, with a note if it was cut. */
  readonly take: () => string
}

/** Keeps the beginning of a stream, with U+FFFD in place of invalid UTF-8. */
export const capture = (): Capture => {
  let kept: Array<Uint8Array> = []
  let length = 0
  let leftOut = 0
  return {
    write: (bytes) => {
      const room = Math.min(bytes.length, MAX_OUTPUT_BYTES - length)
      if (room > 0) kept.push(bytes.slice(0, room))
      length += room
      leftOut += bytes.length - room
      return bytes.length
    },
    take: () => {
      const decoder = new TextDecoder()
      // Drops a character that the limit cut in two.
      const text = kept.map((bytes) => decoder.decode(bytes, { stream: true })).join("")
      const whole = leftOut === 0 ? `${text}${decoder.decode()}` : `${text}\n[… ${leftOut} more bytes left out]`
      kept = []
      length = 0
      leftOut = 0
      return whole
    },
  }
}
