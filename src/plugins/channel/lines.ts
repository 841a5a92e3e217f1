/** What becomes of the lines of an output. */
export interface LineHandlers {
  /** A whole line of so many bytes, without its end. */
  readonly onLine: (line: string, bytes: number) => void
  /** A line grew longer than the limit: it is forgotten, and the rest of it will come as a line of its own. */
  readonly onOverflow: () => void
}

/** Makes lines (UTF-8) of chunks, however they were cut, keeping at most `limit` bytes in memory. */
export const splitLines = (limit: number, { onLine, onOverflow }: LineHandlers) => {
  let parts: Array<Buffer> = []
  let held = 0
  /** Ends a line with a part of a chunk. */
  const take = (chunk: Buffer, start: number, end: number) => {
    if (parts.length === 0) return onLine(chunk.toString("utf8", start, end), end - start)
    const line = Buffer.concat([...parts, chunk.subarray(start, end)])
    parts = []
    held = 0
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
      held += chunk.length - start
      parts.push(chunk.subarray(start))
      if (held <= limit) return
      parts = []
      held = 0
      onOverflow()
    },
    /** A last line without an end. */
    end: () => {
      if (parts.length > 0) take(Buffer.alloc(0), 0, 0)
    },
  }
}

/** What becomes of a plugin's standard output. */
export interface FrameHandlers {
  /** A frame, without its nonce, in a line of so many bytes. */
  readonly onFrame: (text: string, bytes: number) => void
  /** Something that the plugin printed. */
  readonly onPrinted: (line: string) => void
}

/**
 * Tells frames from what the plugin printed. A frame starts at the nonce: where the plugin printed without ending the
 * line, the frame stands behind it on the same line.
 */
export const tellFrames =
  (nonce: string, { onFrame, onPrinted }: FrameHandlers) =>
  (line: string, bytes: number) => {
    const start = line.startsWith(nonce) ? 0 : line.indexOf(nonce)
    if (start === -1) return onPrinted(line)
    if (start > 0) onPrinted(line.slice(0, start))
    onFrame(line.slice(start + nonce.length), bytes)
  }
