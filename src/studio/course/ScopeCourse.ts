/**
 * The state of one scope of the environment (a task's or the shared one) at any position, with the writer of each
 * value. Folds only the scope's own events, however long the log is, and caches states on the way, so that nearby
 * moments take few events.
 */

import { Effect } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import { expanded, widened } from "../../events/read/ExpandedReads.ts"
import type { PositionOutOfRange } from "../../events/read/Moment.ts"
import * as StepPosition from "../../events/steps/StepPosition.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { applyAll } from "../../projections/fold/Projection.ts"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import { MAX_EVENTS } from "../../projections/projector/fewEvents.ts"
import * as EnvironmentState from "../../projections/state/EnvironmentState.ts"
import type { TimelineHistory } from "../../projections/timetravel/TimelineHistory.ts"
import { pointerToken } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { CHUNK, type Change } from "../wire/CourseSlice.ts"
import * as Writers from "./Writers.ts"

/** A scope after an event, as an otherwise empty environment. */
export interface ScopeState {
  readonly position: number
  readonly state: EnvironmentState.EnvironmentState
  readonly writers: Writers.Writers
}

const EMPTY: ScopeState = { position: 0, state: EnvironmentState.projection.initial, writers: Writers.none }

export interface EventChanges {
  readonly position: number
  readonly changes: ReadonlyArray<Change>
}

/** The scope after some events, and the changes of each event that changed anything. */
export interface Folded extends ScopeState {
  readonly changed: ReadonlyArray<EventChanges>
}

/** Folds whole events. The changes of steps are those of the compact event that holds them. */
export const fold = (from: ScopeState, events: ReadonlyArray<Event>): Folded => {
  const changed: Array<{ readonly position: number; readonly changes: Array<Change> }> = []
  let { writers } = from
  const builder = EnvironmentState.visiting(from.state, (before, after, event) => {
    const position = StepPosition.holder(event.position)
    const { taskId } = event
    const changes = changesOf(before, after, taskId)
    if (changes.length === 0) return
    writers = Writers.written(writers, before, after, position) ?? Writers.none
    const last = changed.at(-1)
    if (last?.position === position) last.changes.push(...changes)
    else changed.push({ position, changes: [...changes] })
  })
  applyAll(EnvironmentState.projection, builder, expanded(events))
  return { position: events.at(-1)?.position ?? from.position, state: builder.state(), writers, changed }
}

/**
 * The changes of the scope that an event belongs to. Compares this scope alone: if a patch gets too long, it replaces
 * only this scope.
 */
const changesOf = (
  before: EnvironmentState.EnvironmentState,
  after: EnvironmentState.EnvironmentState,
  taskId: string | null,
): ReadonlyArray<Change> => {
  if (taskId === null) return below("/shared", JsonPatch.diff(before.shared, after.shared))
  const path = `/tasks/${pointerToken(taskId)}`
  const [was, is] = [SafeRecord.get(before.tasks, taskId), SafeRecord.get(after.tasks, taskId)]
  if (is === undefined) return []
  return was === undefined ? [{ op: "add", path, value: is }] : below(path, JsonPatch.diff(was, is))
}

const below = (prefix: string, changes: ReadonlyArray<Change>): ReadonlyArray<Change> =>
  changes.map((change) => ({ ...change, path: `${prefix}${change.path}` }))

export interface ScopeCourse {
  /** The scope after its events up to a position. */
  readonly at: (position: number) => Effect.Effect<ScopeState, PositionOutOfRange | LogError>
  readonly size: () => number
}

/** The course of a task's scope on a timeline, or of the shared scope (null). */
export const make = (past: TimelineHistory, taskId: string | null): ScopeCourse => {
  /** Ordered by position. */
  const known: Array<ScopeState> = [EMPTY]

  const nearest = (position: number): number => {
    let index = known.length - 1
    while (index > 0 && (known[index]?.position ?? 0) > position) index -= 1
    return index
  }

  const remember = (scope: ScopeState): void => {
    const index = nearest(scope.position)
    if (known[index]?.position !== scope.position) known.splice(index + 1, 0, scope)
  }

  const at = (position: number) =>
    Effect.gen(function* () {
      let scope = known[nearest(position)] ?? EMPTY
      for (let events = 0; events < MAX_EVENTS; events += CHUNK) {
        const query = widened({
          taskId,
          types: EnvironmentState.TYPES,
          after: scope.position,
          until: position,
          whole: true,
        })
        const page = yield* past.readPage(query, CHUNK)
        scope = fold(scope, page)
        if (page.length < CHUNK) return scope
        remember({ position: scope.position, state: scope.state, writers: scope.writers })
      }
      // This far from any cached state, a snapshot of the whole state is faster. It does not know the writers.
      const jumped = { position, state: scopeOf(yield* past.stateAt(position), taskId), writers: Writers.none }
      remember(jumped)
      return jumped
    })

  return { at, size: () => known.length }
}

/** The whole environment limited to one scope. */
const scopeOf = (
  state: EnvironmentState.EnvironmentState,
  taskId: string | null,
): EnvironmentState.EnvironmentState => {
  if (taskId === null) return { shared: state.shared, tasks: {} }
  const scope = SafeRecord.get(state.tasks, taskId)
  return { ...EMPTY.state, tasks: scope === undefined ? {} : SafeRecord.set({}, taskId, scope) }
}
