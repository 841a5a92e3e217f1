/** Answers `/api/chunk`. */

import { Data, Effect, Either, Schema } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import type { PositionOutOfRange } from "../../events/read/Moment.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as EnvironmentState from "../../projections/state/EnvironmentState.ts"
import type { TimelineHistory } from "../../projections/timetravel/TimelineHistory.ts"
import { type Json, valueAt } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as View from "../../views/View.ts"
import * as Entries from "../course/Entries.ts"
import * as ScopeCourse from "../course/ScopeCourse.ts"
import * as Writers from "../course/Writers.ts"
import { Drawing } from "../drawing/Drawing.ts"
import * as DrawingCode from "../drawing/DrawingCode.ts"
import { StudioLog } from "../StudioLog.ts"
import { CHUNK, type CourseSlice, type WorldView } from "../wire/CourseSlice.ts"
import * as Query from "./Query.ts"

export const SliceQuery = Schema.Struct({
  timeline: Query.Timeline,
  task: Query.OptionalText,
  number: Schema.optionalWith(Query.wholeNumber(0, Number.MAX_SAFE_INTEGER), { exact: true }),
  at: Schema.optionalWith(Query.wholeNumber(0, Number.MAX_SAFE_INTEGER), { exact: true }),
}).pipe(
  Schema.filter(({ number, at }) =>
    (number === undefined) === (at === undefined) ? "expected one of number and at" : undefined,
  ),
)

export class ChunkNotFound extends Data.TaggedError("ChunkNotFound")<{
  readonly number: number
  readonly last: number
}> {
  override get message() {
    return `There is no chunk ${this.number}: expected one from 0 to ${this.last}.`
  }
}

export const slice = ({ timeline, task, number, at = 0 }: typeof SliceQuery.Type) =>
  Effect.gen(function* () {
    const past = yield* (yield* StudioLog).past(timeline)
    return task === undefined
      ? yield* ofTimeline(past, number ?? Math.floor(Math.max(0, at - 1) / CHUNK))
      : yield* ofTask(past, task, (before) => number ?? Math.floor(before(at) / CHUNK))
  })

type Change = PositionOutOfRange | LogError

const ofTask = (past: TimelineHistory, taskId: string, choose: (before: (at: number) => number) => number) =>
  Effect.gen(function* () {
    const studio = yield* StudioLog
    const outline = yield* studio.outline(past, taskId)
    const lastChunk = Math.floor((outline.length - 1) / CHUNK)
    const number = choose((at) => Math.min(outline.countBefore(at), outline.length - 1))
    if (number > lastChunk) return yield* new ChunkNotFound({ number, last: lastChunk })
    const offset = number * CHUNK
    const after = (outline.positions[offset] ?? 1) - 1
    const until = outline.positions[offset + CHUNK - 1] ?? outline.last
    const events = yield* past.readPage({ taskId, after, until, whole: true }, CHUNK)
    const own = yield* at(past, taskId, after)
    const shared = yield* at(past, null, after)
    const beside = yield* past.readPage(
      { taskId: null, types: EnvironmentState.TYPES, after, until, whole: true },
      MAX_ASIDE,
    )
    return yield* sliceOf(past, [shared, own], events, {
      task: taskId,
      number,
      offset,
      full: events.length === CHUNK,
      aside: ScopeCourse.fold(shared, beside).changed,
    })
  })

/** Maximum number of events within a task's chunk that change `/shared`. */
const MAX_ASIDE = 5_000

const ofTimeline = (past: TimelineHistory, number: number) =>
  Effect.gen(function* () {
    const { position: head } = yield* (yield* EventLog).head
    const lastChunk = Math.max(0, Math.floor((head - 1) / CHUNK))
    if (number > lastChunk) return yield* new ChunkNotFound({ number, last: lastChunk })
    const [after, until] = [number * CHUNK, (number + 1) * CHUNK]
    const events = yield* past.readPage({ after, until, whole: true }, CHUNK)
    const scopes = yield* Effect.forEach([null, ...tasksOf(events)], (taskId) => at(past, taskId, after))
    return yield* sliceOf(past, scopes, events, {
      task: null,
      number,
      offset: after,
      full: head >= until,
      aside: [],
    })
  })

