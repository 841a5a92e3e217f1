/** Remaining work: signals without a task, and tasks at work. */

import { Deferred, Effect, FiberId } from "effect"

export interface Progress {
  /** A task's work begins. */
  readonly began: () => void
  /** A task's work is over. */
  readonly ended: () => void
  /** The signal at this position has found its task, or needs none. Signals are handled in order. */
  readonly handled: (position: number) => void
  /** Waits until the signals up to a position have found their tasks and no task is at work. */
  readonly idle: (until: number) => Effect.Effect<void>
}

export const make = (): Progress => {
  let atWork = 0
  let last = 0
  const waiting: Array<{ readonly until: number; readonly done: Deferred.Deferred<void> }> = []
  const isIdle = (until: number) => atWork === 0 && last >= until
  const changed = () => {
    for (const { until, done } of waiting) if (isIdle(until)) Deferred.unsafeDone(done, Effect.void)
  }
  return {
    began: () => {
      atWork += 1
    },
    ended: () => {
      atWork -= 1
      changed()
    },
    handled: (position) => {
      last = Math.max(last, position)
      changed()
    },
    idle: (until) =>
      Effect.suspend(() => {
        if (isIdle(until)) return Effect.void
        const done = Deferred.unsafeMake<void>(FiberId.none)
        waiting.push({ until, done })
        return Deferred.await(done)
      }),
  }
}
