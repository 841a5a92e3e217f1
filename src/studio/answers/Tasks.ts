/** Answers `/api/tasks`, `/api/overview`, `/api/groups`, `/api/task`, `/api/reasons`, `/api/capture`, `/api/course` and `/api/spans`. */

import { Effect, Schema } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { TaskNotFound } from "../../projections/audit/TaskAudit.ts"
import type { TimelineHistory } from "../../projections/timetravel/TimelineHistory.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as Sum from "../../values/Sum.ts"
import * as TaskAgents from "../course/facts/TaskAgents.ts"
import * as TaskPlugins from "../course/facts/TaskPlugins.ts"
import * as TaskFailure from "../course/failure/TaskFailure.ts"
import * as Outline from "../course/Outline.ts"
import * as RewardRows from "../course/RewardRows.ts"
import * as TaskCapture from "../course/TaskCapture.ts"
import * as TaskFiles from "../course/TaskFiles.ts"
import * as TaskFilter from "../course/TaskFilter.ts"
import * as TaskRows from "../course/TaskRows.ts"
import * as OutlineFacts from "../overview/OutlineFacts.ts"
import type { TaskHits } from "../overview/TaskHits.ts"
import * as TaskSelection from "../overview/TaskSelection.ts"
import * as Totals from "../overview/Totals.ts"
import { StudioLog } from "../StudioLog.ts"
import type {
  TaskCapture as TaskCaptureRows,
  TaskGroup,
  TaskHead,
  TaskList,
  TaskOrder,
  TaskReasons,
  TaskRow,
  WhyFailed,
} from "../wire/Task.ts"
import * as Query from "./Query.ts"

const ROWS = 50
const MAX_ROWS = 500

export const ListQuery = Schema.Struct({
  timeline: Query.Timeline,
  ...TaskSelection.FILTERS,
  scores: Query.OptionalText,
  open: Schema.optionalWith(Schema.Literal("true"), { exact: true }),
  named: Schema.optionalWith(Schema.String.pipe(Schema.maxLength(200)), { exact: true }),
  order: Schema.optionalWith(Schema.Literal("worst", "newest", "oldest"), { default: (): TaskOrder => "newest" }),
  offset: Schema.optionalWith(Query.wholeNumber(0, Number.MAX_SAFE_INTEGER), { default: () => 0 }),
  limit: Schema.optionalWith(Query.wholeNumber(1, MAX_ROWS), { default: () => ROWS }),
})

/**
 * The tasks of a timeline. Without filters, reads only the tasks in the answer.
 *
 * `named` chooses those whose id and goal together contain each of its words, in any case.
 */
export const list = ({ timeline, open, named, order, offset, limit, scores, ...filters }: typeof ListQuery.Type) =>
  Effect.gen(function* () {
    const studio = yield* StudioLog
    const past = yield* studio.past(timeline)
    if (!TaskSelection.isFiltered(filters)) {
      const answer = Effect.gen(function* () {
        const rows = yield* TaskRows.of(past, scores)
        const ids = withWords(rows, rows.ids(order, open !== undefined), named)
        const shown = yield* TaskRows.some(past, rows, ids.slice(offset, offset + limit))
        return { total: ids.length, rows: shown, found: null } satisfies TaskList
      })
      return yield* studio.answering(answer)
    }
    const rows = yield* TaskRows.of(past, scores)
    const selection = yield* TaskSelection.of(
      past,
      rows,
      withWords(rows, rows.ids(order, open !== undefined), named),
      filters,
    )
    const { selected, rows: known, found } = selection
    const page = selected.slice(offset, offset + limit).map(({ id }) => id)
    const shown =
      known === undefined ? yield* TaskRows.some(past, rows, page) : page.flatMap((id) => known.get(id) ?? [])
    return {
      total: selected.length,
      rows: shown,
      found: found === undefined ? null : foundOf(found, page),
    } satisfies TaskList
  })

const foundOf = ({ hits, ...rest }: TaskHits, ids: ReadonlyArray<string>): NonNullable<TaskList["found"]> => ({
  ...rest,
  hits: ids.flatMap((id) => hits.get(id) ?? []),
})

