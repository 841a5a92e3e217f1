/** Notifies the followers of a log in this process of commits, so that they need not poll for them. */

import { Effect } from "effect"

/** Notifies subscribers in this process of commits. */
export interface CommitNotifier {
  readonly announce: () => void
  /** Subscribes to the next commit after this call. */
  readonly listen: () => Listening
}

/** A subscription to one commit. */
export interface Listening {
  /** Succeeds at the first commit since the subscription began. */
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
