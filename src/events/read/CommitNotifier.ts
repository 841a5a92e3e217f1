/** Announces commits to followers in this process, so that they need not poll. */

import { Effect } from "effect"
import type { Committed } from "../log/EventLog.ts"

/** Receives the events of a commit in order, or nothing if they are unknown. */
export type CommitListener = (events?: ReadonlyArray<Committed>) => void

export interface CommitNotifier {
  readonly notify: CommitListener
  /** Calls a function at each commit until the caller runs the returned one. */
  readonly listen: (listener: CommitListener) => () => void
}

/** @param watch runs when the first listener comes; its result runs when the last one leaves */
export const make = (watch: () => () => void = () => () => {}): CommitNotifier => {
  const listeners = new Set<CommitListener>()
  let endWatch = () => {}
  return {
    notify: (events) => {
      for (const listener of listeners) listener(events)
    },
    listen: (call) => {
      // Each call is a listener of its own, even with the same function.
      const listener: CommitListener = (events) => call(events)
      if (listeners.size === 0) endWatch = watch()
      listeners.add(listener)
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) endWatch()
      }
    },
  }
}

export interface Awaited {
  /**
   * Waits for the next commit. One that came between two waits ends the second at once, even if the first was
   * interrupted.
   */
  readonly committed: Effect.Effect<void>
  readonly end: () => void
}

/** Listens for commits with an event that `concerns` the caller, or with unknown events. */
export const awaiting = (listen: CommitNotifier["listen"], concerns: (event: Committed) => boolean): Awaited => {
  let isCommitted = false
  let wake = () => {}
  const end = listen((events) => {
    if (events !== undefined && !events.some(concerns)) return
    isCommitted = true
    wake()
  })
  const committed = Effect.async<void>((resume) => {
    wake = () => {
      if (!isCommitted) return
      isCommitted = false
      wake = () => {}
      resume(Effect.void)
    }
    wake()
    return Effect.sync(() => {
      // Wakes the next waiter instead of the one that left.
      wake = () => {}
    })
  })
  return { committed, end }
}
