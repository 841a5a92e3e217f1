import { Effect } from "effect"

/** How many turns of the event loop others got while an effect ran. */
export const turnsDuring = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<number, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const seen = { turns: 0, next: setImmediate(() => turn()) }
      const turn = () => {
        seen.turns++
        seen.next = setImmediate(turn)
      }
      return seen
    }),
    (seen) => Effect.map(effect, () => seen.turns),
    (seen) => Effect.sync(() => clearImmediate(seen.next)),
  )
