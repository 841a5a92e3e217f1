import { Effect } from "effect"

/** Tells those who follow a log in this process that something was committed. */
export interface CommitNotifier {
  readonly announce: () => void
  /** Listens from the call on, until it is stopped or has heard once. */
  readonly listen: () => Listening
}

/** Someone who listens for the next commit. */
export interface Listening {
  /** Succeeds at the first commit since listening began. */
  readonly heard: Effect.Effect<void>
  readonly stop: () => void
}

export const make = (): CommitNotifier => {
  const listeners = new Set<() => void>()
  return {
    announce: () => {
      for (const hear of listeners) hear()
    },
    listen: () => {
      let heard = false
      let wake: (() => void) | undefined
      const hear = () => {
        heard = true
        wake?.()
      }
      listeners.add(hear)
      return {
        heard: Effect.async<void>((resume) => {
          if (heard) resume(Effect.void)
          else wake = () => resume(Effect.void)
        }),
        stop: () => {
          listeners.delete(hear)
        },
      }
    },
  }
}
