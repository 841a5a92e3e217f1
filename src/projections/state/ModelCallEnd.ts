/** What a call of a language model used and cost, from the event that ends it. */

import type { ModelFailureKind, ModelUsage } from "../../events/vocabulary/Deciding.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { PayloadOf } from "../../events/vocabulary/Vocabulary.ts"

/** A call of a language model that was answered, failed or was cancelled. */
export interface ModelCallEnd {
  readonly failed: boolean
  /** The tokens that are on record; 0 where none are. Parts that few calls have are absent where they are not on record. */
  readonly usage: CountedUsage
  /** Whether all of its tokens are known. */
  readonly metered: boolean
  /** The cost that is on record, in US dollars; 0 where none is. */
  readonly usd: number
  /** The table of prices; undefined where no cost is on record. */
  readonly prices: string | undefined
  /** Whether its cost is known. */
  readonly priced: boolean
}

/** Tokens of calls, and what else their providers counted. */
export type CountedUsage = Required<
  Pick<ModelUsage, "inputTokens" | "outputTokens" | "cachedTokens" | "reasoningTokens">
> &
  RareCounts

/** Counts that few calls have, in the order in which audits show them. */
export const RARE_COUNTS = [
  ...(["cacheWriteTokens", "cacheWrite1hTokens"] as const),
  ...(["inputAudioTokens", "inputImageTokens", "inputVideoTokens"] as const),
  ...(["cachedAudioTokens", "cachedImageTokens", "cachedVideoTokens"] as const),
  ...(["outputAudioTokens", "outputImageTokens", "outputVideoTokens", "webSearches"] as const),
] as const

export type RareCounts = { readonly [name in (typeof RARE_COUNTS)[number]]?: number }

/** Makes each rare count from what `count` says of it; undefined leaves it out. */
export const rareCounts = (count: (name: (typeof RARE_COUNTS)[number]) => number | undefined): RareCounts =>
  Object.fromEntries(RARE_COUNTS.map((name) => [name, count(name)]).filter(([, value]) => value !== undefined))

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
    ...rareCounts((name) => (usage[name] === undefined ? undefined : count(usage[name]))),
  }
  const usd = Math.max(0, Math.min(cost?.usd ?? 0, Number.MAX_VALUE))
  const counted = tokens.inputTokens > 0 || tokens.outputTokens > 0
  return {
    failed,
    usage: tokens,
    metered: usage.unknown === undefined && (counted || (unused && usd === 0)),
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

/** The sum of two usages. A rare count is absent only where neither has it. */
export const addUsage = (a: CountedUsage, b: CountedUsage): CountedUsage => ({
  inputTokens: addTokens(a.inputTokens, b.inputTokens),
  outputTokens: addTokens(a.outputTokens, b.outputTokens),
  cachedTokens: addTokens(a.cachedTokens, b.cachedTokens),
  reasoningTokens: addTokens(a.reasoningTokens, b.reasoningTokens),
  ...rareCounts((name) =>
    a[name] === undefined && b[name] === undefined ? undefined : addTokens(a[name] ?? 0, b[name] ?? 0),
  ),
})

/** The sum of two counts of tokens, at most the largest whole number that is exact. */
export const addTokens = (a: number, b: number): number => Math.min(a + b, Number.MAX_SAFE_INTEGER)
