/** Reports how Hindcast understood the times on a command line: by which clock, and as which event. */
import { Effect, FiberRef } from "effect"
import * as TimeSearch from "../../events/read/TimeSearch.ts"

const found = FiberRef.unsafeMake<Array<TimeSearch.FoundTime>>([])

/** Runs a command. Calls `tell` once for each time that the command looks up. */
export const following = <A, E, R>(
  command: Effect.Effect<A, E, R>,
  tell: (sentence: string) => Effect.Effect<void>,
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const times: Array<TimeSearch.FoundTime> = []
    const take = (time: TimeSearch.FoundTime) =>
      Effect.suspend(() => {
        if (times.some(({ asked, position }) => asked === time.asked && position === time.position)) return Effect.void
        times.push(time)
        return tell(TimeSearch.describe(time))
      })
    return command.pipe(Effect.locally(found, times), Effect.locally(TimeSearch.onFound, take))
  })

/** Adds `times` to a command's document: the times that the command looked up. */
export const inDocument = (document: unknown): Effect.Effect<unknown> =>
  Effect.map(FiberRef.get(found), (times) =>
    times.length === 0 || typeof document !== "object" || document === null || Array.isArray(document)
      ? document
      : { ...document, times },
  )
