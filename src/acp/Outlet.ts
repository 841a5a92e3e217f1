/** Writes whole lines to a stream: a line of somebody else never lands within a long one that passes in parts. */

import type { Buffer } from "node:buffer"
import type { Writable } from "node:stream"
import type { Piece } from "./Lines.ts"

export interface Outlet {
  /** Passes a piece on. Resolves once the stream takes more. */
  readonly pass: (piece: Piece) => Promise<void>
  /** Writes a line of our own. */
  readonly line: (bytes: Buffer | string) => Promise<void>
  readonly end: () => void
}

export const make = (to: Writable): Outlet => {
  let isWithin = false
  let waiting: Array<Buffer | string> = []
  const write = (bytes: Buffer | string): Promise<void> =>
    new Promise((resolve) => {
      // Whoever reads has gone: the pieces have nowhere to go, and the streams' ends end the session.
      if (to.destroyed || to.writableEnded) return resolve()
      to.write(bytes, () => resolve())
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
  }
}
