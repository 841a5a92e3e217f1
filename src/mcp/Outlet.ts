/**
 * Writes lines to a stream whose reader may stop reading. A line never waits, so that a reader that is slow or stuck
 * blocks nobody but those who wait for room; the lines that wait have a limit.
 */

import type { Writable } from "node:stream"

export interface Outlet {
  /** Writes a line. Over the limit, drops it and resolves `full`. */
  readonly send: (line: string) => void
  /** Resolves once little waits. Callers that pass lines on wait for it before they read the next one. */
  readonly room: () => Promise<void>
  /** Resolves once all lines are written. */
  readonly written: () => Promise<void>
  /** Resolves if more than the limit waits: the reader has stopped. */
  readonly full: Promise<void>
  /** Gives the reader some time for the waiting lines, and destroys the stream if it does not take it. */
  readonly finish: () => Promise<void>
}

/** Bytes that may wait while the other side is still read. */
const MARK_BYTES = 1024 * 1024

/** Maximum number of bytes that wait: several messages of the maximum length. */
export const MAX_WAITING_BYTES = 64 * 1024 * 1024

/** Time for a reader to take the last lines, in milliseconds. */
const FINISH_MS = 2_000

interface Waiting {
  readonly atMost: number
  readonly resolve: () => void
}

/** A reader that is gone counts as one that reads all: its end is noticed elsewhere. */
export const make = (stream: Writable, limit = MAX_WAITING_BYTES): Outlet => {
  let bytes = 0
  let waiting: Array<Waiting> = []
  let overflow = () => {}
  const full = new Promise<void>((resolve) => {
    overflow = resolve
  })
  const freed = (count: number) => {
    bytes -= count
    const free = waiting.filter(({ atMost }) => bytes <= atMost)
    waiting = waiting.filter(({ atMost }) => bytes > atMost)
    for (const { resolve } of free) resolve()
  }
  const until = (atMost: number): Promise<void> =>
    bytes <= atMost || !stream.writable
      ? Promise.resolve()
      : new Promise((resolve) => waiting.push({ atMost, resolve }))
  stream.once("close", () => freed(bytes))
  return {
    send: (line) => {
      const text = Buffer.from(`${line}\n`)
      if (!stream.writable) return
      if (bytes + text.length > limit) return overflow()
      bytes += text.length
      stream.write(text, () => freed(Math.min(bytes, text.length)))
    },
    room: () => until(MARK_BYTES),
    written: () => until(0),
    full,
    finish: async () => {
      await within(FINISH_MS, until(0))
      // Nobody reads it, and a process waits for its output before it ends.
      if (stream.writableLength > 0) stream.destroy()
    },
  }
}

/** Waits for work, for a limited time. */
export const within = async (ms: number, work: Promise<unknown>): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
