/** Formats several runs as a table, with what can be said about their scores. */
import type { RunTable, TableRun } from "../../../projections/timetravel/table/RunTable.ts"
import * as Money from "../../../values/Money.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { at, duration, number, shorten } from "../../terminal/Text.ts"

const COLUMNS: Table.Columns = [
  "run",
  "outcome",
  ...Table.right("score", "cost", "tokens", "time", "steps"),
  "first decision that differs",
]

/** The table, its rubric, and the verdicts. */
export const lines = (style: Style, { runs, scored, groups, verdicts }: RunTable): ReadonlyArray<string> => [
  ...Table.lines(style, COLUMNS, runs.map(cells)),
  "",
  ...(scored === null ? [] : [style.dim(`Scores by ${rubricOf(scored)}, judged by ${oneLine(scored.critic)}.`)]),
  ...groups
    .filter(({ runs: count, mean }) => count > 1 && mean !== null)
    .map(({ label, runs: count, scored: known, mean }) =>
      style.dim(`${label}: mean score ${number(mean ?? 0)} over ${known} of ${count} runs.`),
    ),
  ...verdicts,
]

const rubricOf = ({ rubric, labels }: NonNullable<RunTable["scored"]>): string =>
  oneLine(rubric === "" ? labels.join(", ") : rubric)

/** Maximum length of a decision, in characters. */
const DEED = 80

const cells = ({ label, timeline, taskId, row, net, split }: TableRun): ReadonlyArray<string> => [
  `${label}  ${oneLine(timeline === "main" ? taskId : `${timeline}@${taskId}`)}`,
  row.outcome,
  net === null ? "unknown" : number(net),
  row.modelCalls === 0 ? "" : Money.costInTable(row.cost),
  row.modelCalls === 0 ? "" : row.tokens === 0 ? "unknown" : String(row.tokens),
  row.durationMs === null ? "unknown" : duration(row.durationMs),
  String(row.steps),
  split === null ? "" : split.at === null ? "none" : decided(split),
]

const decided = ({ at: places, deed }: NonNullable<TableRun["split"]>): string =>
  `${places?.here == null ? "" : `${at(places.here)} `}${shorten(deed ?? "", DEED)}`
