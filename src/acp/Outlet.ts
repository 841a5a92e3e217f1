/**
 * Writes whole lines to a stream: a line of somebody else never lands within a long one that passes in parts. A reader
 * that takes nothing for long counts as stuck, and nobody waits for it any more.
 */

import type { Buffer } from "node:buffer"
import type { Writable } from "node:stream"
import { Data } from "effect"
import type { Piece } from "./Lines.ts"

export interface Outlet {
  /** Passes a piece on. Resolves once the stream takes more. */
  readonly pass: (piece: Piece) => Promise<void>
  /** Writes a line of our own. */
  readonly line: (bytes: Buffer | string) => Promise<void>
  readonly end: () => void
  /** Resolves if the reader is stuck. It then drops the waiting lines and destroys the stream. */
  readonly stuck: Promise<Unread>
}

/** The other side of a connection does not read. */
export class Unread extends Data.TaggedError("Unread")<{ readonly reader: string; readonly ms: number }> {
  override get message() {
    return `Expected the ${this.reader} to read its messages, found that it took none for ${this.ms / 1000} s. The connection is ended; start the ${this.reader} again.`
  }
}

export interface OutletOptions {
  /** Who reads, for messages. */
  readonly reader: "agent" | "editor"
  /** Time in which the reader has to take something, in milliseconds. Default: five minutes */
  readonly unreadMs?: number | undefined
}

/** Long enough for a program that a debugger holds for a while. */
const UNREAD_MS = 5 * 60 * 1000

export const make = (to: Writable, { reader, unreadMs = UNREAD_MS }: OutletOptions): Outlet => {
  let isWithin = false
  let waiting: Array<Buffer | string> = []
  const written = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  let giveUp = (_: Unread) => {}
  const stuck = new Promise<Unread>((resolve) => {
    giveUp = resolve
  })
  const watch = () => {
    clearTimeout(timer)
    if (written.size === 0) return
    timer = setTimeout(() => {
      giveUp(new Unread({ reader, ms: unreadMs }))
      to.destroy()
      for (const resolve of written) resolve()
    }, unreadMs)
  }
  const write = (bytes: Buffer | string): Promise<void> =>
    new Promise((resolve) => {
      // The reader has gone: the pieces have nowhere to go, and the streams' ends end the session.
      if (to.destroyed || to.writableEnded) return resolve()
      const done = () => {
        written.delete(done)
        watch()
        resolve()
      }
      written.add(done)
      if (written.size === 1) watch()
      to.write(bytes, done)
    })
  return {
    pass: async ({ bytes, kind }) => {
      isWithin = kind === "part"
      const written = write(bytes)
      if (isWithin) return written
      const held = waiting
      waiting = []
      await Promise.all([written, ...held.map(write)])
    },
    line: async (bytes) => {
      if (isWithin) waiting.push(bytes)
      else await write(bytes)
    },
    end: () => void to.end(),
    stuck,
  }
}
