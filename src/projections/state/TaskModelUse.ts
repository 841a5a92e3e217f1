/** The totals of a task's model calls so far. */

import { Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import * as ModelCallEnd from "./ModelCallEnd.ts"

/** The totals of a task's model calls. The task's audit splits them by model. */
export const TaskModelUse = Schema.Struct({
  calls: Schema.NonNegativeInt.annotations({ description: "Requests, answered or not" }),
  inputTokens: Schema.NonNegativeInt,
  outputTokens: Schema.NonNegativeInt,
  unmetered: Schema.NonNegativeInt.annotations({
    description: "Requests and retries of unknown tokens: if there are any, the sums are lower bounds",
  }),
  cost: Schema.Struct({
    usd: Schema.NullOr(Schema.NonNegative).annotations({
      description: "In US dollars; null where the cost of a call is not known",
    }),
    atLeast: Schema.NonNegative.annotations({ description: "The sum of the known costs, in US dollars" }),
    unpriced: Schema.NonNegativeInt.annotations({ description: "Calls of unknown cost" }),
  }),
}).annotations({ identifier: "TaskModelUse" })

export type TaskModelUse = typeof TaskModelUse.Type

/** The totals after an event of the task; undefined until the first model call. */
export const after = (before: TaskModelUse | undefined, event: Event): TaskModelUse | undefined => {
  if (is(event, "ModelCalled")) return ModelCallEnd.isOfCritic(event) ? before : called(before ?? NONE, event.payload)
  if (is(event, "SourceStated") && before !== undefined) return stated(before, event.payload.used)
  const end = is(event, "ModelResponded")
    ? ModelCallEnd.ofAnswer(event.payload)
    : is(event, "ModelFailed")
      ? ModelCallEnd.ofFailure(event.payload)
      : undefined
  if (end === undefined || ModelCallEnd.isOfCritic(event)) return before
  return ended(before ?? called(NONE), end)
}

/** The totals of several tasks' model calls; undefined if none called a model. */
export const sum = (uses: ReadonlyArray<TaskModelUse | undefined>): TaskModelUse | undefined =>
  uses.reduce(
    (total, use) =>
      total === undefined || use === undefined
        ? (total ?? use)
        : {
            calls: total.calls + use.calls,
            inputTokens: ModelCallEnd.addTokens(total.inputTokens, use.inputTokens),
            outputTokens: ModelCallEnd.addTokens(total.outputTokens, use.outputTokens),
            unmetered: total.unmetered + use.unmetered,
            cost: {
              usd: total.cost.usd === null || use.cost.usd === null ? null : add(total.cost.usd, use.cost.usd),
              atLeast: add(total.cost.atLeast, use.cost.atLeast),
              unpriced: total.cost.unpriced + use.cost.unpriced,
            },
          },
    undefined,
  )

const NONE: TaskModelUse = {
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  unmetered: 0,
  cost: { usd: 0, atLeast: 0, unpriced: 0 },
}

/** The tokens and the cost of a call are unknown until it ends. A retry is not another call. */
const called = (
  { calls, unmetered, cost, ...tokens }: TaskModelUse,
  asked?: { readonly retryOf?: string },
): TaskModelUse => ({
  calls: calls + (asked?.retryOf === undefined ? 1 : 0),
  ...tokens,
  unmetered: unmetered + 1,
  cost: { usd: null, atLeast: cost.atLeast, unpriced: cost.unpriced + 1 },
})

/** Totals that a source states replace those of its calls so far. */
const stated = (before: TaskModelUse, used: PayloadOf<"SourceStated">["used"]): TaskModelUse => ({
  ...before,
  ...(used?.inputTokens === undefined ? {} : { inputTokens: used.inputTokens }),
  ...(used?.outputTokens === undefined ? {} : { outputTokens: used.outputTokens }),
  ...(used?.inputTokens === undefined || used.outputTokens === undefined ? {} : { unmetered: 0 }),
  ...(used?.usd === undefined ? {} : { cost: { usd: used.usd, atLeast: used.usd, unpriced: 0 } }),
})

const ended = (
  { calls, inputTokens, outputTokens, unmetered, cost }: TaskModelUse,
  { usage, metered, usd, priced }: ModelCallEnd.ModelCallEnd,
): TaskModelUse => {
  const atLeast = add(cost.atLeast, usd)
  const unpriced = Math.max(0, cost.unpriced - (priced ? 1 : 0))
  return {
    calls,
    inputTokens: ModelCallEnd.addTokens(inputTokens, usage.inputTokens),
    outputTokens: ModelCallEnd.addTokens(outputTokens, usage.outputTokens),
    unmetered: Math.max(0, unmetered - (metered ? 1 : 0)),
    cost: { usd: unpriced === 0 ? atLeast : null, atLeast, unpriced },
  }
}

/** Decimals of a rounded sum, so that 0.1 + 0.2 is 0.3. */
const DECIMALS = 12

/** The sum of two costs, at most `Number.MAX_VALUE`. */
const add = (a: number, b: number): number => Number(Math.min(a + b, Number.MAX_VALUE).toFixed(DECIMALS))
