/** Sends the frames of calls: small ones at once, large ones one at a time. */
import { Effect } from "effect"
import type { Child } from "../sandbox/Child.ts"
import { FRAME_LIMIT } from "./Protocol.ts"

/** The frames of one process's calls. */
export interface CallFrames {
  /** Sends a call's frame, at once or in its turn. */
  readonly send: (id: number, text: string) => void
  /** Withdraws a frame. Returns false if it was sent already. */
  readonly withdraw: (id: number) => boolean
}

/** Maximum length of a frame that is sent at once, in characters. */
const SMALL_FRAME = 64 * 1024

/**
 * Whether a frame is within the limit. A UTF-16 code unit takes at most three bytes, so most texts need no measuring.
 */
export const fits = (text: string): boolean => text.length * 3 <= FRAME_LIMIT || Buffer.byteLength(text) <= FRAME_LIMIT

/**
 * A large frame waits until the previous one has left this process. A plugin that does not read its input therefore
 * cannot fill the host's memory.
 */
export const make = (child: Child): CallFrames => {
  const largeFrames: Array<{ readonly id: number; readonly text: string }> = []
  let isSendingLarge = false

  const sendNextLarge = () => {
    const next = isSendingLarge ? undefined : largeFrames.shift()
    if (next === undefined) return
    isSendingLarge = true
    Effect.runCallback(child.deliver(next.text), {
      onExit: () => {
        isSendingLarge = false
        sendNextLarge()
      },
    })
  }

  return {
    send: (id, text) => {
      if (text.length <= SMALL_FRAME) return child.send(text)
      largeFrames.push({ id, text })
      sendNextLarge()
    },
    withdraw: (id) => {
      const unsent = largeFrames.findIndex((waiting) => waiting.id === id)
      if (unsent === -1) return false
      largeFrames.splice(unsent, 1)
      return true
    },
  }
}
