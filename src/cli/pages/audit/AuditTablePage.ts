/** Formats the table of many tasks or groups of tasks, as text and as Markdown. */
import type { Group, Grouping, Row, StandingRow } from "../../../projections/comparison/AuditTable.ts"
import * as TokenCount from "../../../projections/summary/TokenCount.ts"
import * as Money from "../../../values/Money.ts"
import { oneLine } from "../../../values/PlainText.ts"
import * as CommandHints from "../../command/CommandHints.ts"
import { blocks, code, table } from "../../terminal/Markdown.ts"
import * as ResponsiveTable from "../../terminal/ResponsiveTable.ts"
import { plain, type Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { at, count, duration, number, time } from "../../terminal/Text.ts"
import { net, state } from "./AuditPage.ts"

/** The scores in the table; null if no task has one. */
export type ShownScore = { readonly name: string; readonly label: string } | null

export interface ShownTable {
  readonly scores: ShownScore
  /** The number of selected tasks, and of those without such a score. */
  readonly tasks: number
  readonly unscored: number
  /** The number of tasks in no group. Default: 0. */
  readonly ungrouped?: number
  readonly left: number
  readonly where?: string
}

/** Terminal width below which ids are shortened to their ends. */
export const FULL_ID_WIDTH = 140

/** Ids up to the first length stay whole. Longer ones show their end, at least the second length. */
const [WHOLE_ID, SHORTEST_ID] = [16, 8]

/** The number of last characters that distinguishes the ids. */
export const idLength = (ids: ReadonlyArray<string>): number => {
  const longest = ids.reduce((most, { length }) => Math.max(most, length), 0)
  if (longest <= WHOLE_ID) return longest
  for (let length = SHORTEST_ID; length < longest; length++) {
    if (new Set(ids.map((id) => id.slice(-length))).size === ids.length) return length
  }
  return longest
}

/**
 * A table of tasks that fits the terminal.
 *
 * @param known the ids of all tasks of the log, among which shortened ids stay unique
 */
export const rows = (
  style: Style,
  shown: ShownTable,
  of: ReadonlyArray<StandingRow>,
  known: ReadonlyArray<string>,
  width: number,
): ReadonlyArray<string> => {
  if (of.length === 0) return [noTask(shown)]
  const length = width < FULL_ID_WIDTH ? idLength(known) : Number.MAX_SAFE_INTEGER
  const cells = (cell: (row: StandingRow) => string) => of.map(cell)
  const counts = countsOf(of)
  return [
    ...ResponsiveTable.lines(
      style,
      [
        { heading: "task", rank: 0, cells: cells(({ taskId }) => style.name(taskId.slice(-length))) },
        {
          heading: "outcome",
          rank: 0,
          cells: cells((row) => state(style, row)),
        },
        { heading: "score", rank: 0, align: "right", cells: cells((row) => scoreOf(style, row)) },
        { heading: "steps", rank: 1, align: "right", cells: cells(({ steps }) => String(steps)) },
        { heading: "took", rank: 3, align: "right", cells: cells(({ durationMs }) => durationOf(durationMs)) },
        ...counts("failed", 4, ({ failed }) => failed),
        ...counts("denied", 6, ({ denied }) => denied),
        ...counts("expired", 7, ({ expired }) => expired),
        ...counts("unknown", 5, ({ unknown }) => unknown),
        ...counts("asked", 8, ({ asked }) => asked),
        ...counts("reads", 9, ({ reads }) => reads),
        ...counts("unread", 9, ({ unread }) => unread),
        ...counts("changes", 11, ({ changes }) => changes),
        ...tokens(of, 9),
        ...costs(of, 9),
        { heading: "from", rank: 10, align: "right", cells: cells(({ from }) => at(from)) },
        { heading: "opened", rank: 12, cells: cells(({ openedAt }) => time(openedAt)) },
        { heading: "agent", rank: 2, least: 12, cells: cells(({ agent }) => oneLine(agent)) },
        { heading: "goal", rank: 0, least: 14, cells: cells(({ goal }) => oneLine(goal)) },
      ],
      width,
    ),
    ...footer(shown).map(style.dim),
  ]
}

export const groups = (
  style: Style,
  shown: ShownTable,
  by: Grouping,
  of: ReadonlyArray<Group>,
  width: number,
): ReadonlyArray<string> => {
  if (of.length === 0) return [noTask(shown)]
  const counts = countsOf(of)
  const numbers = (heading: string, rank: number, cell: (group: Group) => number | null): ResponsiveTable.Column => ({
    heading,
    rank,
    align: "right",
    cells: of.map((group) => numberOf(cell(group))),
  })
  return [
    ...ResponsiveTable.lines(
      style,
      [
        { heading: by, rank: 0, least: 14, cells: of.map(({ group }) => oneLine(group)) },
        { heading: "tasks", rank: 0, align: "right", cells: of.map(({ tasks }) => String(tasks)) },
        ...(by === "outcome"
          ? []
          : [
              ...counts("achieved", 1, ({ outcomes }) => outcomes.achieved),
              ...counts("finished", 1, ({ outcomes }) => outcomes.finished),
              ...counts("failed", 1, ({ outcomes }) => outcomes.failed),
              ...counts("truncated", 4, ({ outcomes }) => outcomes.truncated),
              ...counts("abandoned", 4, ({ outcomes }) => outcomes.abandoned),
              ...openStates(of).flatMap((name) => counts(name, 4, ({ open }) => open[name] ?? 0)),
            ]),
        ...counts("unscored", 0, ({ unscored }) => unscored),
        numbers("mean", 0, ({ mean }) => mean),
        numbers("median", 2, ({ median }) => median),
        numbers("spread", 3, ({ deviation }) => deviation),
        numbers("least", 5, ({ least }) => least),
        numbers("most", 5, ({ most }) => most),
        numbers("steps", 6, ({ steps }) => steps),
        { heading: "took", rank: 7, align: "right", cells: of.map(({ medianMs }) => durationOf(medianMs)) },
        ...tokens(of, 8),
        ...costs(of, 8),
      ],
      width,
    ),
    ...footer(shown, by).map(style.dim),
  ]
}

/** The states of the groups' open tasks. */
const openStates = (of: ReadonlyArray<Group>): ReadonlyArray<string> => [
  ...new Set(of.flatMap(({ open }) => Object.keys(open))),
]

const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)