const tasksOf = (events: ReadonlyArray<Event>): ReadonlyArray<string> => [
  ...new Set(events.flatMap(({ taskId }) => (taskId === null ? [] : [taskId]))),
]

const at = (
  past: TimelineHistory,
  taskId: string | null,
  position: number,
): Effect.Effect<ScopeCourse.ScopeState, Change, StudioLog> =>
  Effect.gen(function* () {
    const scope = yield* (yield* StudioLog).scope(past, taskId)
    return yield* scope.at(position)
  })

/** Builds a chunk from its events and the scopes before it, the shared one first. */
const sliceOf = (
  past: TimelineHistory,
  scopes: ReadonlyArray<ScopeCourse.ScopeState>,
  events: ReadonlyArray<Event>,
  rest: Pick<CourseSlice, "task" | "number" | "offset" | "full" | "aside">,
) =>
  Effect.gen(function* () {
    const state = merged(scopes)
    const { changed } = ScopeCourse.fold({ position: 0, state, writers: Writers.none }, events)
    const changesAt = new Map(changed.map(({ position, changes }) => [position, changes]))
    const written = Object.assign({}, ...scopes.map(({ writers }) => Writers.listed(writers, "")))
    return {
      timeline: past.timeline,
      ...rest,
      state,
      written,
      views: yield* viewsOf(past, state, events),
      entries: yield* Entries.of(yield* EventLog, events, changesAt),
    } satisfies CourseSlice
  })

const merged = ([shared, ...tasks]: ReadonlyArray<ScopeCourse.ScopeState>): EnvironmentState.EnvironmentState => {
  const scopes: SafeRecord.Own<EnvironmentState.TaskScope> = {}
  for (const { state } of tasks) {
    for (const [taskId, scope] of Object.entries(state.tasks)) SafeRecord.put(scopes, taskId, scope)
  }
  return { shared: (shared?.state ?? EnvironmentState.projection.initial).shared, tasks: scopes }
}

/** The views of plugins with a world in the state or the events, from their manifests at that time. */
const viewsOf = (
  past: TimelineHistory,
  state: EnvironmentState.EnvironmentState,
  events: ReadonlyArray<Event>,
): Effect.Effect<ReadonlyArray<WorldView>, LogError> =>
  Effect.gen(function* () {
    const [first, last] = [events[0], events.at(-1)]
    if (first === undefined || last === undefined) return []
    const plugins = new Set(
      [state.shared, ...Object.values(state.tasks)].flatMap((scope) => Object.keys(scope.environment)),
    )
    for (const event of events) if (is(event, "EnvironmentReset")) plugins.add(event.payload.plugin)
    if (plugins.size === 0) return []
    const views: Array<WorldView> = []
    const imports = yield* past.readPage({ types: ["PluginImported"], until: last.position }, MAX_IMPORTS)
    for (const event of imports) {
      if (!is(event, "PluginImported") || !plugins.has(event.payload.plugin)) continue
      const { plugin, manifest, digest } = event.payload
      // Before the chunk, only the last imported version of each plugin matters.
      const before = views.findIndex((view) => view.plugin === plugin && event.position <= first.position)
      if (before >= 0) views.splice(before, 1)
      const code = DrawingCode.fileIn(manifest) === undefined ? null : { digest, ...NOT_DRAWN }
      views.push({ plugin, from: event.position, view: viewIn(manifest), code })
    }
    const { codeOf } = yield* Drawing
    return yield* Effect.forEach(
      views.filter(({ view, code }) => view !== null || code !== null),
      (view) =>
        view.code === null
          ? Effect.succeed(view)
          : Effect.map(codeOf(view.plugin, view.code.digest), (code) => ({ ...view, code })),
    )
  })

const NOT_DRAWN = { frame: null, problem: null }

const MAX_IMPORTS = 1_000

const viewIn = (manifest: Json): Json | null => {
  const view = valueAt(manifest, ["peas", "environment", "view"])
  return view !== undefined && Either.isRight(View.decode(view)) ? view : null
}
