/** The causes of an event, up to the root. */

import { Effect, Option } from "effect"
import type { EventLog, LogError } from "../../../events/log/EventLog.ts"
import type { Event } from "../../../events/vocabulary/Event.ts"
import type { TimelineHistory } from "../TimelineHistory.ts"
import * as InferredCause from "./InferredCause.ts"

/** An event in a chain of causes: the cause of the one before it. */
export type Cause = Event & {
  /**
   * Present where no event names it as the cause: the event before it is a call of a recorded program, and it is the answer in
   * which most values of that call occur. The values may be there by chance.
   */
  readonly inferred?: true
  /** JSON Pointers of the call's arguments whose values occur in it. Present if it is inferred. */
  readonly matched?: ReadonlyArray<string>
}

/** The event, its cause, the cause's cause, and so on. */
export const of = (
  log: EventLog.Service,
  past: TimelineHistory,
  event: Event,
): Effect.Effect<ReadonlyArray<Cause>, LogError> =>
  Effect.gen(function* () {
    const left = InferredCause.allowance()
    const causeOf = (event: Event): Effect.Effect<Cause | undefined, LogError> =>
      Effect.gen(function* () {
        const named = event.causationId === null ? undefined : Option.getOrUndefined(yield* log.find(event.causationId))
        if (named === undefined || !InferredCause.beganRecording(named)) return named
        const inferred = yield* InferredCause.of(past, event, left)
        return inferred === undefined ? named : { ...inferred.event, inferred: true, matched: inferred.matched }
      })
    const chain: Array<Cause> = []
    const visited = new Set<string>()
    let next: Cause | undefined = event
    // A log should hold no cycle of causes, but a writer can name an id that it uses only later.
    while (next !== undefined && !visited.has(next.id)) {
      chain.push(next)
      visited.add(next.id)
      next = yield* causeOf(next)
    }
    return chain
  })
