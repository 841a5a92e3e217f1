/** Notifies the followers of a log in this process of commits, so that they need not poll for them. */

import { Effect } from "effect"

/** Notifies subscribers in this process of commits. */
export interface CommitNotifier {
  readonly notify: () => void
  /** Subscribes to the next commit after this call. */
  readonly subscribe: () => Subscription
  /** Calls a function at each commit, until the returned one is called. */
  readonly listen: (onCommit: () => void) => () => void
}

/** A subscription to one commit. */
export interface Subscription {
  /** Succeeds at the first commit since the subscription began. */
  readonly committed: Effect.Effect<void>
  readonly unsubscribe: () => void
}

export const make = (): CommitNotifier => {
  const subscribers = new Set<() => void>()
  return {
    notify: () => {
      for (const onCommit of subscribers) onCommit()
    },
    listen: (onCommit) => {
      subscribers.add(onCommit)
      return () => {
        subscribers.delete(onCommit)
      }
    },
    subscribe: () => {
      let isCommitted = false
      let resumeWaiting: (() => void) | undefined
      const onCommit = () => {
        isCommitted = true
        resumeWaiting?.()
      }
      subscribers.add(onCommit)
      return {
        committed: Effect.async<void>((resume) => {
          if (isCommitted) resume(Effect.void)
          else resumeWaiting = () => resume(Effect.void)
        }),
        unsubscribe: () => {
          subscribers.delete(onCommit)
        },
      }
    },
  }
}
