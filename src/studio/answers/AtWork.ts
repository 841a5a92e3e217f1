/** Agents that an order lets work: it is answered with what they begin with, and they go on. */

import { Effect, Fiber, Stream } from "effect"
import { CaughtUp } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Begun } from "../Allowed.ts"

/**
 * Waits for the event with which an agent begins; or fails with why it was refused, which never begins. One that was quick may have ended.
 *
 * @param coming events, from before the agent began
 */
export const untilBegun = <E>(
  working: Begun,
  coming: Stream.Stream<Event | CaughtUp, E>,
  isIt: (event: Event) => boolean = () => true,
) =>
  Effect.raceFirst(
    coming.pipe(
      Stream.filter((next): next is Event => !(next instanceof CaughtUp) && isIt(next)),
      Stream.runHead,
    ),
    Effect.zipRight(Fiber.join(working.fiber), Effect.never),
  ).pipe(
    // Also where the client goes away before that.
    Effect.ensuring(working.leave),
  )
