/** The counts of an audit in words, for the text and the Markdown audit. */
import type { UseOfModel } from "../../../projections/audit/ModelUse.ts"
import type { TaskAudit } from "../../../projections/audit/TaskAudit.ts"
import * as CaptureSummary from "../../../projections/state/CaptureSummary.ts"
import { filesInWords } from "../../../projections/state/files/filesInWords.ts"
import { scoreSetOf } from "../../../projections/state/WorldReturn.ts"
import * as Money from "../../../values/Money.ts"
import type * as Table from "../../terminal/Table.ts"
import { count, duration, nouns, number } from "../../terminal/Text.ts"

/** @param quoted escapes a text from the log */
export const of = (
  { sensing, acting, confirming, changes, files, model, capture, scores, taskId, parent, waits }: TaskAudit,
  quoted: (text: string) => string,
): Table.Facts => [
  ...(parent === undefined ? [] : [["started by", startedBy(parent, quoted)] as const]),
  ...(waits === undefined ? [] : [["not whole", quoted(waits)] as const]),
  [
    "sensing",
    nonZeroCounts({
      [nouns(sensing.reads, "read")]: sensing.reads,
      [nouns(sensing.failures, "failure")]: sensing.failures,
      skipped: sensing.skipped,
      pushed: sensing.pushed,
    }),
  ],
  ["acting", nonZeroCounts({ ...pick(acting, COMMAND_ENDS), ...beside(acting) })],
  [
    "confirming",
    nonZeroCounts(pick(confirming, ["requested", "approved", "rejected", "expired", "automatic"])) +
      (confirming.medianWaitMs === null ? "" : `, median wait ${duration(confirming.medianWaitMs)}`),
  ],
  ["changes", `${count(changes.operations, "operation")} on ${count(changes.paths, "path")}`],
  ...(files === undefined ? [] : [["files", filesInWords(files)] as const]),
  ...returned(scores, taskId),
  ...(model === undefined
    ? []
    : [["model", modelUse(model)] as const, ["cost", spending(model.cost, quoted)] as const]),
  ...(capture === undefined ? [] : [["capture", captured(capture, quoted)] as const]),
]

const startedBy = (
  { taskId, timeline, commandId }: NonNullable<TaskAudit["parent"]>,
  quoted: (text: string) => string,
): string =>
  `task ${quoted(taskId)}${timeline === undefined ? "" : ` on ${quoted(timeline)}`}${commandId === undefined ? "" : `, command ${quoted(commandId)}`}`

const captured = (capture: NonNullable<TaskAudit["capture"]>, quoted: (text: string) => string): string =>
  CaptureSummary.rows(capture)
    .map((row) => CaptureSummary.line(row, quoted))
    .join("; ")

const COMMAND_ENDS = ["commanded", "succeeded", "failed", "denied", "expired", "unknown"] as const

/** Properties of commands in addition to their outcomes. Such commands also count under their outcome. */
const beside = ({ unrecorded = 0, settled = 0, observed = 0 }: TaskAudit["acting"]) => ({
  "observed, timed from call to result": observed,
  "without a recorded result": unrecorded,
  "reported by a plugin after a crash": settled,
})

/** The steps and their duration, and the time that the duration leaves out. */
export const steps = ({ steps, durationMs, leftOutMs }: TaskAudit): string =>
  `${steps}${durationMs === null ? "" : ` in ${duration(durationMs)}`}` +
  (leftOutMs === undefined ? "" : `, without ${duration(leftOutMs)} before it was forked or resumed`)

const returned = (scores: TaskAudit["scores"], taskId: string): Table.Facts =>
  scores.flatMap(({ scoreSetId, net }) => (scoreSetId === scoreSetOf(taskId) ? [["return", number(net)] as const] : []))

type Model = NonNullable<TaskAudit["model"]>

/** `3 calls, 1 failed, 1200 tokens in, 45 out`; with `at least` if the tokens of a call are unknown, and `tokens unknown` if none are known. */
export const modelUse = ({ calls, failed, retries = 0, inputTokens, outputTokens, unmetered }: UseOfModel): string =>
  [
    count(calls, "call"),
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(retries === 0 ? [] : [retries === 1 ? "1 retry" : `${retries} retries`]),
    ...(unmetered > 0 && inputTokens + outputTokens === 0
      ? ["tokens unknown"]
      : [`${unmetered === 0 ? "" : "at least "}${count(inputTokens, "token")} in`, `${outputTokens} out`]),
  ].join(", ")

/** `$0.1234 by genai-prices@0.1.8`, and the number of calls with unknown cost. */
const spending = ({ prices, ...cost }: Model["cost"], quoted: (text: string) => string): string => {
  const saving = cost.saved && Money.saving(cost.saved)
  return [
    Money.cost(cost) + (prices.length === 0 ? "" : ` by ${prices.map(quoted).join(", ")}`),
    ...(cost.unpriced === 0 ? [] : [`${count(cost.unpriced, "call")} of unknown cost`]),
    ...(saving === undefined ? [] : [saving]),
  ].join("; ")
}

const pick = <Key extends string>(counts: { readonly [K in Key]: number }, keys: ReadonlyArray<Key>) =>
  Object.fromEntries(keys.map((key) => [key, counts[key]]))

/** The first count, and the other counts that are not zero. */
const nonZeroCounts = (counts: { readonly [name: string]: number }): string =>
  Object.entries(counts)
    .filter(([, of], index) => index === 0 || of !== 0)
    .map(([name, of]) => `${of} ${name}`)
    .join(", ")