/** Only an empty log gets here: an empty selection is an error. */
const noTask = ({ where = "in this log" }: ShownTable): string => `No task was opened ${where}.`

const countsOf =
  <Item>(items: ReadonlyArray<Item>) =>
  (heading: string, rank: number, cell: (item: Item) => number): ReadonlyArray<ResponsiveTable.Column> =>
    items.some((item) => cell(item) > 0)
      ? [{ heading, rank, align: "right", cells: items.map((item) => String(cell(item))) }]
      : []

type Spent = Pick<Row, "modelCalls" | "tokens" | "unmetered" | "cost">

/** Columns and cells for tables in which any task called a language model. */
const ifModels = <Item>(of: ReadonlyArray<Spent>, items: ReadonlyArray<Item>): ReadonlyArray<Item> =>
  of.some(({ modelCalls }) => modelCalls > 0) ? items : []

const SPENT = ["Tokens", "Cost"]

const spentCells = (of: Spent): ReadonlyArray<string> => [tokensOf(of), costOf(of)]

const tokens = (of: ReadonlyArray<Spent>, rank: number): ReadonlyArray<ResponsiveTable.Column> =>
  ifModels(of, [{ heading: "tokens", rank, align: "right", cells: of.map(tokensOf) }])

const tokensOf = ({ modelCalls, tokens, unmetered }: Spent): string =>
  modelCalls === 0 ? "" : TokenCount.inTable({ known: tokens, isLowerBound: unmetered > 0 })

const costs = (of: ReadonlyArray<Spent>, rank: number): ReadonlyArray<ResponsiveTable.Column> =>
  ifModels(of, [{ heading: "cost", rank, align: "right", cells: of.map(costOf) }])

const costOf = ({ modelCalls, cost }: Spent): string => (modelCalls === 0 ? "" : Money.costInTable(cost))

