/** Usage and cost of a model call, from the event that ends it. */

import type { ModelFailureKind, ModelUsage } from "../../events/vocabulary/Deciding.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { PayloadOf } from "../../events/vocabulary/Vocabulary.ts"

/** A model call that was answered, failed or was cancelled. */
export interface ModelCallEnd {
  readonly failed: boolean
  /** Whether its provider may charge for it: not if the provider did not accept it, and sent no response. */
  readonly charged: boolean
  /** The recorded tokens; 0 if none are recorded. Rare counts are absent if they are not recorded. */
  readonly usage: CountedUsage
  /** Whether all of its tokens are known. */
  readonly metered: boolean
  /** The recorded cost in US dollars; 0 if none is recorded. */
  readonly usd: number
  /** The price table; undefined if no cost is recorded. */
  readonly prices: string | undefined
  /** Whether its cost is known. */
  readonly priced: boolean
  /** Savings by the provider's cache, in US dollars; null if unknown; undefined if the call used no cache. */
  readonly saved: number | null | undefined
}

/** Tokens, and what else providers count. */
export type CountedUsage = Required<
  Pick<ModelUsage, "inputTokens" | "outputTokens" | "cachedTokens" | "reasoningTokens">
> &
  RareCounts

/** Counts that few calls have, in the order of audits. */
export const RARE_COUNTS = [
  ...(["cacheWriteTokens", "cacheWrite1hTokens"] as const),
  ...(["inputAudioTokens", "inputImageTokens", "inputVideoTokens"] as const),
  ...(["cachedAudioTokens", "cachedImageTokens", "cachedVideoTokens"] as const),
  ...(["outputAudioTokens", "outputImageTokens", "outputVideoTokens", "webSearches"] as const),
] as const

export type RareCounts = { readonly [name in (typeof RARE_COUNTS)[number]]?: number }

/** Builds the rare counts with `count`, leaving out undefined ones. */
export const rareCounts = (count: (name: (typeof RARE_COUNTS)[number]) => number | undefined): RareCounts =>
  Object.fromEntries(RARE_COUNTS.map((name) => [name, count(name)]).filter(([, value]) => value !== undefined))

/** An answered call. 0 tokens mean that the provider does not report usage. */
export const ofAnswer = (answer: Pick<PayloadOf<"ModelResponded">, "usage" | "cost">): ModelCallEnd =>
  ended(false, false, answer)

/**
 * A failed or cancelled call. It certainly used nothing if the provider did not accept it and sent no response.
 * Otherwise the provider may charge for it, and only a recorded cost is known.
 */
export const ofFailure = (
  failure: Pick<PayloadOf<"ModelFailed">, "kind" | "response" | "usage" | "cost">,
): ModelCallEnd => ended(true, NOT_ACCEPTED.has(failure.kind) && failure.response === undefined, failure)

/** Failures of requests that a provider does not process. */
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
    charged: !unused || counted || usd > 0,
    usage: tokens,
    metered: usage.unknown === undefined && (counted || (unused && usd === 0)),
    usd,
    prices: cost?.prices,
    priced: usd > 0 || (counted ? cost !== undefined : unused),
    saved: tokens.cachedTokens > 0 || (tokens.cacheWriteTokens ?? 0) > 0 ? (cost?.savedUsd ?? null) : undefined,
  }
}

/** Earlier versions wrote numbers outside today's bounds. */
const count = (tokens: number): number => Math.max(0, Math.min(Math.floor(tokens), Number.MAX_SAFE_INTEGER))

const NOTHING: ModelUsage = { inputTokens: 0, outputTokens: 0 }

/** Whether a call is a critic's, which judges a task and is not part of an agent's work. */
export const isOfCritic = ({ actor }: Pick<Event, "actor">): boolean => actor.startsWith("critic:")

/** The sum of two usages. A rare count is absent only if neither has it. */
export const addUsage = (a: CountedUsage, b: CountedUsage): CountedUsage => ({
  inputTokens: addTokens(a.inputTokens, b.inputTokens),
  outputTokens: addTokens(a.outputTokens, b.outputTokens),
  cachedTokens: addTokens(a.cachedTokens, b.cachedTokens),
  reasoningTokens: addTokens(a.reasoningTokens, b.reasoningTokens),
  ...rareCounts((name) =>
    a[name] === undefined && b[name] === undefined ? undefined : addTokens(a[name] ?? 0, b[name] ?? 0),
  ),
})

/** The sum of two token counts, at most `Number.MAX_SAFE_INTEGER`. */
export const addTokens = (a: number, b: number): number => Math.min(a + b, Number.MAX_SAFE_INTEGER)
