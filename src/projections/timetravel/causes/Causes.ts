/** The causes of an event, up to the root. */

import { Effect, Option } from "effect"
import type { EventLog, LogError } from "../../../events/log/EventLog.ts"
import type { Event } from "../../../events/vocabulary/Event.ts"
import type { InferenceRule } from "../../../events/vocabulary/Inference.ts"
import type { TimelineHistory } from "../TimelineHistory.ts"
import * as Inferences from "./Inferences.ts"
import * as InferredCause from "./InferredCause.ts"

/** An event in a chain of causes: the cause of the one before it. */
export type Cause = Event & {
  /**
   * Present if the cause was inferred: by the recorder or importer of the event before it, or from that event's values.
   * Absent if it was recorded.
   */
  readonly inferred?: true
  /** The rule of the inference, which `RULES` explains. Present if it is inferred. */
  readonly rule?: InferenceRule
  /** JSON Pointers of the call's arguments whose values occur in it. Present if the rule is `values`. */
  readonly matched?: ReadonlyArray<string>
}

/** Returns the event, its cause, the cause's cause, and so on. */
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
        if (named === undefined) return undefined
        const { cause: rule } = Inferences.of(event)
        if (rule !== undefined) return { ...named, inferred: true, rule }
        if (!InferredCause.beganRecording(named)) return named
        const found = yield* InferredCause.of(past, event, left)
        return found === undefined ? named : { ...found.event, inferred: true, rule: "values", matched: found.matched }
      })
    const chain: Array<Cause> = []
    const visited = new Set<string>()
    let next: Cause | undefined = event
    // A log should have no cycle of causes, but a writer can name an id that it uses only later.
    while (next !== undefined && !visited.has(next.id)) {
      chain.push(next)
      visited.add(next.id)
      next = yield* causeOf(next)
    }
    return chain
  })
