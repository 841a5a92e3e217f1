/** The section about the parts of a task that a recorder or an import captured. */

import type { TaskAudit } from "../projections/audit/TaskAudit.ts"
import * as CaptureSummary from "../projections/state/CaptureSummary.ts"
import { type Markup, markup } from "../values/Markup.ts"
import * as FormattedNumbers from "./FormattedNumbers.ts"
import { leftOut, table } from "./Table.ts"

const MAX_ROWS = 200

/** Seen, inferred and cut parts, and the source's limits. Empty for a task that a kernel ran. */
export const section = ({ capture }: TaskAudit): Markup => {
  if (capture === undefined) return markup``
  const items = CaptureSummary.rows(capture).flatMap(({ name, items }) => items.map((item) => ({ ...item, name })))
  return markup`<section><h2>What was captured?</h2><p>${
    capture.source === undefined
      ? "A recorder"
      : markup`${capture.merged === undefined ? "An" : "A recorder and an"} import of <bdi>${capture.source}</bdi>`
  } wrote this task: no kernel ran it. The log shows nothing else about it.</p>${table(
    "Captured and missing parts of the task",
    [{ heading: "" }, { heading: "count", numbers: true }, { heading: "what" }, { heading: "why" }],
    items
      .slice(0, MAX_ROWS)
      .map(({ name, count, what, why }) => [
        name,
        count === null ? "" : FormattedNumbers.count(count),
        markup`<bdi class="wraps">${what}</bdi>`,
        markup`<bdi class="wraps">${why}</bdi>`,
      ]),
  )}${leftOut(MAX_ROWS, items.length, "rows")}</section>`
}