export const OverviewQuery = Schema.Struct({
  timeline: Query.Timeline,
  ...TaskSelection.FILTERS,
  scores: Query.OptionalText,
})

/** All tasks of a timeline together. */
export const overview = ({ timeline, scores, ...filters }: typeof OverviewQuery.Type) =>
  Effect.gen(function* () {
    const past = yield* (yield* StudioLog).past(timeline)
    const rows = yield* TaskRows.of(past, scores)
    const ids = rows.ids("oldest")
    const selection = yield* TaskSelection.of(past, rows, ids, filters)
    return yield* Totals.of(past, rows, selection, { all: ids.length, zone: filters.zone })
  })

export const GroupQuery = Schema.Struct({
  timeline: Query.Timeline,
  where: Query.OptionalText,
  scores: Query.OptionalText,
  by: Schema.Literal("agent", "outcome", "plugin"),
})

const MAX_TREND = 200

/** The tasks of a list in groups, the largest first. */
export const groups = ({ timeline, where, by, scores }: typeof GroupQuery.Type) =>
  Effect.gen(function* () {
    const past = yield* (yield* StudioLog).past(timeline)
    const rows = yield* TaskRows.of(past, scores)
    const all = yield* TaskRows.all(past, rows, rows.ids("oldest"))
    const selected = where === undefined ? all : yield* TaskFilter.select(where, all)
    const keysOf = (row: TaskRow): ReadonlyArray<string | null> => {
      if (by === "plugin") return SafeRecord.get(rows.standings.plugins, row.id) ?? []
      return [by === "agent" ? row.agent : row.outcome]
    }
    const grouped = new Map<string | null, Array<TaskRow>>()
    for (const row of selected) {
      for (const key of keysOf(row)) {
        const known = grouped.get(key)
        if (known === undefined) grouped.set(key, [row])
        else known.push(row)
      }
    }
    return [...grouped].map(([key, members]) => groupOf(key, members)).sort((a, b) => b.tasks - a.tasks)
  })

const groupOf = (key: TaskGroup["key"], rows: ReadonlyArray<TaskRow>): TaskGroup => {
  const outcomes: { [outcome: string]: number } = {}
  for (const { outcome } of rows) {
    const name = outcome ?? "open"
    outcomes[name] = (outcomes[name] ?? 0) + 1
  }
  const nets = rows.flatMap(({ score }) => (score === null ? [] : [score.net]))
  const mean = nets.length === 0 ? null : Sum.round(Sum.of(nets) / nets.length)
  const step = Math.max(1, nets.length / MAX_TREND)
  const trend = Array.from(
    { length: Math.min(nets.length, MAX_TREND) },
    (_, index) => nets[Math.floor(index * step)] ?? 0,
  )
  return { key, tasks: rows.length, outcomes, mean, trend }
}

export const TaskQuery = Schema.Struct({ timeline: Query.Timeline, task: Schema.NonEmptyString })

export const ScoredTaskQuery = Schema.Struct({ ...TaskQuery.fields, scores: Query.OptionalText })

export const head = ({ timeline, task, scores }: typeof ScoredTaskQuery.Type) =>
  Effect.gen(function* () {
    const studio = yield* StudioLog
    const past = yield* studio.past(timeline)
    return yield* headOf(past, task, scores)
  })

/** @param scores the name of the scoring of which it shows the score. Default: the one that counts for the task */
export const headOf = (past: TimelineHistory, task: string, scores?: string) =>
  Effect.gen(function* () {
    const studio = yield* StudioLog
    const rows = yield* TaskRows.of(past, scores)
    if (SafeRecord.get(rows.standings.tasks, task) === undefined) return yield* new TaskNotFound({ taskId: task })
    const outline = yield* studio.outline(past, task)
    const row = yield* rows.row(task, OutlineFacts.of(outline, rows.ends(task)))
    const verdicts = row.score === null ? [] : yield* RewardRows.ofSet(past, task, row.score.set)
    const { durationMs, use } = yield* studio.facts(past, task)
    const { sentence, moment } = yield* TaskFailure.brief(row, rows.asked(task), rows.standings.choice)
    return {
      ...row,
      durationMs,
      use,
      sentence,
      worst: moment ?? RewardRows.costliestOf(verdicts),
      sets: rows.standings.setsOf(task),
      forks: yield* forksOf(past.timeline, task),
      plugins: yield* TaskPlugins.of(past, task),
      isCaptured: yield* TaskCapture.isCaptured(past, task),
      hasFiles: (yield* TaskFiles.firstSnapshot(past, task)) !== undefined,
      isOfSeveral: yield* TaskAgents.isOfSeveral(past, task),
    } satisfies TaskHead
  })

