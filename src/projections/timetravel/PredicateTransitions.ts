/** Breakpoints on the past: scans a timeline for events at which a predicate becomes true. */

import { Either, Stream } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { defined } from "../../values/defined.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as JsonPointer from "../patch/JsonPointer.ts"
import type { EnvironmentState } from "../state/EnvironmentState.ts"
import { ask, type Predicate, type PredicateFailed } from "./Predicate.ts"
import {
  definedOf,
  type OnProgress,
  pages,
  type ScanRange,
  type StateChange,
  scan,
  type TimelineHistory,
} from "./TimelineHistory.ts"
import { changeAt } from "./ValueChanges.ts"

/** A predicate, and where it is evaluated. */
export interface PredicateQuery {
  readonly predicate: Predicate
  /** Evaluates only where the value at this path changes. Default: at every change. */
  readonly keys?: ReadonlyArray<string>
}

/**
 * Emits every event at which a predicate turns from false to true. A predicate that reads the event or the position
 * counts at every event at which it holds. A predicate does not hold while its watched path has no value.
 */
export const transitions = (
  past: TimelineHistory,
  { predicate, keys }: PredicateQuery,
  range: ScanRange,
  onProgress?: OnProgress,
): Stream.Stream<Event, PredicateFailed | LogError> =>
  Stream.suspend(() => {
    if (keys === undefined && isAboutEventsAlone(predicate)) return amongEvents(past, predicate, range, onProgress)
    const live = liveState(range.from.state)
    const { mentionsEvent = false } = predicate
    const valueIn = (state: EnvironmentState) => (keys === undefined ? undefined : JsonPointer.valueAt(state, keys))
    const holds = (event: Event | null, position: number): Either.Either<boolean, PredicateFailed> => {
      const value = valueIn(live.state)
      if (keys !== undefined && value === undefined) return Either.right(false)
      return ask(predicate, { state: live.state, event, position, value })
    }
    let held = mentionsEvent ? Either.right(false) : holds(null, range.from.position)
    if (Either.isLeft(held)) return Stream.fail(held.left)

    const isMoment = (event: Event, change: StateChange | undefined) =>
      keys === undefined ? mentionsEvent || change !== undefined : changeAt(keys, event, change) !== undefined

    const visit = (
      event: Event,
      change: StateChange | undefined,
    ): Either.Either<Event, PredicateFailed> | undefined => {
      const moment = isMoment(event, change)
      if (change !== undefined) live.take(event, change)
      if (!moment) return undefined
      // The query has failed: skip the rest of the page.
      if (Either.isLeft(held)) return undefined
      const before = held
      held = holds(event, event.position)
      if (Either.isLeft(held)) return Either.left(held.left)
      const isHit = held.right && (mentionsEvent || Either.isLeft(before) || !before.right)
      return isHit ? Either.right(event) : undefined
    }
    return scan(past, range, visit, onProgress).pipe(Stream.mapEffect((hit) => hit))
  })

const isAboutEventsAlone = ({ mentionsEvent = false, reads }: Predicate): boolean =>
  mentionsEvent && reads !== undefined && reads.length === 0

/** For a predicate that reads no state: folds nothing, and reads only events of the relevant types. */
const amongEvents = (
  past: TimelineHistory,
  predicate: Predicate,
  { from: { position: after, state }, until }: ScanRange,
  onProgress?: OnProgress,
): Stream.Stream<Event, PredicateFailed | LogError> => {
  // The query has failed: skip the rest of the page.
  let failed = false
  const holdsAt = (event: Event): Either.Either<Event, PredicateFailed> | undefined => {
    if (failed) return undefined
    const answer = ask(predicate, { state, event, position: event.position, value: undefined })
    failed = Either.isLeft(answer)
    if (Either.isLeft(answer)) return Either.left(answer.left)
    return answer.right ? Either.right(event) : undefined
  }
  const { types } = predicate
  return pages(past, { after, until, ...defined({ types }) }, onProgress).pipe(
    Stream.mapEffect((page) => definedOf(page, holdsAt)),
    Stream.flattenChunks,
    Stream.mapEffect((hit) => hit),
  )
}

/** The whole environment during a scan. Mutable: copying the tasks of a long log at each event takes minutes. */
const liveState = (from: EnvironmentState) => {
  const tasks = SafeRecord.copy(from.tasks)
  const state: { shared: EnvironmentState["shared"]; readonly tasks: typeof tasks } = { shared: from.shared, tasks }
  return {
    state,
    take: ({ taskId }: Event, { after }: StateChange): void => {
      state.shared = after.shared
      const scope = taskId === null ? undefined : SafeRecord.get(after.tasks, taskId)
      if (taskId !== null && scope !== undefined) SafeRecord.put(tasks, taskId, scope)
    },
  }
}
