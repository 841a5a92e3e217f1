/** Rows and columns of audits, for the table formats (CSV and Parquet). */

import { MAIN } from "../../events/log/EventLog.ts"
import * as StepPosition from "../../events/steps/StepPosition.ts"
import * as ModelUse from "../audit/ModelUse.ts"
import { type Score, verdictsOf } from "../audit/Scores.ts"
import type { TaskAudit } from "../audit/TaskAudit.ts"
import { RARE_COUNTS } from "../state/ModelCallEnd.ts"
import * as Outcome from "../summary/Outcome.ts"
import type { Column } from "./ParquetRows.ts"

/** An audit with one of its scores; null if the task has none. */
export interface Row {
  readonly audit: TaskAudit
  readonly score: Score | null
}

/** The rows of an audit: one per score set, or one without a score. */
export const rowsOf = (audit: TaskAudit): ReadonlyArray<Row> =>
  audit.scores.length === 0 ? [{ audit, score: null }] : audit.scores.map((score) => ({ audit, score }))

type ColumnOf<Holds> = Extract<Column<Row>, { readonly holds: Holds }>

const integer = (name: string, of: ColumnOf<"integer">["of"], optional = false): Column<Row> => ({
  name,
  holds: "integer",
  of,
  optional,
})
const number = (name: string, of: ColumnOf<"number">["of"]): Column<Row> => ({
  name,
  holds: "number",
  of,
  optional: true,
})
const text = (name: string, of: ColumnOf<"text">["of"], optional = false): Column<Row> => ({
  name,
  holds: "text",
  of,
  optional,
  values: "few",
})

const NO_MODEL = ModelUse.none

/** The column of a count: `model_cache_write_1h_tokens` for `cacheWrite1hTokens`. */
const columnOf = (name: string): string =>
  `model_${name.replace(/[A-Z0-9]+/g, (letters) => `_${letters.toLowerCase()}`)}`

/**
 * The columns of a table of audits, the same in every format. Existing names and meanings do not change; new columns
 * come at the end. A row contains the fields of `TaskAudit` for one task and one score set; without a score, the score
 * columns are empty. Values per component, measure or model do not fit a row: `verdicts` contains the rewards and
 * punishments as JSON, `models` the calls by model, and the audits as JSON Lines contain everything.
 */
