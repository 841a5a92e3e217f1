/** Compares the states at two positions, possibly on two timelines, and names the event behind each change. */

import { Effect, Stream } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import type { PositionOutOfRange } from "../../events/read/Moment.ts"
import type { PatchOperation } from "../../events/vocabulary/Sensing.ts"
import { type Json, pointerKeys } from "../../values/Json.ts"
import * as JsonPatch from "../patch/JsonPatch.ts"
import * as JsonPointer from "../patch/JsonPointer.ts"
import * as EventFilter from "./EventFilter.ts"
import * as PathWatch from "./PathWatch.ts"
import { scan, sharedBy, type TimelineHistory } from "./TimelineHistory.ts"

/** A JSON Patch operation with the position of the event that caused it. */
export type Difference = PatchOperation & { readonly event: number }

export interface DiffSide {
  readonly past: TimelineHistory
  readonly position: number
}

/**
 * Returns the patch from the state at `a` to the state at `b`. Each operation names the last event that changed the
 * value at its path between the last position that both histories share and `b`. Without such an event, it names the
 * last one between there and `a`, which the operation undoes.
 */
export const between = (
  a: DiffSide,
  b: DiffSide,
): Effect.Effect<ReadonlyArray<Difference>, PositionOutOfRange | LogError> =>
  Effect.gen(function* () {
    const before = yield* a.past.stateAt(a.position)
    const after = yield* b.past.stateAt(b.position)
    const operations = JsonPatch.diff(before, after).map((operation) => ({
      operation,
      caused: stablePath(before, after, operation.path),
    }))
    const paths = operations.map(({ caused }) => caused)
    if (paths.length === 0) return []

    const divergence = Math.min(sharedBy(a.past, b.past), a.position, b.position)
    const changesUpTo = ({ past, position }: DiffSide) =>
      Effect.gen(function* () {
        const causes = PathWatch.make(paths)
        if (position === divergence) return causes
        const from = { position: divergence, state: yield* past.stateAt(divergence) }
        const scanRange = { from, until: position, filter: EventFilter.ofPaths(paths) }
        yield* Stream.runDrain(
          scan(past, scanRange, (event, change) => change && causes.observe(change.before, change.after, event)),
        )
        return causes
      })
    const [undone, done] = [yield* changesUpTo(a), yield* changesUpTo(b)]
    return operations.flatMap(({ operation, caused }): ReadonlyArray<Difference> => {
      const event = done.lastChange(caused) ?? undone.lastChange(caused)
      // The values at `caused` differ, so an event after the point of divergence changed one of them.
      return event === undefined ? [] : [{ ...operation, event: event.position }]
    })
  })

/** The longest prefix of a path that denotes the same place in both states: it stops at a list whose length differs. */
const stablePath = (a: Json, b: Json, path: string): string => {
  const keys = pointerKeys(path)
  for (let depth = 0; depth < keys.length; depth++) {
    const parent = keys.slice(0, depth)
    const [inA, inB] = [JsonPointer.valueAt(a, parent), JsonPointer.valueAt(b, parent)]
    if (JsonPatch.isArray(inA) && JsonPatch.isArray(inB) && inA.length !== inB.length) return JsonPointer.write(parent)
  }
  return path
}
