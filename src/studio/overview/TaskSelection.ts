/** Filters of the list of tasks. Each filter's choices count the tasks that pass all others. */

import { Effect, Schema } from "effect"
import type { TimelineHistory } from "../../projections/timetravel/TimelineHistory.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as Query from "../answers/Query.ts"
import * as TaskFilter from "../course/TaskFilter.ts"
import * as TaskRows from "../course/TaskRows.ts"
import { StudioLog } from "../StudioLog.ts"
import type { TaskFilters } from "../wire/Overview.ts"
import type { TaskRow } from "../wire/Task.ts"
import * as Days from "./Days.ts"
import * as TaskHits from "./TaskHits.ts"

/** The parameters of a request. */
export const FILTERS = {
  where: Query.OptionalText,
  text: Schema.optionalWith(TaskHits.Text, { exact: true }),
  state: Query.OptionalText,
  agent: Query.OptionalText,
  model: Query.OptionalText,
  day: Schema.optionalWith(
    Schema.String.pipe(
      Schema.pattern(/^\d{4}(-\d{2}(-\d{2}(T\d{2})?)?)?$/, { message: () => "expected a day such as 2026-11-21" }),
    ),
    { exact: true },
  ),
  zone: Schema.optionalWith(
    Schema.String.pipe(Schema.filter((zone) => Days.isZone(zone) || "expected a time zone such as Europe/Berlin")),
    { default: () => "UTC" },
  ),
}

/** The state of a task with questions, next to its outcome or activity. */
export const QUESTIONS = "questions"

const NAMES = ["state", "agent", "model", "day"] as const

type Name = (typeof NAMES)[number]

/** A task, and the filters that it fails. */
export interface Candidate {
  readonly id: string
  /** Its outcome, or its activity while it is open. */
  readonly state: string
  readonly questions: number
  readonly agent: string
  readonly models: ReadonlyArray<string> | null
  readonly hour: string
  readonly fails: ReadonlySet<Name>
}

export interface Selection {
  /** The tasks that pass `where` and `text`, in the given order. */
  readonly candidates: ReadonlyArray<Candidate>
  /** Those that pass all filters. */
  readonly selected: ReadonlyArray<Candidate>
  /** The rows, if `where` needed them all. */
  readonly rows: ReadonlyMap<string, TaskRow> | undefined
  readonly found: TaskHits.TaskHits | undefined
}

/** Whether a task passes all filters but one. */
export const passesBut = ({ fails }: Candidate, name: Name): boolean =>
  fails.size === 0 || (fails.size === 1 && fails.has(name))

export const isFiltered = ({ where, text, state, agent, model, day }: TaskFilters): boolean =>
  [where, text, state, agent, model, day].some((filter) => filter !== undefined)

/** @param ids the tasks in order */
export const of = (past: TimelineHistory, rows: TaskRows.Rows, ids: ReadonlyArray<string>, filters: TaskFilters) =>
  Effect.gen(function* () {
    const found = filters.text === undefined ? undefined : yield* TaskHits.of(filters.text)
    const withText = found === undefined ? ids : ids.filter((id) => found.hits.has(id))
    const { where } = filters
    const all = where === undefined ? undefined : yield* whereRows(past, rows, withText, where)
    const { modelsOf } = filters.model === undefined ? rows : yield* counted(past, rows)
    const hourOf = Days.hourIn(filters.zone ?? "UTC")
    const candidates = yield* Effect.forEach(all === undefined ? withText : [...all.keys()], (id) =>
      Effect.map(rows.state(id), ({ state, questions }): Candidate => {
        const standing = SafeRecord.get(rows.standings.tasks, id)
        const one = {
          ...{ id, state, questions, agent: standing?.agent ?? "" },
          models: modelsOf?.(id).models ?? null,
          hour: hourOf(standing?.openedAt ?? 0),
        }
        return { ...one, fails: new Set(NAMES.filter((name) => !passes(one, name, filters[name]))) }
      }),
    )
    const selected = candidates.filter(({ fails }) => fails.size === 0)
    return { candidates, selected, rows: all, found } satisfies Selection
  })

const passes = (task: Omit<Candidate, "fails">, name: Name, wanted: string | undefined): boolean => {
  if (wanted === undefined) return true
  switch (name) {
    case "state":
      return wanted === QUESTIONS ? task.questions > 0 : task.state === wanted
    case "agent":
      return task.agent === wanted
    case "model":
      return task.models?.includes(wanted) === true
    case "day":
      return task.hour.startsWith(wanted)
  }
}

/** The rows for which `where` is true. It may ask about the models, so it waits until they are counted. */
const whereRows = (past: TimelineHistory, rows: TaskRows.Rows, ids: ReadonlyArray<string>, where: string) =>
  Effect.gen(function* () {
    const complete = yield* counted(past, rows)
    const selected = yield* TaskFilter.select(where, yield* TaskRows.all(past, complete, ids))
    return new Map(selected.map((row) => [row.id, row]))
  })

const counted = (past: TimelineHistory, rows: TaskRows.Rows) =>
  Effect.gen(function* () {
    if (rows.modelsOf !== undefined) return rows
    yield* (yield* StudioLog).modelsCounted(past)
    return yield* TaskRows.of(past, rows.scores)
  })
