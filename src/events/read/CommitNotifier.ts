/** Tells the followers of a log in this process what was committed, so that they need not ask for it. */

import { Effect } from "effect"
import type { Committed } from "../log/EventLog.ts"

/** Told of a commit: what it brought, in order; nothing where that is not known. */
export type Told = (events?: ReadonlyArray<Committed>) => void

/** Tells listeners in this process of commits. */
export interface CommitNotifier {
  readonly notify: Told
  /** Calls a function at each commit, until the returned one is called. */
  readonly listen: (told: Told) => () => void
}

/**
 * Makes a notifier.
 *
 * @param watch called when the first listener comes; what it answers with is called when the last one has gone
 */
export const make = (watch: () => () => void = () => () => {}): CommitNotifier => {
  const listeners = new Set<Told>()
  let endWatch = () => {}
  return {
    notify: (events) => {
      for (const told of listeners) told(events)
    },
    listen: (told) => {
      // Each call is a listener of its own, also with the same function.
      const listener: Told = (events) => told(events)
      if (listeners.size === 0) endWatch = watch()
      listeners.add(listener)
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) endWatch()
      }
    },
  }
}

/** Commits that concern somebody who waits for them. */
export interface Awaited {
  /** Waits for the next one. One that came between two waits ends the second one at once, also where the first was interrupted. */
  readonly committed: Effect.Effect<void>
  /** Ends listening. */
  readonly end: () => void
}

/** Listens for commits that somebody waits for, or of which it is not known what they brought. */
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
      // Who waits next is told, not who has gone.
      wake = () => {}
    })
  })
  return { committed, end }
}
