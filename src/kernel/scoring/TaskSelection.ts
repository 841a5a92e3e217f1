import { type Context, Data, Effect, Schema } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { TaskNotFound } from "../../projections/audit/TaskAudit.ts"
import { begin } from "../../projections/fold/Projection.ts"
import * as Tasks from "../../projections/state/Tasks.ts"
import * as TaskFilter from "./TaskFilter.ts"

/** Select others: of the tasks that there are, none is meant. */
export class NoTaskSelected extends Data.TaggedError("NoTaskSelected")<{
  readonly log: string
  /** Tasks that were looked at: the closed ones, or those that were named. */
  readonly among: number
}> {
  override get message() {
    return this.among === 0
      ? `${this.log}: expected a closed task to score, found none. \`hindcast task ls\` lists the tasks; an open one is scored where it is named.`
      : `Expected a task that the selection fits, found none among ${this.among}. \`hindcast task ls\` lists the tasks; select others, or more.`
  }
}

/** Which tasks a scoring is asked for. */
export interface SelectedTask {
  /** Default: every closed task. One that is named twice is scored once. */
  readonly tasks?: ReadonlyArray<string>
  /** Of these, only those that it fits. */
  readonly select?: TaskFilter.TaskFilter
}

/** A schema for each of them. */
export const askedFields = { tasks: Schema.Array(Schema.String), select: TaskFilter.TaskFilter }

/**
 * The tasks of a log up to a position, as far as a scoring needs to know them: folded from the events alone that open and
 * close them, which a long log has few of. Steps are counted only where a selection may ask for them.
 */
export const tasks = (log: Context.Tag.Service<EventLog>, until: number, { select }: SelectedTask = {}) => {
  const draft = begin(Tasks.projection, Tasks.projection.initial)
  const types = ["TaskOpened", "TaskClosed", ...(select?.where === undefined ? [] : ["ActuatorCommanded"])]
  return Pages.forEach(log.readPage, { types, until, timeline: log.timeline }, (page) => {
    for (const event of page) draft.take(event)
  }).pipe(Effect.map(() => draft.state()))
}

/** The ids of the tasks that are asked for. */
export const of = (
  log: Context.Tag.Service<EventLog>,
  known: Tasks.Tasks,
  { tasks, select }: SelectedTask,
): Effect.Effect<ReadonlyArray<string>, TaskNotFound | TaskFilter.SelectionInvalid | NoTaskSelected | LogError> =>
  Effect.gen(function* () {
    const closed = () => Object.keys(known).filter((id) => known[id]?.outcome !== null)
    const taskIds = [...new Set(tasks ?? closed())]
    const unknown = taskIds.find((id) => !Object.hasOwn(known, id))
    if (unknown !== undefined) return yield* new TaskNotFound({ taskId: unknown })
    const fits = select === undefined ? undefined : yield* fitting(log, known, taskIds, select)
    const chosen = fits === undefined ? taskIds : taskIds.filter((id) => fits.has(id))
    return chosen.length === 0 ? yield* new NoTaskSelected({ log: log.name, among: taskIds.length }) : chosen
  })

const fitting = (
  log: Context.Tag.Service<EventLog>,
  known: Tasks.Tasks,
  taskIds: ReadonlyArray<string>,
  select: TaskFilter.TaskFilter,
): Effect.Effect<ReadonlySet<string>, TaskFilter.SelectionInvalid | LogError> =>
  Effect.gen(function* () {
    const selects = yield* TaskFilter.prepare(select)
    const needsOpening = select.plugins !== undefined || select.where !== undefined
    const opened = needsOpening ? yield* openings(log, new Set(taskIds)) : new Map<string, Opening>()
    const fits = new Set<string>()
    for (const taskId of taskIds) {
      const task = known[taskId]
      if (task === undefined) continue
      const candidate = { ...task, taskId, ...(opened.get(taskId) ?? { plugins: [], seed: null }) }
      if (yield* selects(candidate)) fits.add(taskId)
    }
    return fits
  })

type Opening = Pick<TaskFilter.SelectableTask, "plugins" | "seed">

/** What tasks were opened with, beside what every task is known by. */
const openings = (log: Context.Tag.Service<EventLog>, taskIds: ReadonlySet<string>) => {
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

/** Older logs name the plugins by their measures alone. */
const openingOf = ({ plugins, measures, seed }: PayloadOf<"TaskOpened">): Opening => ({
  plugins: plugins ?? [...new Set(measures.map((measure) => measure.split("/")[0] ?? measure))],
  seed: seed ?? null,
})
