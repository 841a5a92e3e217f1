/** A command's turn at its lane, which it gives back while it waits for its next attempt. */

import { Effect } from "effect"
import type { CommandQueue, Slot } from "./CommandQueue.ts"

export interface QueueTurn {
  /** Gives the turn back during a wait, and then waits for another one, behind commands that wait already. */
  readonly apart: <A, E>(wait: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Gives the turn back, if the command has one. */
  readonly end: Effect.Effect<void>
}

/** @param giveBack gives back the turn that the command has */
export const make = (
  queue: Pick<CommandQueue, "enqueue">,
  slot: Omit<Slot, "place">,
  giveBack: Effect.Effect<void>,
): QueueTurn => {
  let held = giveBack
  const end = Effect.suspend(() => {
    const back = held
    held = Effect.void
    return back
  })
  return {
    end,
    apart: (wait) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          yield* end
          const result = yield* restore(wait)
          const place = yield* queue.enqueue(slot)
          held = place.giveBack
          yield* restore(place.given)
          return result
        }),
      ),
  }
}