const footer = ({ scores, tasks, unscored, ungrouped = 0, left }: ShownTable, by?: Grouping): ReadonlyArray<string> => [
  ...(left > 0 ? [`… and ${left} more, which --limit leaves out.`] : []),
  scores === null
    ? CommandHints.inText(
        `${count(tasks, "task")}. No task has a score: \`hindcast rescore --rubric FILE\` scores them.`,
      )
    : `${count(tasks, "task")}. Scores: ${nameOfScores(scores)}.` +
      (unscored > 0 ? ` ${unscored} of them have no score; they do not count as zero and are left out of means.` : ""),
  ...(by === undefined ? [] : [`Mean, median and spread (standard deviation) are of net scores.`]),
  ...(ungrouped > 0
    ? [`${count(ungrouped, "task")} used no ${by}, and ${ungrouped === 1 ? "is" : "are"} in no group.`]
    : []),
  ...(by === "plugin" ? ["A task is in the group of every plugin that takes part in it."] : []),
]

const nameOfScores = ({ name, label }: NonNullable<ShownScore>): string =>
  oneLine(name === label ? name : `${name} (${label})`)

const scoreOf = (style: Style, { score }: Row): string => {
  if (score === null) return style.dim("unscored")
  const caveats = [
    ...(score.finished ? [] : ["unfinished"]),
    ...(score.undecided > 0 ? [`${score.undecided} open`] : []),
  ]
  const text = net(score)
  return caveats.length === 0 ? text : style.warn(`${text} (${caveats.join(", ")})`)
}

const durationOf = (ms: number | null): string => (ms === null ? "" : duration(ms))

const numberOf = (of: number | null): string => (of === null ? "" : number(of))

export const rowsMarkdown = (shown: ShownTable, of: ReadonlyArray<StandingRow>): ReadonlyArray<string> =>
  blocks(
    ["# Tasks"],
    table(
      [
        "Task",
        "Outcome",
        ...Table.right("Score", "Of", "Steps", "Took", "Failed", "Denied", "Asked", ...ifModels(of, SPENT)),
        "From",
        "Agent",
        "Goal",
      ],
      of.map((row) => [
        ...[code(row.taskId), state(plain, row), row.score === null ? "unscored" : number(row.score.net)],
        ...[row.score === null ? "" : number(row.score.possible), String(row.steps), durationOf(row.durationMs)],
        ...[String(row.failed), String(row.denied), String(row.asked), ...ifModels(of, spentCells(row))],
        ...[`\`${at(row.from)}\``, code(row.agent), code(row.goal)],
      ]),
    ),
    notes(shown),
  )

export const groupsMarkdown = (shown: ShownTable, by: Grouping, of: ReadonlyArray<Group>): ReadonlyArray<string> =>
  blocks(
    [`# Tasks by ${by}`],
    of.length === 0
      ? [noTask(shown)]
      : table(
          [
            by,
            ...Table.right("Tasks", "Achieved", "Finished", "Failed", "Truncated", "Abandoned"),
            ...Table.right(...openStates(of).map(capitalized), "Unscored"),
            ...Table.right("Mean", "Median", "Spread", "Least", "Most", "Steps", "Took", ...ifModels(of, SPENT)),
          ],
          of.map(({ group, outcomes, open, ...counted }) => [
            ...[code(group), String(counted.tasks), String(outcomes.achieved), String(outcomes.finished)],
            ...[
              String(outcomes.failed),
              String(outcomes.truncated),
              String(outcomes.abandoned),
              ...openStates(of).map((name) => String(open[name] ?? 0)),
              String(counted.unscored),
            ],
            ...[counted.mean, counted.median, counted.deviation, counted.least, counted.most, counted.steps].map(
              numberOf,
            ),
            ...[durationOf(counted.medianMs), ...ifModels(of, spentCells(counted))],
          ]),
        ),
    notes(shown, by),
  )

const notes = (shown: ShownTable, by?: Grouping): ReadonlyArray<string> => {
  const scores = shown.scores === null ? null : { name: code(shown.scores.name), label: code(shown.scores.label) }
  return footer({ ...shown, scores }, by).map((line) => `- ${line}`)
}
