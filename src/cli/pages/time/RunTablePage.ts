/** Formats several runs as a table, with what can be said about their scores. */

import type { Activity } from "../../../projections/summary/Activity.ts"
import * as TokenCount from "../../../projections/summary/TokenCount.ts"
import type { RunTable, TableRun } from "../../../projections/timetravel/table/RunTable.ts"
import * as Money from "../../../values/Money.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { at, duration, number, shorten } from "../../terminal/Text.ts"
import { state } from "../audit/AuditPage.ts"

/** A run with what goes on in it. */
export type ShownRun = TableRun & { readonly activity?: Activity | null }

export interface ShownTable extends Omit<RunTable, "runs"> {
  readonly runs: ReadonlyArray<ShownRun>
}

const COLUMNS: Table.Columns = [
  "run",
  "outcome",
  ...Table.right("score", "cost", "tokens", "time", "steps"),
  "first decision that differs",
]

/** The table, its rubric, and the verdicts. */
export const lines = (style: Style, { runs, scored, groups, verdicts }: ShownTable): ReadonlyArray<string> => [
  ...Table.lines(
    style,
    COLUMNS,
    runs.map((run) => cellsOf(style, run)),
  ),
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

const cellsOf = (
  style: Style,
  { label, timeline, taskId, row, net, split, activity = null }: ShownRun,
): ReadonlyArray<string> => [
  `${label}  ${oneLine(timeline === "main" ? taskId : `${timeline}@${taskId}`)}`,
  state(style, { outcome: row.outcome, activity }),
  net === null ? "unknown" : number(net),
  row.modelCalls === 0 ? "" : Money.costInTable(row.cost),
  row.modelCalls === 0 ? "" : TokenCount.inTable({ known: row.tokens, isLowerBound: row.unmetered > 0 }),
  row.durationMs === null ? "unknown" : duration(row.durationMs),
  String(row.steps),
  split === null ? "" : split.at === null ? "none" : decided(split),
]

const decided = ({ at: places, deed }: NonNullable<TableRun["split"]>): string =>
  `${places?.here == null ? "" : `${at(places.here)} `}${shorten(deed ?? "", DEED)}`
