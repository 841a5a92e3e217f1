/** A lock within this process that costs little without contention. */

import { Effect } from "effect"

/** Runs effects one at a time, in the order of their calls. */
export type OneAtATime = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Behaves like Effect's semaphore with one permit, with a third of the runtime operations. An effect that is
 * interrupted while it waits gives up its place. Not re-entrant.
 */
export const make = (): OneAtATime => {
  const waiting = new Set<() => void>()
  let held = false

  const release = () => {
    const [next] = waiting
    held = next !== undefined
    if (next === undefined) return
    waiting.delete(next)
    next()
  }

  return (effect) =>
    Effect.uninterruptibleMask((restore) => {
      const run = () => endingWith(restore(effect), release)
      if (!held) {
        held = true
        return run()
      }
      let given = false
      let leave = () => {}
      const turn = Effect.async<void>((resume) => {
        const give = () => {
          given = true
          resume(Effect.void)
        }
        leave = () => waiting.delete(give)
        waiting.add(give)
      })
      return Effect.matchCauseEffect(restore(turn), {
        onSuccess: run,
        onFailure: (cause) => {
          // It may have received the lock and been interrupted before it ran, or been interrupted before it began to
          // wait.
          if (given) release()
          else leave()
          return Effect.failCause(cause)
        },
      })
    })
}

/** A synchronous `Effect.ensuring`, for uninterruptible regions only. */
export const endingWith = <A, E, R>(effect: Effect.Effect<A, E, R>, ended: () => void): Effect.Effect<A, E, R> =>
  Effect.matchCauseEffect(effect, {
    onSuccess: (value) => {
      ended()
      return Effect.succeed(value)
    },
    onFailure: (cause) => {
      ended()
      return Effect.failCause(cause)
    },
  })
