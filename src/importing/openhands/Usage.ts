/** Reads the running totals of tokens and costs that OpenHands keeps for each model of a conversation. */

import { countOf, field, isObject, numberOf } from "../runs/Untrusted.ts"

export const NO_TOKENS = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0 }

/** Turns a running total into the cost of each answer. */
export class GrowingCost {
  #counted = 0
  #unused: number | undefined

  grewTo(usd: number | undefined): void {
    if (usd === undefined) return
    this.#unused = (this.#unused ?? 0) + Math.max(0, usd - this.#counted)
    this.#counted = usd
  }

  take(): number | undefined {
    const usd = this.#unused
    this.#unused = undefined
    return usd === undefined ? undefined : Number(usd.toFixed(12))
  }
}

export const usageOf = (stats: unknown): typeof NO_TOKENS => {
  const all = field(stats, "usage_to_metrics")
  const metrics = Object.values(isObject(all) ? all : {}).map((one) => field(one, "accumulated_token_usage"))
  const total = (name: string) => metrics.reduce<number>((sum, one) => sum + countOf(one, name), 0)
  return {
    inputTokens: total("prompt_tokens"),
    outputTokens: total("completion_tokens"),
    cachedTokens: total("cache_read_tokens"),
    cacheWriteTokens: total("cache_write_tokens"),
  }
}

/** In US dollars; undefined if unknown. */
export const costOf = (stats: unknown): number | undefined => {
  const all = field(stats, "usage_to_metrics")
  const costs = Object.values(isObject(all) ? all : {}).flatMap((one) => numberOf(one, "accumulated_cost") ?? [])
  return costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0)
}
