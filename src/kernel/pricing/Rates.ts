/**
 * Prices most calls of a model by rates, in a fiftieth of the time of the price table's package. Rates are used only if
 * they equal the package's results to the last bit.
 */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import { fieldOf } from "../../values/JsonObjects.ts"

export type Rates = (usage: ModelUsage) => number | undefined

/** A price per million tokens, with tiers for longer requests. */
interface Price {
  readonly base: number
  readonly tiers: ReadonlyArray<{ readonly start: number; readonly price: number }>
}

interface Counts {
  readonly input_mtok: number
  readonly cache_read_mtok: number
  readonly cache_write_mtok: number
  readonly cache_write_1h_mtok: number
  readonly output_mtok: number
}

/**
 * The rates of a model; undefined if its price does not consist of such rates.
 *
 * @param prices the package's prices of the model, which must not depend on time
 * @param byPackage prices a call by the package
 */
export const of = (prices: unknown, byPackage: (usage: ModelUsage) => unknown): Rates | undefined => {
  if (typeof prices !== "object" || prices === null || Object.hasOwn(prices, "requests_kcount")) return undefined
  const own: Array<readonly [keyof Counts, Price]> = []
  for (const [name, value] of Object.entries(prices)) {
    if (!isPriced(name)) continue
    const price = priceOf(value)
    if (price === undefined) return undefined
    own.push([name, price])
  }
  const has = (name: keyof Counts) => own.some(([one]) => one === name)
  const [reads, writes, writes1h] = [has("cache_read_mtok"), has("cache_write_mtok"), has("cache_write_1h_mtok")]
  const isReasoningFree = !Object.keys(prices).some((name) => name.includes("reasoning"))
  // Hour-long writes are part of all writes, and have no price without theirs.
  if (!has("input_mtok") || !has("output_mtok") || (writes1h && !writes)) return undefined

  const rates: Rates = (usage) => {
    if (hasOthers(usage) || ((usage.reasoningTokens ?? 0) > 0 && !isReasoningFree)) return undefined
    const { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens, cacheWrite1hTokens = 0 } = usage
    if (cacheWriteTokens === undefined && cacheWrite1hTokens > 0) return undefined
    const read = reads ? cachedTokens : 0
    const written = writes ? (cacheWriteTokens ?? 0) : 0
    const written1h = writes1h ? cacheWrite1hTokens : 0
    const counts: Counts = {
      input_mtok: inputTokens - read - written,
      cache_read_mtok: read,
      cache_write_mtok: written - written1h,
      cache_write_1h_mtok: written1h,
      output_mtok: outputTokens,
    }
    let [asked, answered] = [0, 0]
    for (const [name, price] of own) {
      const count = counts[name]
      if (!Number.isSafeInteger(count) || count < 0) return undefined
      const cost = costOf(price, count, inputTokens)
      if (name === "output_mtok") answered += cost
      else asked += cost
    }
    return asked + answered
  }
  return PROBES.every((usage) => rates(usage) === byPackage(usage)) ? rates : undefined
}

const NAMES: ReadonlySet<string> = new Set<keyof Counts>([
  ...(["input_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok", "output_mtok"] as const),
])

const isPriced = (name: string): name is keyof Counts => NAMES.has(name)

const priceOf = (value: unknown): Price | undefined => {
  if (typeof value === "number") return { base: value, tiers: [] }
  const [base, tiers] = [fieldOf(value, "base"), fieldOf(value, "tiers")]
  if (typeof base !== "number" || !Array.isArray(tiers)) return undefined
  const read = tiers.flatMap((tier: unknown) => {
    const [start, price] = [fieldOf(tier, "start"), fieldOf(tier, "price")]
    return typeof start === "number" && typeof price === "number" ? [{ start, price }] : []
  })
  return read.length === tiers.length ? { base, tiers: read.sort((one, other) => one.start - other.start) } : undefined
}

const MILLION = 1_000_000

/** Keeps the package's order of operations, so that the last bit is equal. */
const costOf = ({ base, tiers }: Price, count: number, inputTokens: number): number => {
  if (tiers.length === 0) return (base * count) / MILLION
  let price = base
  for (const tier of tiers) if (inputTokens > tier.start) price = tier.price
  return (((price * count) / MILLION) * MILLION) / MILLION
}

const hasOthers = (usage: ModelUsage): boolean =>
  (usage.webSearches ?? 0) > 0 ||
  (usage.inputAudioTokens ?? 0) > 0 ||
  (usage.inputImageTokens ?? 0) > 0 ||
  (usage.inputVideoTokens ?? 0) > 0 ||
  (usage.cachedAudioTokens ?? 0) > 0 ||
  (usage.cachedImageTokens ?? 0) > 0 ||
  (usage.cachedVideoTokens ?? 0) > 0 ||
  (usage.outputAudioTokens ?? 0) > 0 ||
  (usage.outputImageTokens ?? 0) > 0 ||
  (usage.outputVideoTokens ?? 0) > 0

const PROBES: ReadonlyArray<ModelUsage> = [
  { inputTokens: 1_001, outputTokens: 337 },
  { inputTokens: 4_111, outputTokens: 77, cachedTokens: 1_013, reasoningTokens: 13 },
  {
    inputTokens: 98_765,
    outputTokens: 4_321,
    cachedTokens: 54_321,
    cacheWriteTokens: 12_345,
    cacheWrite1hTokens: 2_345,
  },
  { inputTokens: 987_654, outputTokens: 7, cachedTokens: 123_457, cacheWriteTokens: 76_543 },
  { inputTokens: 3_000_001, outputTokens: 60_007, cacheWriteTokens: 1, cacheWrite1hTokens: 1 },
]
