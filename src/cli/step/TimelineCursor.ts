/**
 * Reads a timeline for `hindcast step`: the data at a position, and the next or previous event, change or predicate
 * match.
 */

import { Effect, Option, Stream } from "effect"
import { EventLog, type Query } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import * as StepPosition from "../../events/steps/StepPosition.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as Predicate from "../../kernel/rules/Predicate.ts"
import * as AnnotationList from "../../projections/annotations/AnnotationList.ts"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as EnvironmentState from "../../projections/state/EnvironmentState.ts"
import * as PluginRegistry from "../../projections/state/PluginRegistry.ts"
import * as Worlds from "../../projections/state/Worlds.ts"
import * as EventFilter from "../../projections/timetravel/EventFilter.ts"
import * as Path from "../../projections/timetravel/Path.ts"
import { paths } from "../../projections/timetravel/Predicate.ts"
import * as PredicateReads from "../../projections/timetravel/PredicateReads.ts"
import * as PredicateTransitions from "../../projections/timetravel/PredicateTransitions.ts"
import * as TimelineHistory from "../../projections/timetravel/TimelineHistory.ts"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import * as ValueChanges from "../../projections/timetravel/ValueChanges.ts"
import * as EventKind from "../../studio/course/EventKind.ts"
import type { Json } from "../../values/Json.ts"
import * as PatchLines from "../pages/time/PatchLines.ts"
import type { Direction, ShownMoment } from "./Session.ts"

export interface TimelineCursor {
  readonly history: TimelineHistory.TimelineHistory
  readonly head: number
}

export const of = (timeline: string) =>
  Effect.gen(function* (): Effect.fn.Return<
    TimelineCursor,
    Effect.Effect.Error<ReturnType<typeof TimelineHistory.of>>,
    EventLog | Projector
  > {
    const log = yield* EventLog
    const history = yield* TimelineHistory.of(log, yield* Projector, timeline)
    return { history, head: (yield* log.head).position }
  })

export const momentAt = ({ history }: TimelineCursor, position: number) =>
  Effect.gen(function* () {
    const [event] = position === 0 ? [] : yield* history.readPage({ after: position - 1, until: position }, 1)
    const state = yield* history.stateAt(position)
    if (event === undefined)
      return {
        position,
        event: null,
        state,
        worlds: [],
        changes: [],
        causes: [],
        annotations: [],
      } satisfies ShownMoment
    const worlds = yield* worldsAt(history.timeline, state, event)
    const before: Json = yield* history.stateAt(StepPosition.before(position))
    const differences = JsonPatch.diff(before, state).map((operation) => ({ ...operation, event: position }))
    const causes = yield* (yield* TimeTravel).why(event.id)
    const annotations = yield* AnnotationList.ofEvent(yield* EventLog, position)
    return {
      position,
      event,
      state,
      worlds,
      changes: PatchLines.withBefore(before, differences),
      causes,
      annotations,
    } satisfies ShownMoment
  })

/** The worlds that an event can concern: its task's, and those that all tasks share. */
const worldsAt = (timeline: string, state: EnvironmentState.EnvironmentState, { position, taskId }: Event) =>
  Effect.gen(function* () {
    const scopes = [...(taskId === null ? [] : [EnvironmentState.taskScope(state, taskId)]), state.shared]
    if (scopes.every(({ environment }) => Object.keys(environment).length === 0)) return []
    const projector = yield* (yield* Projector).on(timeline)
    const registry = yield* projector.stateAt(PluginRegistry.projection, position)
    return scopes.flatMap((scope) => Worlds.worldsOf(scope, registry))
  })

export type StepFilter = Pick<Query, "taskId" | "types">

/** The events around a position and at it: at most `count` before it, and as many after it. */
export const around = (cursor: TimelineCursor, position: number, which: StepFilter, count: number) =>
  Effect.gen(function* () {
    const before = yield* eventsUpTo(cursor, position, which, count + 1)
    const after = yield* cursor.history.readPage({ ...which, after: position, until: cursor.head }, count)
    return [...before, ...after]
  })

