/**
 * What Codex says of tokens: a total after each answer, which it says again when nothing was asked meanwhile, and since 0.170 a record for
 * each answer. Totals decide: the same total is no further answer, and an answer used what the total grew by.
 */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import { countOf, field, isObject, textOf } from "../runs/Untrusted.ts"

const COUNTS = [
  ...(["input_tokens", "cached_input_tokens", "cache_write_input_tokens"] as const),
  ...(["output_tokens", "reasoning_output_tokens"] as const),
] as const

type Counts = Readonly<Record<(typeof COUNTS)[number], number>>

export class TokenCounts {
  /** Undefined as long as the totals of what came before are not known. */
  #total: Counts | undefined
  #hasRecords = false
  readonly #responses = new Set<string>()

  /** @param goesOn whether totals count what another rollout used before, which this one was forked from */
  constructor(goesOn: boolean) {
    this.#total = goesOn ? undefined : ZERO
  }

  /** The tokens of an answer, of the record that is made of each; undefined where it is none, or there is one already. */
  ofRecord(payload: unknown): ModelUsage | undefined {
    const usage = field(payload, "usage")
    const id = textOf(payload, "response_id")
    if (!isObject(usage) || (id !== undefined && this.#responses.has(id))) return undefined
    this.#hasRecords = true
    if (id !== undefined) this.#responses.add(id)
    return usageOf(countsOf(usage))
  }

  /**
   * The tokens of an answer, by the totals after it; undefined where nothing was used since the last ones. Early versions told the last
   * answer's alone, more than once too: `ofAnswer` says whether an answer is there whose tokens are not known.
   */
  ofTotals(info: unknown, ofAnswer: boolean): ModelUsage | undefined {
    if (this.#hasRecords) return undefined
    const [total, last] = [field(info, "total_token_usage"), field(info, "last_token_usage")]
    if (!isObject(total)) return isObject(last) && ofAnswer ? usageOf(countsOf(last)) : undefined
    const [before, after] = [this.#total, countsOf(total)]
    this.#total = after
    const grown = before === undefined ? undefined : differenceOf(after, before)
    if (grown !== undefined && COUNTS.every((name) => grown[name] === 0)) return undefined
    // Totals that became less were begun anew: then the answer says what it used.
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
