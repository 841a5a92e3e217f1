/** The requests that a plugin makes of the host, and the host's answers. */

import type { Json } from "../author.ts"
import type { Frame, Send } from "./Frames.ts"
import type { Failure } from "./HostFrame.ts"

/** The requests of one process. */
export interface HostRequests {
  /** Sends a request. If `call` is given, cancelling that call rejects the request. */
  readonly ask: (frame: Frame, call?: number) => Promise<unknown>
  /** Settles the request that the host answered. */
  readonly answer: (answered: Answer & { readonly id: number }) => void
  /** Rejects the requests of a call that was cancelled. */
  readonly cancelCall: (call: number) => void
}

interface Answer {
  readonly value?: Json
  readonly error?: Failure
}

/** Sends requests to the host and settles each one when the host answers or when its call is cancelled. */
export const hostRequests = (send: Send): HostRequests => {
  const waiting = new Map<number, { readonly call?: number; readonly settle: (answer: Answer) => void }>()
  let lastId = 0
  const answer: HostRequests["answer"] = (answered) => {
    const pending = waiting.get(answered.id)
    waiting.delete(answered.id)
    pending?.settle(answered)
  }
  return {
    ask: (frame, call) => {
      const id = ++lastId
      const answered = new Promise<unknown>((resolve, reject) => {
        waiting.set(id, {
          ...(call === undefined ? {} : { call }),
          settle: ({ value, error }) =>
            error === undefined
              ? resolve(value)
              : reject(Object.assign(new Error(error.message), { code: error.code })),
        })
      })
      // An unhandled rejection would end the process, and a request need not be awaited.
      answered.catch(() => undefined)
      const tooLong = send({ ...frame, id })
      if (tooLong !== undefined) answer({ id, error: { code: "TooLarge", message: tooLong } })
      return answered
    },
    answer,
    cancelCall: (call: number) => {
      for (const [id, pending] of waiting) {
        if (pending.call !== call) continue
        waiting.delete(id)
        pending.settle({ error: { code: "Cancelled", message: "the call it was asked for was cancelled" } })
      }
    },
  }
}