/** The position of the next or previous event that reports a failure, a denial or an unknown outcome. */
export const failure = (cursor: TimelineCursor, from: number, direction: Direction, { taskId }: StepFilter) =>
  Effect.gen(function* () {
    const which = { ...(taskId === undefined ? {} : { taskId }), types: EventKind.MAYBE_BAD }
    if (direction === "forward") {
      for (let after = from; ; ) {
        const page = yield* cursor.history.readPage({ ...which, after, until: cursor.head }, FIRST_RANGE)
        const found = page.find(EventKind.isBad)
        const last = page.at(-1)
        if (found !== undefined || last === undefined) return Option.map(Option.fromNullable(found), positionOf)
        after = last.position
      }
    }
    let until = StepPosition.before(from)
    for (let length = FIRST_RANGE; until > 0; length *= GROWTH) {
      const after = Math.max(0, until - length)
      let found: Event | undefined
      yield* Pages.forEach(cursor.history.readPage, { ...which, after, until }, (page) => {
        found = page.findLast(EventKind.isBad) ?? found
      })
      if (found !== undefined) return Option.some(found.position)
      until = after
    }
    return Option.none<number>()
  })

/** The position of the event `steps` events away, or of the last one in that direction. None if there is no event. */
export const step = (cursor: TimelineCursor, from: number, direction: Direction, which: StepFilter, steps: number) =>
  Effect.gen(function* () {
    const passed = yield* direction === "forward"
      ? cursor.history.readPage({ ...which, after: from, until: cursor.head }, steps)
      : eventsUpTo(cursor, StepPosition.before(from), which, steps)
    const reached = direction === "forward" ? passed.at(-1) : passed.at(-steps)
    return Option.fromNullable((reached ?? passed[0])?.position)
  })

/** A backward search first reads this many positions. Each following range grows by the factor. */
const FIRST_RANGE = 200
const GROWTH = 8

/** The last `count` events up to a position and at it, oldest first, or all of them. */
const eventsUpTo = ({ history }: TimelineCursor, position: number, which: StepFilter, count: number) =>
  Effect.gen(function* () {
    const found: Array<Event> = []
    let until = position
    for (let length = FIRST_RANGE; until > 0 && found.length < count; length *= GROWTH) {
      const after = Math.max(0, until - length)
      const range: Array<Event> = []
      yield* Pages.forEach(
        history.readPage,
        { ...which, after, until },
        (page) => void range.push(...page.slice(-count)),
      )
      found.unshift(...range.slice(-count))
      until = after
    }
    return found.slice(-count)
  })

export const change = ({ history, head }: TimelineCursor, from: number, direction: Direction, path: string) =>
  Effect.gen(function* () {
    const parsed = yield* Path.parse(path)
    const nextChange = yield* direction === "forward"
      ? Stream.runHead(ValueChanges.between(history, parsed, from, head))
      : ValueChanges.last(history, parsed, from - 1)
    return Option.map(nextChange, ({ event }) => positionOf(event))
  })

/**
 * The position at which a predicate next becomes true, or last became true before; for a predicate about events, the
 * position of a matching event. Fails if the predicate reads a path that never existed.
 */
export const transition = ({ history, head }: TimelineCursor, from: number, direction: Direction, source: string) =>
  Effect.gen(function* () {
    const reads = PredicateReads.observe(yield* Predicate.compile(source))
    const { predicate } = reads
    const filter = EventFilter.ofPaths(paths(predicate))
    const transitions = (after: number, until: number) =>
      Stream.unwrap(
        Effect.map(history.stateAt(after), (state) =>
          PredicateTransitions.transitions(
            history,
            { predicate },
            { from: { position: after, state }, until, filter: filter },
          ),
        ),
      )
    if (direction === "forward") {
      const found = yield* Stream.runHead(transitions(from, head))
      if (Option.isNone(found)) yield* reads.check(history, { after: 0, until: head })
      return Option.map(found, positionOf)
    }
    let until = from - 1
    for (let length = FIRST_RANGE; until > 0; length *= GROWTH) {
      const after = Math.max(0, until - length)
      const found = yield* Stream.runLast(transitions(after, until))
      if (Option.isSome(found)) return Option.map(found, positionOf)
      until = after
    }
    yield* reads.check(history, { after: 0, until: head })
    return Option.none()
  })

const positionOf = ({ position }: Event): number => position

/** The moment that `text` names, on this timeline if its history contains it. */
export const moment = (text: string, timeline: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const view = Timelines.view(log, yield* Timelines.named(log, timeline))
    return yield* Effect.provideService(Moment.locate(text), EventLog, view)
  })