const withWords = (rows: TaskRows.Rows, ids: ReadonlyArray<string>, named = ""): ReadonlyArray<string> => {
  const words = named
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
  if (words.length === 0) return ids
  return ids.filter((id) => {
    const text = `${id} ${SafeRecord.get(rows.standings.tasks, id)?.goal ?? ""}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** Maximum number of tasks in one request. */
const MAX_REASONS = 100

export const ReasonsQuery = Schema.Struct({
  timeline: Query.Timeline,
  tasks: Schema.parseJson(Schema.Array(Schema.NonEmptyString).pipe(Schema.maxItems(MAX_REASONS))),
  scores: Query.OptionalText,
})

/** The sentences about some tasks of a list. Leaves out tasks that are not there. */
export const reasons = ({ timeline, tasks, scores }: typeof ReasonsQuery.Type) =>
  Effect.gen(function* () {
    const studio = yield* StudioLog
    const past = yield* studio.past(timeline)
    const rows = yield* TaskRows.of(past, scores)
    const known = tasks.filter((task) => SafeRecord.get(rows.standings.tasks, task) !== undefined)
    const found = yield* Effect.forEach(known, (task) =>
      Effect.gen(function* () {
        const row = yield* rows.row(task, OutlineFacts.of(yield* studio.outline(past, task), rows.ends(task)))
        const { sentence } = yield* TaskFailure.brief(row, rows.asked(task), rows.standings.choice)
        return { id: task, sentence }
      }),
    )
    return found satisfies TaskReasons
  })

export const capture = ({ timeline, task }: typeof TaskQuery.Type) =>
  Effect.gen(function* () {
    const past = yield* (yield* StudioLog).past(timeline)
    return (yield* TaskCapture.rows(past, task)) satisfies TaskCaptureRows
  })

/** Why a task failed, or how it stands. */
export const failure = ({ timeline, task, scores }: typeof ScoredTaskQuery.Type) =>
  Effect.gen(function* () {
    const studio = yield* StudioLog
    const past = yield* studio.past(timeline)
    const rows = yield* TaskRows.of(past, scores)
    if (SafeRecord.get(rows.standings.tasks, task) === undefined) return yield* new TaskNotFound({ taskId: task })
    const row = yield* rows.row(task, OutlineFacts.of(yield* studio.outline(past, task), rows.ends(task)))
    return (yield* TaskFailure.whole(row, rows.standings.choice)) satisfies WhyFailed
  })

const forksOf = (timeline: string, task: string) =>
  Effect.map(Effect.flatMap(EventLog, Timelines.list), (timelines) =>
    timelines.flatMap(({ name, parent, forked }) =>
      parent !== null && parent.name === timeline && forked?.taskId === task
        ? [{ timeline: name, task, position: parent.at }]
        : [],
    ),
  )

export const course = ({ timeline, task }: typeof TaskQuery.Type) =>
  Effect.gen(function* () {
    const studio = yield* StudioLog
    const past = yield* studio.past(timeline)
    return Outline.course(yield* studio.outline(past, task))
  })

export const spans = ({ timeline, task }: typeof TaskQuery.Type) =>
  Effect.gen(function* () {
    const studio = yield* StudioLog
    const past = yield* studio.past(timeline)
    const spans = (yield* studio.spans(past, task)).answer()
    return spans.until === 0 ? yield* new TaskNotFound({ taskId: task }) : spans
  })
