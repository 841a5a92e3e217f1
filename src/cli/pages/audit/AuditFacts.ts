/** What a task took in, did, was allowed and changed, in words, for the text and the Markdown audit. */
import type { TaskAudit } from "../../../projections/audit/TaskAudit.ts"
import type * as Table from "../../terminal/Table.ts"
import { count, duration, nouns } from "../../terminal/Text.ts"

/** The counts of an audit, each part with its name. */
export const of = ({ sensing, acting, confirming, changes, model }: TaskAudit): Table.Facts => [
  [
    "sensing",
    nonZeroCounts({
      [nouns(sensing.reads, "read")]: sensing.reads,
      [nouns(sensing.failures, "failure")]: sensing.failures,
      skipped: sensing.skipped,
      pushed: sensing.pushed,
    }),
  ],
  ["acting", nonZeroCounts(pick(acting, ["commanded", "succeeded", "failed", "denied", "expired", "unknown"]))],
  [
    "confirming",
    nonZeroCounts(pick(confirming, ["requested", "approved", "rejected", "expired", "automatic"])) +
      (confirming.medianWaitMs === null ? "" : `, median wait ${duration(confirming.medianWaitMs)}`),
  ],
  ["changes", `${count(changes.operations, "operation")} on ${count(changes.paths, "path")}`],
  ...(model === undefined
    ? []
    : [
        [
          "model",
          `${count(model.calls, "call")}, ${count(model.inputTokens, "token")} in, ${model.outputTokens} out`,
        ] as const,
      ]),
]

const pick = <Key extends string>(counts: { readonly [K in Key]: number }, keys: ReadonlyArray<Key>) =>
  Object.fromEntries(keys.map((key) => [key, counts[key]]))

/** The first count, and the other counts that are not zero. */
const nonZeroCounts = (counts: { readonly [name: string]: number }): string =>
  Object.entries(counts)
    .filter(([, of], index) => index === 0 || of !== 0)
    .map(([name, of]) => `${of} ${name}`)
    .join(", ")
