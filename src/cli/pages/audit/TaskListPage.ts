/** Formats the list of tasks as text. */
import { MAIN } from "../../../events/log/EventLog.ts"
import type { TaskScore } from "../../../projections/report/TaskScores.ts"
import { addTokens } from "../../../projections/state/ModelCallEnd.ts"
import type * as Tasks from "../../../projections/state/Tasks.ts"
import * as Activity from "../../../projections/summary/Activity.ts"
import * as Outcome from "../../../projections/summary/Outcome.ts"
import * as TokenCount from "../../../projections/summary/TokenCount.ts"
import * as Money from "../../../values/Money.ts"
import { oneLine } from "../../../values/PlainText.ts"
import * as ResponsiveTable from "../../terminal/ResponsiveTable.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { at, count, shorten, time } from "../../terminal/Text.ts"
import { net, openState, outcome } from "./AuditPage.ts"
import { FULL_ID_WIDTH, idLength } from "./AuditTablePage.ts"

/** A task with its activity and its score, as `hindcast task ls` lists it. */
export type ListedTask = Tasks.Task & {
  readonly id: string
  readonly timeline?: string
  /** Null if it is closed. */
  readonly activity: Activity.Activity | null
  readonly score: TaskScore | null
  /** In a tree: how far below its top the task is, and the sums of it and the tasks below it. */
  readonly depth?: number
  readonly all?: {
    readonly tasks: number
    readonly steps: number
    readonly model?: NonNullable<Tasks.Task["model"]>
  }
}

const GOAL_LENGTH = 50

/**
 * A table that fits the terminal. Leaves out `timeline` if all tasks are on `main`, `tokens` and `cost` if no task called
 * a language model, and `score` if none is scored. Names the scores below.
 */
export const lines = (style: Style, tasks: ReadonlyArray<ListedTask>, width: number): ReadonlyArray<string> => {
  if (tasks.length === 0) return ["No task was opened in this log."]
  const ids = [...new Set(tasks.map(({ id }) => id))]
  const length = width < FULL_ID_WIDTH ? idLength(ids) : Number.MAX_SAFE_INTEGER
  const cells = (cell: (task: ListedTask) => string) => ({ cells: tasks.map(cell) })
  const columnIf = (shown: boolean, column: ResponsiveTable.Column) => (shown ? [column] : [])
  const isForked = tasks.some(({ timeline }) => timeline !== undefined)
  const isScored = tasks.some(({ score }) => score !== null)
  const hasModel = tasks.some((task) => modelOf(task) !== undefined)
  const isTree = tasks.some(({ depth }) => depth !== undefined)
  const table = ResponsiveTable.lines(
    style,
    [
      {
        heading: "task",
        rank: 0,
        ...cells(({ id, depth = 0 }) => Table.indent(depth) + style.name(id.slice(-length))),
      },
      ...columnIf(isForked, { heading: "timeline", rank: 1, ...cells(({ timeline = MAIN }) => oneLine(timeline)) }),
      { heading: "outcome", rank: 0, ...cells((task) => stateOf(style, task)) },
      ...columnIf(isScored, { heading: "score", rank: 1, align: "right", ...cells(scoreOf) }),
      { heading: "steps", rank: 2, align: "right", ...cells(({ steps, all }) => String(all?.steps ?? steps)) },
      ...columnIf(isTree, {
        heading: "tasks",
        rank: 2,
        align: "right",
        ...cells(({ all }) => String(all?.tasks ?? 1)),
      }),
      ...columnIf(hasModel, { heading: "tokens", rank: 4, align: "right", ...cells(tokensOf) }),
      ...columnIf(hasModel, { heading: "cost", rank: 3, align: "right", ...cells(costOf) }),
      { heading: "from", rank: 6, align: "right", ...cells(({ from }) => at(from)) },
      { heading: "to", rank: 7, align: "right", ...cells(({ to }) => at(to)) },
      { heading: "opened", rank: 8, ...cells(({ openedAt }) => time(openedAt)) },
      { heading: "agent", rank: 5, least: 12, ...cells(({ agent }) => oneLine(agent)) },
      { heading: "goal", rank: 0, least: 14, ...cells(({ goal }) => shorten(oneLine(goal), GOAL_LENGTH)) },
    ],
    width,
  )
  const waiting = tasks.flatMap(({ id, waits }) =>
    waits === undefined ? [] : [style.dim(`${oneLine(id)} is incomplete: ${oneLine(waits)}.`)],
  )
  const sums = isTree ? [style.dim("Steps, tokens and costs are those of a task and the tasks below it.")] : []
  return [...table, ...waiting, ...sums, ...(isScored ? [style.dim(scoredBy(tasks))] : [])]
}

const stateOf = (style: Style, task: ListedTask): string => {
  if (task.outcome !== null) return outcome(style, Outcome.of(task))
  if (task.asked === undefined) return openState(style, task.activity)
  if (Activity.isAtWork(task)) return style.warn(task.asked.what)
  // It takes effect when somebody resumes the task.
  return `${openState(style, task.activity)}, ${task.asked.what}`
}

const scoreOf = ({ score }: ListedTask): string => (score === null ? "" : net(score))

/** Names the scores of the tasks: a mean of several rubrics would mislead, and so does a column of several. */
const scoredBy = (tasks: ReadonlyArray<ListedTask>): string => {
  const labels = [...new Set(tasks.flatMap(({ score }) => (score === null ? [] : [score.label || score.set])))]
  const unscored = tasks.filter(({ score }) => score === null).length
  return `Scores: ${oneLine(labels.join(", "))}.${unscored === 0 ? "" : ` ${count(unscored, "task")} ${unscored === 1 ? "has" : "have"} none.`}`
}

/** The model use that a row shows: in a tree, that of the task and the tasks below it. */
const modelOf = ({ model, all }: ListedTask): ListedTask["model"] => (all === undefined ? model : all.model)

const tokensOf = (task: ListedTask): string => {
  const model = modelOf(task)
  return model === undefined ? "" : tokensIn(model)
}

const tokensIn = ({ inputTokens, outputTokens, unmetered }: NonNullable<ListedTask["model"]>): string =>
  TokenCount.inTable({ known: addTokens(inputTokens, outputTokens), isLowerBound: unmetered > 0 })

const costOf = (task: ListedTask): string => {
  const model = modelOf(task)
  return model === undefined ? "" : Money.costInTable(model.cost)
}
