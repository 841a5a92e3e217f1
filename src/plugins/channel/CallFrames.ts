/** Sends the frames of calls to a process: small ones at once, large ones one at a time. */
import { Effect } from "effect"
import type { Child } from "../sandbox/Child.ts"
import { FRAME_LIMIT } from "./Protocol.ts"

/** The frames of one process's calls. */
export interface CallFrames {
  /** Sends the frame of a call, at once or when its turn comes. */
  readonly send: (id: number, text: string) => void
  /** Takes back the frame of a call that has not been sent. Returns false if there is none. */
  readonly withdraw: (id: number) => boolean
}

/** Maximum length, in characters, of a frame that is sent at once. Longer frames are queued. */
const SMALL_FRAME = 64 * 1024

/**
 * Whether a frame is short enough to be sent. A UTF-16 code unit takes at most three bytes, so most texts need not be
 * measured.
 */
export const fits = (text: string): boolean => text.length * 3 <= FRAME_LIMIT || Buffer.byteLength(text) <= FRAME_LIMIT

/**
 * Makes the sender of frames. A large frame waits until the one before has left this process. A plugin that does not
 * read its input therefore cannot fill the host's memory.
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
