/** Finds the tasks to score. */

import { Data, Effect, Schema } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { SLICE_MS, yieldToEventLoop } from "../../platform/yieldToEventLoop.ts"
import * as AnnotationList from "../../projections/annotations/AnnotationList.ts"
import { TaskNotFound } from "../../projections/audit/TaskAudit.ts"
import { begin } from "../../projections/fold/Projection.ts"
import * as OwnWork from "../../projections/state/files/OwnWork.ts"
import * as TaskClock from "../../projections/state/TaskClock.ts"
import * as Tasks from "../../projections/state/Tasks.ts"
import { defined } from "../../values/defined.ts"
import * as TaskFilter from "./TaskFilter.ts"

/** No task matches the selection. */
export class NoTaskSelected extends Data.TaggedError("NoTaskSelected")<{
  readonly log: string
  /** Number of candidates: all closed tasks, or the named ones. */
  readonly among: number
  /** Number of open tasks. Default: 0. */
  readonly open?: number
}> {
  override get message() {
    const { open = 0 } = this
    const found = open === 0 ? "none" : `${open} open`
    const ends =
      open === 0
        ? ""
        : " A session without an end in its file counts as ended after an hour of silence, at its next import."
    return this.among === 0
      ? `${this.log}: expected a closed task to score, found ${found}.${ends} \`hindcast task ls\` lists the tasks; an open task is scored only if it is named.`
      : `Expected a task that matches the selection, found none among ${this.among}. \`hindcast task ls\` lists the tasks; change the selection.`
  }
}

/** Which tasks to score. */
export interface TaskSelection {
  /** Ids. Default: every closed task that is not Hindcast's own work (`OwnWork`). Duplicates count once. */
  readonly tasks?: ReadonlyArray<string>
  readonly select?: TaskFilter.TaskFilter
}

/** Schemas of the fields of `TaskSelection`. */
export const selectionFields = { tasks: Schema.Array(Schema.String), select: TaskFilter.TaskFilter }

/**
 * The tasks of a log, folded from the few events that open and close them. Commands count as steps only if an
 * expression may read them.
 */
export const tasks = (log: EventLog.Service, until: number, { select }: TaskSelection = {}) => {
  const builder = begin(Tasks.projection, Tasks.projection.initial)
  const types = [
    "TaskOpened",
    "TaskResumed",
    "TaskClosed",
    "TimelineForked",
    ...(select?.where === undefined ? [] : ["ActuatorCommanded"]),
  ]
  return Pages.forEach(log.readPage, { types, until, timeline: log.timeline }, (page) => {
    for (const event of page) builder.apply(event)
  }).pipe(Effect.map(() => builder.state()))
}

export const of = (
  log: EventLog.Service,
  known: Tasks.Tasks,
  { tasks, select }: TaskSelection,
): Effect.Effect<ReadonlyArray<string>, TaskNotFound | TaskFilter.SelectionInvalid | NoTaskSelected | LogError> =>
  Effect.gen(function* () {
    const theirs = Object.entries(known).filter(([, task]) => !OwnWork.isOwn(task))
    const closed = theirs.flatMap(([id, { outcome }]) => (outcome === null ? [] : [id]))
    const taskIds = [...new Set(tasks ?? closed)]
    const unknown = taskIds.find((id) => !Object.hasOwn(known, id))
    if (unknown !== undefined) return yield* new TaskNotFound({ taskId: unknown })
    const fits = select === undefined ? undefined : yield* fitting(log, known, taskIds, select)
    const chosen = fits === undefined ? taskIds : taskIds.filter((id) => fits.has(id))
    if (chosen.length > 0) return chosen
    const open = theirs.length - closed.length
    return yield* new NoTaskSelected({ log: log.name, among: taskIds.length, open })
  })

const fitting = (
  log: EventLog.Service,
  known: Tasks.Tasks,
  taskIds: ReadonlyArray<string>,
  select: TaskFilter.TaskFilter,
): Effect.Effect<ReadonlySet<string>, TaskFilter.SelectionInvalid | LogError> =>
  Effect.gen(function* () {
    const matches = yield* TaskFilter.prepare(select)
    const needsOpening = select.plugins !== undefined || select.where !== undefined
    const opened = needsOpening ? yield* openings(log, new Set(taskIds)) : new Map<string, Opening>()
    const lasted = select.where === undefined ? new Map<string, number>() : yield* durations(log, known, taskIds)
    const needsTags = select.tags !== undefined || select.where !== undefined
    const tagged = AnnotationList.tagsOf(needsTags ? yield* AnnotationList.load(log) : [])
    const fits = new Set<string>()
    let startedAt = performance.now()
    for (const taskId of taskIds) {
      // An expression may use its whole budget for each task: let signals through.
      if (performance.now() - startedAt > SLICE_MS) {
        yield* yieldToEventLoop
        startedAt = performance.now()
      }
      const task = known[taskId]
      if (task === undefined) continue
      const opening = opened.get(taskId) ?? { plugins: [], seed: null }
      const durationMs = lasted.get(taskId)
      const candidate = { ...task, taskId, ...opening, ...defined({ durationMs, tags: tagged.get(taskId) }) }
      if (yield* matches(candidate)) fits.add(taskId)
    }
    return fits
  })

type Opening = Pick<TaskFilter.SelectableTask, "plugins" | "seed">

const openings = (log: EventLog.Service, taskIds: ReadonlySet<string>) => {
  const opened = new Map<string, Opening>()
  const query = { types: ["TaskOpened"], timeline: log.timeline }
  return Effect.as(
    Pages.forEach(log.readPage, query, (page) => {
      for (const event of page) {
        if (!is(event, "TaskOpened") || event.taskId === null || !taskIds.has(event.taskId)) continue
        if (!opened.has(event.taskId)) opened.set(event.taskId, openingOf(event.payload))
      }
    }),
    opened,
  )
}

/** Durations of tasks that were forked or resumed, or during which a clock changed. See `TaskClock`. */
const durations = (log: EventLog.Service, known: Tasks.Tasks, of: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const taskIds = new Set(of)
    const gone = new Set(of.filter((id) => isSetBack(known[id])))
    const { timeline } = log
    yield* Pages.forEach(
      log.readPage,
      { types: ["TimelineForked", "TaskResumed", "ClockChanged"], timeline },
      (page) => {
        for (const { taskId } of page) if (taskId !== null && taskIds.has(taskId)) gone.add(taskId)
      },
    )
    const lasted = new Map<string, number>()
    for (const taskId of gone) {
      let clock: TaskClock.TaskClock | undefined
      let ended = false
      yield* Pages.forEach(log.readPage, { taskId, timeline }, (page) => {
        for (const event of page) {
          // Events after the close are about the task.
          if (!ended) clock = clock === undefined ? TaskClock.start(event) : TaskClock.after(clock, event)
          ended ||= is(event, "TaskClosed")
        }
      })
      lasted.set(taskId, clock?.elapsedMs ?? 0)
    }
    return lasted
  })

const isSetBack = (task: Tasks.Task | undefined): boolean =>
  task !== undefined && task.closedAt !== null && task.closedAt < task.openedAt

/** Older logs name the plugins only in their measures. */
const openingOf = ({ plugins, measures, seed }: PayloadOf<"TaskOpened">): Opening => ({
  plugins: plugins ?? [...new Set(measures.map((measure) => measure.split("/")[0] ?? measure))],
  seed: seed ?? null,
})
