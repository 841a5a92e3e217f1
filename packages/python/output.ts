/** Longest output of one stream that is kept, in bytes: its beginning. */
export const MAX_OUTPUT_BYTES = 64 * 1024

/** What code wrote to a stream. */
export interface Capture {
  /** Takes all of it, whatever is kept. */
  readonly write: (bytes: Uint8Array) => number
  /** What was written since the last time, as text, with a note where it was too long. */
  readonly take: () => string
}

/** Keeps the beginning of a stream; what is not UTF-8 in it is replaced by U+FFFD. */
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
      // A character that the cut went through is left out, not replaced.
      const text = kept.map((bytes) => decoder.decode(bytes, { stream: true })).join("")
      const whole = leftOut === 0 ? `${text}${decoder.decode()}` : `${text}\n[… ${leftOut} more bytes left out]`
      kept = []
      length = 0
      leftOut = 0
      return whole
    },
  }
}
