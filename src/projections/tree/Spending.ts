/**
 * The part of their budgets that tasks spent: the rule by which agents, their parents and trees count. Every paid request
 * counts, including retries and hedges that failed or lost. Pure.
 */

import type { Event } from "../../events/vocabulary/Event.ts"
import type { Use } from "../../events/vocabulary/Tasks.ts"
import { is, isStep, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import * as ModelCallEnd from "../state/ModelCallEnd.ts"

/** The spending so far. */
export interface Spending {
  /** Requests to models that their providers may charge for: answered ones, and failed ones that they had accepted. */
  readonly steps: number
  readonly commands: number
  /** Undefined if it is unknown for an answer. */
  readonly tokens: number | undefined
  /** In US dollars; undefined if it is unknown for an answer, or for the known tokens of a failure. */
  readonly usd: number | undefined
  /** Charged requests of unknown use since the last answer. */
  readonly unknown: number
}

export const none: Spending = { steps: 0, commands: 0, tokens: 0, usd: 0, unknown: 0 }

/** After an event of a task, in the order of the log. Critics' requests do not count. */
export const after = (spent: Spending, event: Event): Spending => {
  if (isStep(event)) return { ...spent, commands: spent.commands + 1 }
  if (ModelCallEnd.isOfCritic(event)) return spent
  if (is(event, "ModelResponded")) return answered(spent, event.payload)
  return is(event, "ModelFailed") ? failed(spent, event.payload) : spent
}

/** The types of events that `after` counts. */
export const TYPES = ["ModelResponded", "ModelFailed", "ActuatorCommanded"] as const

/**
 * After an answer. It also tells what the requests of unknown use before it used, the failed attempts and the hedge that
 * lost: at least the same input, since they were the same request.
 */
export const answered = (spent: Spending, answer: Pick<PayloadOf<"ModelResponded">, "usage" | "cost">): Spending => {
  const { usage, metered, priced, usd } = ModelCallEnd.ofAnswer(answer)
  const input = spent.unknown * usage.inputTokens
  return {
    ...spent,
    steps: spent.steps + 1,
    tokens: spent.tokens === undefined || !metered ? undefined : spent.tokens + tokensIn(usage) + input,
    usd: spent.usd === undefined || !priced ? undefined : spent.usd + usd * (1 + spent.unknown),
    unknown: 0,
  }
}

/** After a failure or a cancellation. */
export const failed = (
  spent: Spending,
  failure: Pick<PayloadOf<"ModelFailed">, "kind" | "response" | "usage" | "cost">,
): Spending => {
  const { usage, charged, metered, priced, usd } = ModelCallEnd.ofFailure(failure)
  if (!charged) return spent
  const known = tokensIn(usage)
  return {
    ...spent,
    steps: spent.steps + 1,
    tokens: spent.tokens === undefined ? undefined : spent.tokens + known,
    usd: spent.usd === undefined || (metered && !priced) ? undefined : spent.usd + usd,
    unknown: spent.unknown + (metered || known > 0 || usd > 0 ? 0 : 1),
  }
}

/** A recorded use; null is unknown there. */
export const ofUse = ({ steps, commands, tokens, usd }: Use): Spending => ({
  ...{ steps, commands, tokens: tokens ?? undefined, usd: usd ?? undefined },
  unknown: 0,
})

/** The use as the log has it. */
export const useOf = ({ steps, commands, tokens, usd }: Spending): Use => ({
  ...{ steps, commands, tokens: tokens ?? null, usd: usd ?? null },
})

/** The sum of two. */
export const plus = (a: Spending, b: Spending): Spending => ({
  steps: a.steps + b.steps,
  commands: a.commands + b.commands,
  tokens: a.tokens === undefined || b.tokens === undefined ? undefined : a.tokens + b.tokens,
  usd: a.usd === undefined || b.usd === undefined ? undefined : a.usd + b.usd,
  unknown: a.unknown + b.unknown,
})

const tokensIn = ({ inputTokens, outputTokens }: ModelCallEnd.CountedUsage): number =>
  ModelCallEnd.addTokens(inputTokens, outputTokens)