export const COLUMNS: ReadonlyArray<Column<Row>> = [
  { name: "task_id", holds: "text", bounds: false, of: ({ audit }) => audit.taskId },
  text("timeline", ({ audit }) => audit.timeline),
  text("agent", ({ audit }) => audit.agent),
  text("goal", ({ audit }) => audit.goal),
  text("outcome", ({ audit }) => (audit.outcome === null ? null : Outcome.of(audit)), true),
  text("reason", ({ audit }) => audit.reason ?? null, true),
  integer("from_position", ({ audit }) => StepPosition.holder(audit.range.from)),
  integer("to_position", ({ audit }) => StepPosition.holder(audit.range.to)),
  { name: "opened_at", holds: "moment", of: ({ audit }) => audit.openedAt },
  { name: "closed_at", holds: "moment", optional: true, of: ({ audit }) => audit.closedAt },
  number("duration_ms", ({ audit }) => audit.durationMs),
  integer("steps", ({ audit }) => audit.steps),
  integer("sensing_reads", ({ audit }) => audit.sensing.reads),
  integer("sensing_failures", ({ audit }) => audit.sensing.failures),
  integer("sensing_skipped", ({ audit }) => audit.sensing.skipped),
  integer("sensing_pushed", ({ audit }) => audit.sensing.pushed),
  integer("acting_commanded", ({ audit }) => audit.acting.commanded),
  integer("acting_succeeded", ({ audit }) => audit.acting.succeeded),
  integer("acting_failed", ({ audit }) => audit.acting.failed),
  integer("acting_denied", ({ audit }) => audit.acting.denied),
  integer("acting_expired", ({ audit }) => audit.acting.expired),
  integer("acting_unknown", ({ audit }) => audit.acting.unknown),
  integer("confirming_requested", ({ audit }) => audit.confirming.requested),
  integer("confirming_approved", ({ audit }) => audit.confirming.approved),
  integer("confirming_rejected", ({ audit }) => audit.confirming.rejected),
  integer("confirming_expired", ({ audit }) => audit.confirming.expired),
  integer("confirming_automatic", ({ audit }) => audit.confirming.automatic),
  number("confirming_median_wait_ms", ({ audit }) => audit.confirming.medianWaitMs),
  integer("changes_operations", ({ audit }) => audit.changes.operations),
  integer("changes_paths", ({ audit }) => audit.changes.paths),
  integer("model_calls", ({ audit }) => audit.model?.calls ?? 0),
  integer("model_input_tokens", ({ audit }) => audit.model?.inputTokens ?? 0),
  integer("model_output_tokens", ({ audit }) => audit.model?.outputTokens ?? 0),
  text("score_set_id", ({ score }) => score?.scoreSetId ?? null, true),
  text("score_label", ({ score }) => score?.label ?? null, true),
  text("critic", ({ score }) => score?.critic ?? null, true),
  text("rubric_digest", ({ score }) => score?.rubricDigest ?? null, true),
  integer("score_position", ({ score }) => (score === null ? null : StepPosition.holder(score.at)), true),
  { name: "score_finished", holds: "boolean", optional: true, of: ({ score }) => score?.finished ?? null },
  number("earned", ({ score }) => score?.earned ?? null),
  number("lost", ({ score }) => score?.lost ?? null),
  number("net", ({ score }) => score?.net ?? null),
  number("possible", ({ score }) => score?.possible ?? null),
  number("normalized", ({ score }) => score?.normalized ?? null),
  integer("unscored", ({ score }) => score?.unscored.length ?? null, true),
  {
    name: "verdicts",
    holds: "text",
    bounds: false,
    optional: true,
    of: ({ score }) => score && occurredVerdicts(score),
  },
  integer("model_failed", ({ audit }) => audit.model?.failed ?? 0),
  integer("model_cached_tokens", ({ audit }) => audit.model?.cachedTokens ?? 0),
  integer("model_reasoning_tokens", ({ audit }) => audit.model?.reasoningTokens ?? 0),
  integer("model_unmetered", ({ audit }) => audit.model?.unmetered ?? 0),
  number("model_usd", ({ audit: { model = NO_MODEL } }) => model.cost.usd),
  number("model_usd_at_least", ({ audit: { model = NO_MODEL } }) => model.cost.atLeast),
  integer("model_unpriced", ({ audit }) => audit.model?.cost.unpriced ?? 0),
  text("model_prices", ({ audit }) => audit.model?.cost.prices.join(" ") ?? null, true),
  {
    name: "models",
    holds: "text",
    bounds: false,
    optional: true,
    of: ({ audit }) => (audit.model === undefined ? null : JSON.stringify(audit.model.byModel)),
  },
  number("left_out_ms", ({ audit }) => audit.leftOutMs ?? 0),
  // `model_cache_write_tokens`, `model_web_searches` …: null if no call recorded the count.
  ...RARE_COUNTS.map((name) => integer(columnOf(name), ({ audit }) => audit.model?.[name] ?? null, true)),
  integer("acting_unrecorded", ({ audit }) => audit.acting.unrecorded ?? 0),
  integer("acting_settled", ({ audit }) => audit.acting.settled ?? 0),
  // Null if no call used a cache, too.
  number("model_saved_usd", ({ audit }) => audit.model?.cost.saved?.usd ?? null),
  // Null for a task that no other task started.
  text("parent_task_id", ({ audit }) => audit.parent?.taskId ?? null, true),
  text("parent_timeline", ({ audit: { parent } }) => (parent === undefined ? null : (parent.timeline ?? MAIN)), true),
  text("parent_command_id", ({ audit }) => audit.parent?.commandId ?? null, true),
]

/** The verdicts of a score that occurred: `[{ measure, kind, name, weight, times, amount, because }]`. */
const occurredVerdicts = (score: Score): string => JSON.stringify(verdictsOf(score).filter(({ times }) => times > 0))
