/** A lock within this process that costs little where nobody waits for it. */

import { Effect } from "effect"

/** Runs effects one at a time, in the order in which they came. */
export type OneAtATime = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Makes a lock. It is what a semaphore with one permit is, for paths that every step of an agent takes: a semaphore of
 * Effect's takes three times as many operations of its runtime. An effect that is interrupted while it waits gives up its
 * place. It is not re-entrant.
 */
export const make = (): OneAtATime => {
  const waiting = new Set<() => void>()
  let held = false

  /** Hands the lock to the one that came first, if any waits. */
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
          // It may have been given the lock and interrupted before it went on, or interrupted before it began to wait.
          if (given) release()
          else leave()
          return Effect.failCause(cause)
        },
      })
    })
}

/**
 * Calls a function when an effect has ended, however it did: `Effect.ensuring` for what is done at once. To be used where
 * the caller cannot be interrupted.
 */
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
