/** Runs effects concurrently, on paths that every step of an agent takes. */

import { Effect, Exit, Fiber } from "effect"

/**
 * Returns the results in the items' order. If one fails, interrupts the others and fails. `Effect.forEach` with
 * `concurrency: "unbounded"` takes twice the runtime operations; this one has no fiber apart from those of the items,
 * and their changes of fiber references stay in them.
 */
export const forEach = <A, B, E>(
  items: ReadonlyArray<A>,
  run: (item: A) => Effect.Effect<B, E>,
): Effect.Effect<ReadonlyArray<B>, E> => {
  const [only] = items
  // A fiber of its own costs as much as the rest of a reading.
  if (only !== undefined && items.length === 1) return Effect.map(run(only), (answer) => [answer])
  return Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      Effect.forEach(items, (item) => Effect.fork(restore(Effect.suspend(() => run(item))))),
      (fibers) =>
        Effect.matchCauseEffect(restore(allOf(fibers)), {
          onSuccess: Effect.succeed,
          onFailure: (cause) => Effect.zipRight(Fiber.interruptAll(fibers), Effect.failCause(cause)),
        }),
    ),
  )
}

const allOf = <A, E>(fibers: ReadonlyArray<Fiber.RuntimeFiber<A, E>>): Effect.Effect<ReadonlyArray<A>, E> =>
  Effect.async((resume) => {
    const answers: Array<A> = []
    let left = fibers.length
    if (left === 0) resume(Effect.succeed(answers))
    for (const [index, fiber] of fibers.entries()) {
      fiber.addObserver((exit) => {
        if (Exit.isFailure(exit)) return resume(Effect.failCause(exit.cause))
        answers[index] = exit.value
        left -= 1
        if (left === 0) resume(Effect.succeed(answers))
      })
    }
  })
