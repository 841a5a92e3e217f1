/** What a call of a language model used and cost, from the event that ends it. */

import type { ModelFailureKind, ModelUsage } from "../../events/vocabulary/Deciding.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { PayloadOf } from "../../events/vocabulary/Vocabulary.ts"

/** A call of a language model that was answered, failed or was cancelled. */
export interface ModelCallEnd {
  readonly failed: boolean
  /** The tokens that are on record; 0 where none are. */
  readonly usage: Required<ModelUsage>
  /** Whether its tokens are known. */
  readonly metered: boolean
  /** The cost that is on record, in US dollars; 0 where none is. */
  readonly usd: number
  /** The table of prices; undefined where no cost is on record. */
  readonly prices: string | undefined
  /** Whether its cost is known. */
  readonly priced: boolean
}

/** A call that was answered. A provider that does not report usage is recorded as 0 tokens, which have no cost. */
export const ofAnswer = (answer: Pick<PayloadOf<"ModelResponded">, "usage" | "cost">): ModelCallEnd =>
  ended(false, false, answer)

/**
 * A call that failed or was cancelled. It is known to have used nothing where the provider did not accept it and
 * nothing came of it. Otherwise the provider may charge for it, and its cost is known only if it is on record.
 */
export const ofFailure = (
  failure: Pick<PayloadOf<"ModelFailed">, "kind" | "response" | "usage" | "cost">,
): ModelCallEnd => ended(true, NOT_ACCEPTED.has(failure.kind) && failure.response === undefined, failure)

/** Failures of requests that a provider does not work on. */
const NOT_ACCEPTED: ReadonlySet<ModelFailureKind> = new Set([
  ...(["unauthorized", "unknown-model", "invalid-request", "context-too-long"] as const),
  ...(["rate-limited", "overloaded", "unreachable", "not-recorded"] as const),
])

const ended = (
  failed: boolean,
  unused: boolean,
  { usage = NOTHING, cost }: Pick<PayloadOf<"ModelFailed">, "usage" | "cost">,
): ModelCallEnd => {
  const tokens = {
    inputTokens: count(usage.inputTokens),
    outputTokens: count(usage.outputTokens),
    cachedTokens: count(usage.cachedTokens ?? 0),
    reasoningTokens: count(usage.reasoningTokens ?? 0),
  }
  const usd = Math.max(0, Math.min(cost?.usd ?? 0, Number.MAX_VALUE))
  const counted = tokens.inputTokens > 0 || tokens.outputTokens > 0
  return {
    failed,
    usage: tokens,
    metered: counted || (unused && usd === 0),
    usd,
    prices: cost?.prices,
    priced: usd > 0 || (counted ? cost !== undefined : unused),
  }
}

/** A log reads numbers that earlier versions wrote with wider bounds. */
const count = (tokens: number): number => Math.max(0, Math.min(Math.floor(tokens), Number.MAX_SAFE_INTEGER))

const NOTHING: ModelUsage = { inputTokens: 0, outputTokens: 0 }

/** Whether a call is a critic's: it judges a task, and is no part of an agent's work. */
export const isOfCritic = ({ actor }: Event): boolean => actor.startsWith("critic:")

/** The sum of two counts of tokens, at most the largest whole number that is exact. */
export const addTokens = (a: number, b: number): number => Math.min(a + b, Number.MAX_SAFE_INTEGER)
