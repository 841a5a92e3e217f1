/** The plugin's requests to the host. */

import type { Json } from "../author.ts"
import type { Frame, Send } from "./Frames.ts"
import type { Failure } from "./HostFrame.ts"

/** The requests of one process. */
export interface HostRequests {
  /** Sends a request. Cancelling `call` rejects it. */
  readonly ask: (frame: Frame, call?: number, onPart?: (text: string) => void) => Promise<unknown>
  /** Passes on a part of a request's answer. */
  readonly part: (id: number, text: string) => void
  /** Settles a request with the host's answer. */
  readonly answer: (answered: Answer & { readonly id: number }) => void
  /** Rejects the requests of a cancelled call. */
  readonly cancelCall: (call: number) => void
}

interface Answer {
  readonly value?: Json
  readonly error?: Failure
}

/** Tracks requests until the host answers or cancels their call. */
export const hostRequests = (send: Send): HostRequests => {
  const waiting = new Map<
    number,
    { readonly call?: number; readonly onPart?: (text: string) => void; readonly settle: (answer: Answer) => void }
  >()
  let lastId = 0
  const answer: HostRequests["answer"] = (answered) => {
    const pending = waiting.get(answered.id)
    waiting.delete(answered.id)
    pending?.settle(answered)
  }
  return {
    ask: (frame, call, onPart) => {
      const id = ++lastId
      const answered = new Promise<unknown>((resolve, reject) => {
        waiting.set(id, {
          ...(call === undefined ? {} : { call }),
          ...(onPart === undefined ? {} : { onPart }),
          settle: ({ value, error }) =>
            error === undefined
              ? resolve(value)
              : reject(Object.assign(new Error(error.message), { code: error.code })),
        })
      })
      // Callers may ignore a request; an unhandled rejection would end the process.
      answered.catch(() => undefined)
      const tooLong = send({ ...frame, id })
      if (tooLong !== undefined) answer({ id, error: { code: "TooLarge", message: tooLong } })
      return answered
    },
    answer,
    part: (id, text) => waiting.get(id)?.onPart?.(text),
    cancelCall: (call: number) => {
      for (const [id, pending] of waiting) {
        if (pending.call !== call) continue
        waiting.delete(id)
        pending.settle({ error: { code: "Cancelled", message: "the call it was asked for was cancelled" } })
      }
    },
  }
}
