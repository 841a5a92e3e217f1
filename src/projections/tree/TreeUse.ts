/** What several tasks used together. Unknown is not zero: one unknown cost makes the sum unknown. Pure. */

import { Schema } from "effect"
import { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import * as Sum from "../../values/Sum.ts"
import type { TaskAudit } from "../audit/AuditDocument.ts"
import { addTokens } from "../state/ModelCallEnd.ts"

/** The sums over several tasks, each of which counts once. */
export const TreeUse = Schema.Struct({
  tasks: Schema.NonNegativeInt,
  open: Schema.NonNegativeInt.annotations({ description: "Tasks that have not ended" }),
  outcomes: Schema.Record({ key: TaskOutcome, value: Schema.NonNegativeInt }).annotations({
    description: "Ended tasks by outcome",
  }),
  commands: Schema.NonNegativeInt.annotations({ description: "Commands that their agents requested" }),
  calls: Schema.NonNegativeInt.annotations({ description: "Requests to models, answered or not" }),
  tokens: Schema.NullOr(Schema.NonNegativeInt).annotations({ description: "null if unknown for any request" }),
  knownTokens: Schema.NonNegativeInt.annotations({ description: "The sum of the known tokens" }),
  usd: Schema.NullOr(Schema.NonNegative).annotations({ description: "US dollars; null if unknown for any request" }),
  atLeastUsd: Schema.NonNegative.annotations({ description: "The sum of the known costs, in US dollars" }),
  rewards: Schema.NullOr(Schema.Struct({ earned: Schema.Finite, lost: Schema.Finite, net: Schema.Finite })).annotations(
    { description: "The sums of the scores that the tasks got when they closed; null if none was scored then" },
  ),
}).annotations({ identifier: "TreeUse" })

export type TreeUse = typeof TreeUse.Type

/** The label of the score from a task's close. */
const LIVE = "live"

/** Adds up the audits of different tasks. */
export const of = (audits: ReadonlyArray<Pick<TaskAudit, "outcome" | "steps" | "model" | "scores">>): TreeUse => {
  const models = audits.flatMap(({ model }) => (model === undefined ? [] : [model]))
  const total = (numbers: ReadonlyArray<number>) => numbers.reduce((sum, number) => sum + number, 0)
  const knownTokens = models.reduce(
    (sum, { inputTokens, outputTokens }) => addTokens(sum, addTokens(inputTokens, outputTokens)),
    0,
  )
  const atLeastUsd = Sum.of(models.map(({ cost }) => cost.atLeast))
  const scores = audits.flatMap(({ scores }) => scores.filter(({ label, finished }) => label === LIVE && finished))
  return {
    tasks: audits.length,
    open: audits.filter(({ outcome }) => outcome === null).length,
    outcomes: Object.fromEntries(
      TaskOutcome.literals.map((one) => [one, audits.filter(({ outcome }) => outcome === one).length] as const),
    ) as TreeUse["outcomes"],
    commands: total(audits.map(({ steps }) => steps)),
    calls: total(models.map(({ calls }) => calls)),
    tokens: models.some(({ unmetered }) => unmetered > 0) ? null : knownTokens,
    knownTokens,
    usd: models.some(({ cost }) => cost.usd === null) ? null : atLeastUsd,
    atLeastUsd,
    rewards:
      scores.length === 0
        ? null
        : {
            earned: Sum.of(scores.map(({ earned }) => earned)),
            lost: Sum.of(scores.map(({ lost }) => lost)),
            net: Sum.of(scores.map(({ net }) => net)),
          },
  }
}
