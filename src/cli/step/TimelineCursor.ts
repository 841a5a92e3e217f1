import { Effect, Option, Stream } from "effect"
import { EventLog, type Query } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as Predicate from "../../kernel/rules/Predicate.ts"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as EventFilter from "../../projections/timetravel/EventFilter.ts"
import * as Path from "../../projections/timetravel/Path.ts"
import { paths } from "../../projections/timetravel/Predicate.ts"
import * as PredicateTransitions from "../../projections/timetravel/PredicateTransitions.ts"
import * as TimelineHistory from "../../projections/timetravel/TimelineHistory.ts"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import * as ValueChanges from "../../projections/timetravel/ValueChanges.ts"
import type { Json } from "../../values/Json.ts"
import * as PatchLines from "../pages/time/PatchLines.ts"
import type { Direction, Frame } from "./Session.ts"

/** A timeline under a reading head: what stands at a position, and where the next of something is. */
export interface TimelineCursor {
  readonly past: TimelineHistory.TimelineHistory
  readonly head: number
}

/** The tape of a timeline, up to the log's head as it is now. */
export const of = (timeline: string) =>
  Effect.gen(function* (): Effect.fn.Return<
    TimelineCursor,
    Effect.Effect.Error<ReturnType<typeof TimelineHistory.of>>,
    EventLog | Projector
  > {
    const log = yield* EventLog
    const past = yield* TimelineHistory.of(log, yield* Projector, timeline)
    return { past, head: (yield* log.head).position }
  })

/** What stands at a position. */
export const frameAt = ({ past }: TimelineCursor, position: number) =>
  Effect.gen(function* () {
    const [event] = position === 0 ? [] : yield* past.readPage({ after: position - 1, until: position }, 1)
    const state: Json = yield* past.stateAt(position)
    if (event === undefined) return { position, event: null, state, changes: [], causes: [] } satisfies Frame
    const before: Json = yield* past.stateAt(position - 1)
    const differences = JsonPatch.diff(before, state).map((operation) => ({ ...operation, event: position }))
    const causes = yield* (yield* TimeTravel).why(event.id)
    return { position, event, state, changes: PatchLines.withBefore(before, differences), causes } satisfies Frame
  })

/** Which events are stepped through. */
export type Which = Pick<Query, "taskId" | "types">

/** The position of the event that is so many steps away, or of the last one on that way; none where there is none. */
export const step = (tape: TimelineCursor, from: number, direction: Direction, which: Which, steps: number) =>
  Effect.gen(function* () {
    const passed = yield* direction === "forward"
      ? tape.past.readPage({ ...which, after: from, until: tape.head }, steps)
      : eventsBefore(tape, from, which, steps)
    const reached = direction === "forward" ? passed.at(-1) : passed.at(-steps)
    return Option.fromNullable((reached ?? passed[0])?.position)
  })

/** Positions that are looked at first, and how many times more each next stretch has. */
const FIRST_STRETCH = 200
const GROWTH = 8

/** The events before a position: as many as are asked for, or more, or all there are; oldest first. */
const eventsBefore = ({ past }: TimelineCursor, position: number, which: Which, count: number) =>
  Effect.gen(function* () {
    const found: Array<Event> = []
    let until = position - 1
    for (let length = FIRST_STRETCH; until > 0 && found.length < count; length *= GROWTH) {
      const after = Math.max(0, until - length)
      const stretch: Array<Event> = []
      yield* Pages.forEach(
        past.readPage,
        { ...which, after, until },
        (page) => void stretch.push(...page.slice(-count)),
      )
      found.unshift(...stretch.slice(-count))
      until = after
    }
    return found
  })

/** The position of the next change of the value at a path, or of the last one before. */
export const change = ({ past, head }: TimelineCursor, from: number, direction: Direction, path: string) =>
  Effect.gen(function* () {
    const parsed = yield* Path.parse(path)
    const stepOver = yield* direction === "forward"
      ? Stream.runHead(ValueChanges.between(past, parsed, from, head))
      : ValueChanges.last(past, parsed, from - 1)
    return Option.map(stepOver, ({ event }) => positionOf(event))
  })

/** The position at which a predicate turns true next, or did last before; for one about events, at which it holds. */
export const turn = ({ past, head }: TimelineCursor, from: number, direction: Direction, source: string) =>
  Effect.gen(function* () {
    const predicate = yield* Predicate.compile(source)
    const extent = EventFilter.ofPaths(paths(predicate))
    const turns = (after: number, until: number) =>
      Stream.unwrap(
        Effect.map(past.stateAt(after), (state) =>
          PredicateTransitions.transitions(past, { predicate }, { from: { position: after, state }, until, extent }),
        ),
      )
    if (direction === "forward") return Option.map(yield* Stream.runHead(turns(from, head)), positionOf)
    let until = from - 1
    for (let length = FIRST_STRETCH; until > 0; length *= GROWTH) {
      const after = Math.max(0, until - length)
      const found = yield* Stream.runLast(turns(after, until))
      if (Option.isSome(found)) return Option.map(found, positionOf)
      until = after
    }
    return Option.none()
  })

const positionOf = ({ position }: Event): number => position

/** The moment that a person named who looks at a timeline: one of that timeline, where its history has such a moment. */
export const moment = (text: string, timeline: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const view = Timelines.view(log, yield* Timelines.named(log, timeline))
    return yield* Effect.provideService(Moment.locate(text), EventLog, view)
  })
