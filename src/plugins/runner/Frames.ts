/** The channel to the host: one JSON object per line in each direction. Frames to the host begin with the nonce. */

import { decode, encode, exit, stdin, stdout, stringify } from "./Captured.ts"
import type { Init } from "./HostFrame.ts"

/** Calls `onLine` for each line of the input. Exits the process at the end of the input. */
export const readLines = async (onLine: (line: string) => void): Promise<never> => {
  const buffer = new Uint8Array(64 * 1024)
  let parts: Array<Uint8Array> = []
  for (;;) {
    const count = await stdin.read(buffer)
    if (count === null) return exit(0)
    let start = 0
    for (let end = buffer.indexOf(10); end !== -1 && end < count; end = buffer.indexOf(10, start)) {
      const last = buffer.subarray(start, end)
      start = end + 1
      if (parts.length === 0) onLine(decode(last))
      else {
        const line = decode(concatenate([...parts, last]))
        parts = []
        onLine(line)
      }
    }
    if (start < count) parts.push(buffer.slice(start, count))
  }
}

const concatenate = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}

/** A frame to the host. */
export interface Frame {
  readonly type: string
  readonly [field: string]: unknown
}

/**
 * Sends a frame. If the frame is too long, returns the reason and sends an `invalid` frame in place of an answer, or a
 * log line in place of any other frame.
 */
export type Send = (frame: Frame) => string | undefined

/** Each frame is one synchronous write, so printed output can only come between frames. */
export const sender = ({ nonce, frameLimit }: Init): Send => {
  const encodeFrame = (frame: object) => encode(`${nonce}${stringify(frame)}\n`)
  return (frame) => {
    const bytes = encodeFrame(frame)
    if (bytes.length <= frameLimit) {
      writeAll(bytes)
      return undefined
    }
    const reason = `expected at most ${frameLimit} bytes, found ${bytes.length}`
    writeAll(encodeFrame(insteadOf(frame, reason)))
    return reason
  }
}

const insteadOf = ({ type, id }: Frame, reason: string): Frame =>
  ANSWERS.includes(type)
    ? { type: "invalid", id, reason }
    : { type: "log", level: "error", message: `${type} frame left out: ${reason}` }

const ANSWERS = ["ok", "error", "invalid"]

const writeAll = (bytes: Uint8Array) => {
  let written = 0
  while (written < bytes.length) {
    try {
      written += stdout.writeSync(bytes.subarray(written))
    } catch (error) {
      // A plugin that touches `process.stdout` makes the pipe non-blocking. Waits until the host has read from it.
      if (!(error instanceof Error) || error.name !== "WouldBlock") throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}
