/** The table of a log's tasks. */

import type { LogReport } from "../../projections/report/LogReport.ts"
import type { ReportedTask } from "../../projections/report/ReportedTasks.ts"
import { type Activity, stateOf } from "../../projections/summary/Activity.ts"
import * as TokenCount from "../../projections/summary/TokenCount.ts"
import { type Markup, markup } from "../../values/Markup.ts"
import * as Money from "../../values/Money.ts"
import * as FormattedNumbers from "../FormattedNumbers.ts"
import { signed } from "../figures/KeyFigures.ts"
import * as StudioLinks from "../StudioLinks.ts"
import { numbers, table } from "../Table.ts"

/** The activities of open tasks, by task id. */
export type Activities = ReadonlyMap<string, Activity>

/** The section of a log's page. */
export const section = (
  { listed: { rows, left }, scored }: LogReport,
  activities: Activities,
  studio: StudioLinks.StudioLinks | undefined,
): Markup => {
  const hasModel = rows.some(({ model }) => model !== null)
  const isScored = scored > 0
  return markup`<section><h2>What became of each task?</h2>${
    isScored
      ? null
      : markup`<p>No task is scored, so this report says nothing about scores. <code>hindcast rescore --rubric FILE</code> scores tasks.</p>`
  }${table(
    "All tasks, newest first",
    [
      { heading: "goal" },
      { heading: "outcome" },
      ...(isScored ? numbers("score") : []),
      ...numbers("commands", "duration"),
      ...(hasModel ? numbers("tokens", "cost") : []),
      { heading: "agent" },
      { heading: "positions" },
      { heading: "task" },
    ],
    rows.map((row) => [
      markup`<span class="wide"><bdi>${row.goal}</bdi></span>`,
      markup`${stateIn(row, activities)}${row.reason === null ? null : markup`<span class="wide under"><bdi>${row.reason}</bdi></span>`}`,
      ...(isScored ? [row.score === null ? "" : signed(row.score.net)] : []),
      FormattedNumbers.count(row.steps),
      row.durationMs === null ? "" : FormattedNumbers.duration(row.durationMs),
      ...(hasModel ? [tokensOf(row), row.model === null ? "" : Money.costInTable(row.model.cost)] : []),
      markup`<bdi>${row.agent}</bdi>`,
      markup`${StudioLinks.at(studio, row.taskId, row.range.from)} to ${StudioLinks.at(studio, row.taskId, row.range.to)}`,
      StudioLinks.task(studio, row.taskId),
    ]),
  )}${
    left === 0
      ? null
      : markup`<p class="note">${FormattedNumbers.counted(left, "earlier task")} ${left === 1 ? "is" : "are"} left out: <code>hindcast task ls --all</code> lists them.</p>`
  }</section>`
}

const stateIn = ({ taskId, outcome }: ReportedTask, activities: Activities): string =>
  outcome === "open" ? stateOf({ outcome: null, activity: activities.get(taskId) ?? null }) : outcome

/** Tokens of calls that do not state any are unknown, and not 0. */
const tokensOf = ({ model }: ReportedTask): string => {
  if (model === null) return ""
  const known = model.inputTokens + model.outputTokens
  return TokenCount.inTable({ known, isLowerBound: model.unmetered > 0 }, FormattedNumbers.count)
}
