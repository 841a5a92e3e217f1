/**
 * Token counts of Codex: a running total after each answer, repeated if nothing was asked since, and since 0.170 a
 * record per answer. An unchanged total means no new answer; otherwise the answer used the difference.
 */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import { countOf, field, isObject, textOf } from "../runs/Untrusted.ts"

const COUNTS = [
  ...(["input_tokens", "cached_input_tokens", "cache_write_input_tokens"] as const),
  ...(["output_tokens", "reasoning_output_tokens"] as const),
] as const

type Counts = Readonly<Record<(typeof COUNTS)[number], number>>

export class TokenCounts {
  /** Undefined while earlier totals are unknown. */
  #total: Counts | undefined
  #hasRecords = false
  readonly #responses = new Set<string>()

  /** @param goesOn whether totals include another rollout, from which this one was forked */
  constructor(goesOn: boolean) {
    this.#total = goesOn ? undefined : ZERO
  }

  /** Tokens from an answer's record; undefined for an invalid or repeated record. */
  ofRecord(payload: unknown): ModelUsage | undefined {
    const usage = field(payload, "usage")
    const id = textOf(payload, "response_id")
    if (!isObject(usage) || (id !== undefined && this.#responses.has(id))) return undefined
    this.#hasRecords = true
    if (id !== undefined) this.#responses.add(id)
    return usageOf(countsOf(usage))
  }

  /**
   * Tokens of an answer from the totals after it; undefined if nothing was used since. Early versions repeat the last
   * answer's tokens alone: `ofAnswer` says whether an answer still lacks its tokens.
   */
  ofTotals(info: unknown, ofAnswer: boolean): ModelUsage | undefined {
    if (this.#hasRecords) return undefined
    const [total, last] = [field(info, "total_token_usage"), field(info, "last_token_usage")]
    if (!isObject(total)) return isObject(last) && ofAnswer ? usageOf(countsOf(last)) : undefined
    const [before, after] = [this.#total, countsOf(total)]
    this.#total = after
    const grown = before === undefined ? undefined : differenceOf(after, before)
    if (grown !== undefined && COUNTS.every((name) => grown[name] === 0)) return undefined
    // Smaller totals were restarted; use the answer's own count.
    const isLess = grown === undefined || COUNTS.some((name) => grown[name] < 0)
    return usageOf(isLess && isObject(last) ? countsOf(last) : (grown ?? after))
  }
}

const countsOf = (usage: unknown): Counts =>
  Object.fromEntries(COUNTS.map((name) => [name, countOf(usage, name)])) as Counts

const differenceOf = (after: Counts, before: Counts): Counts =>
  Object.fromEntries(COUNTS.map((name) => [name, after[name] - before[name]])) as Counts

const ZERO = countsOf({})

const usageOf = (counts: Counts): ModelUsage => {
  const parts = {
    cachedTokens: counts.cached_input_tokens,
    cacheWriteTokens: counts.cache_write_input_tokens,
    reasoningTokens: counts.reasoning_output_tokens,
  }
  return {
    inputTokens: Math.max(0, counts.input_tokens),
    outputTokens: Math.max(0, counts.output_tokens),
    ...Object.fromEntries(Object.entries(parts).filter(([, count]) => count > 0)),
  }
}
