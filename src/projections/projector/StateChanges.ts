/** The stream of a projection's states, one for each event that changed it. */

import { Effect, Option, Stream } from "effect"
import { CaughtUp, type EventLog, type LogError } from "../../events/log/EventLog.ts"
import type { PositionOutOfRange } from "../../events/read/Moment.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { CoreName } from "../../events/vocabulary/Vocabulary.ts"
import { applyAll, begin, type Positioned, type Projection } from "../fold/Projection.ts"

/**
 * Follows a timeline from a known state on: emits the state after the existing history, then each later one that differs
 * from the one before. `stateAt` folds again, after a subject's key was destroyed.
 */
export const after = <S>(
  log: EventLog.Service,
  projection: Projection<S>,
  start: Positioned<S>,
  stateAt: (at: number) => Effect.Effect<S, PositionOutOfRange | LogError>,
): Stream.Stream<Positioned<S>, LogError> => {
  let builder = begin(projection, start.state)
  let shown: Positioned<S> | undefined

  const show = (position: number) => {
    const state = builder.state()
    if (shown !== undefined && state === shown.state) return Option.none()
    shown = { position, state }
    return Option.some(shown)
  }
  const take = (event: Event): Effect.Effect<void, LogError> => {
    if (event.type !== SHREDDED) return Effect.sync(() => applyAll(projection, builder, [event]))
    // A key was destroyed, and all earlier events now decode differently: fold again. The event's position is
    // within its log.
    return stateAt(event.position).pipe(
      Effect.catchTag("PositionOutOfRange", (error) => Effect.die(error)),
      Effect.map((state) => {
        builder = begin(projection, state)
      }),
    )
  }
  return log.follow({ after: start.position, timeline: log.timeline }).pipe(
    Stream.mapEffect((next) =>
      next instanceof CaughtUp
        ? Effect.sync(() => show(next.position))
        : Effect.map(take(next), () => (shown === undefined ? Option.none() : show(next.position))),
    ),
    Stream.filterMap((emitted) => emitted),
  )
}

/** Records the destruction of a subject's key. */
const SHREDDED: CoreName = "PayloadShredded"
