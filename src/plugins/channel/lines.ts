/** Splits a plugin's outputs into lines, and its standard output into frames and printed text. */

/** Receives an output's lines. */
export interface LineHandlers {
  /** Called for each line without its line feed; `bytes` is its size. */
  readonly onLine: (line: string, bytes: number) => void
  /** Called when a line exceeds the limit. The part read so far is discarded, and the rest arrives as another line. */
  readonly onOverflow: () => void
}

/** Splits chunks into lines (UTF-8), with at most `limit` bytes in memory. */
export const splitLines = (limit: number, { onLine, onOverflow }: LineHandlers) => {
  let parts: Array<Buffer> = []
  let heldBytes = 0
  /** Completes a line with a slice of a chunk. */
  const take = (chunk: Buffer, start: number, end: number) => {
    if (parts.length === 0) return onLine(chunk.toString("utf8", start, end), end - start)
    const line = Buffer.concat([...parts, chunk.subarray(start, end)])
    parts = []
    heldBytes = 0
    onLine(line.toString("utf8"), line.length)
  }
  return {
    push: (bytes: Uint8Array) => {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      let start = 0
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        take(chunk, start, end)
        start = end + 1
      }
      if (start === chunk.length) return
      heldBytes += chunk.length - start
      parts.push(chunk.subarray(start))
      if (heldBytes <= limit) return
      parts = []
      heldBytes = 0
      onOverflow()
    },
    /** Emits the last line, if it lacks a line feed. */
    end: () => {
      if (parts.length > 0) take(Buffer.alloc(0), 0, 0)
    },
  }
}

/** Receives a plugin's standard output. */
export interface FrameHandlers {
  /** Called for each frame without its nonce; `bytes` is the size of its line. */
  readonly onFrame: (text: string, bytes: number) => void
  /** Called for printed text. */
  readonly onPrinted: (line: string) => void
}

/** A frame starts at the nonce, which can follow printed text on the same line. */
export const splitFrames =
  (nonce: string, { onFrame, onPrinted }: FrameHandlers) =>
  (line: string, bytes: number) => {
    const start = line.startsWith(nonce) ? 0 : line.indexOf(nonce)
    if (start === -1) return onPrinted(line)
    if (start > 0) onPrinted(line.slice(0, start))
    onFrame(line.slice(start + nonce.length), bytes)
  }
