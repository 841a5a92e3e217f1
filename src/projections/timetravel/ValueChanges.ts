/** The changes of the value at one path: all in a range, or the last one. */

import { Effect, Option, Stream } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import type { PositionOutOfRange } from "../../events/read/Moment.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Json } from "../../values/Json.ts"
import * as JsonPatch from "../patch/JsonPatch.ts"
import * as JsonPointer from "../patch/JsonPointer.ts"
import { projection } from "../state/EnvironmentState.ts"
import * as EventFilter from "./EventFilter.ts"
import type { Path } from "./Path.ts"
import { type OnProgress, type StateChange, scan, type TimelineHistory } from "./TimelineHistory.ts"

/** A change of the value at a path. `undefined` means no value. */
export interface ValueChange {
  readonly event: Event
  readonly before: Json | undefined
  readonly value: Json | undefined
}

/** The change that an event made at a path, if any. Writing an equal value is not a change. */
export const changeAt = (
  keys: ReadonlyArray<string>,
  event: Event,
  change: StateChange | undefined,
): ValueChange | undefined => {
  if (change === undefined) return undefined
  const before = JsonPointer.valueAt(change.before, keys)
  const value = JsonPointer.valueAt(change.after, keys)
  return before === value || JsonPatch.equal(before, value) ? undefined : { event, before, value }
}

/** Streams the changes of the value at a path after one position up to another, oldest first. */
export const between = (
  past: TimelineHistory,
  { keys }: Path,
  after: number,
  until: number,
  onProgress?: OnProgress,
): Stream.Stream<ValueChange, PositionOutOfRange | LogError> => {
  const filter = EventFilter.ofPath(keys)
  if (filter === undefined) return Stream.empty
  return Stream.unwrap(
    Effect.map(stateAt(past, after), (state) =>
      scan(
        past,
        { from: { position: after, state }, until, filter },
        (event, change) => changeAt(keys, event, change),
        onProgress,
      ),
    ),
  )
}

/** A task with fewer events is read at once. */
const SMALL_TASK = 1_000

/** Positions in the first stretch, searched backwards from the end, and the growth factor of the next ones. */
const FIRST_STRETCH = 2_000
const GROWTH = 8

/**
 * Returns the last change of the value at a path up to a position; none if the value is the initial one, or never
 * existed. Reads a task with few events whole. Otherwise searches stretches of the log backwards, each from the state
 * before it: the first stretch finds recent changes, and no event is folded twice.
 */
export const last = (
  past: TimelineHistory,
  path: Path,
  until: number,
): Effect.Effect<Option.Option<ValueChange>, PositionOutOfRange | LogError> =>
  Effect.gen(function* () {
    const filter = EventFilter.ofPath(path.keys)
    if (filter === undefined) return Option.none()
    if (typeof filter.taskId === "string") {
      const events = yield* past.readPage({ until, ...filter }, SMALL_TASK)
      if (events.length < SMALL_TASK) return yield* Stream.runLast(between(past, path, 0, until))
    }
    let end = until
    for (let length = FIRST_STRETCH; end > 0; length *= GROWTH) {
      const start = Math.max(0, end - length)
      const some = yield* past.readPage({ after: start, until: end, ...filter }, 1)
      // A stretch without matching events needs no state.
      const found = some.length === 0 ? Option.none() : yield* Stream.runLast(between(past, path, start, end))
      if (Option.isSome(found)) return found
      end = start
    }
    return Option.none()
  })

/** Position 0 has the initial state and needs no fold. */
const stateAt = (past: TimelineHistory, position: number) =>
  position === 0 ? Effect.succeed(projection.initial) : past.stateAt(position)
