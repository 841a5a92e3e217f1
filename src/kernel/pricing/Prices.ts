/**
 * Prices model calls by the table of `@pydantic/genai-prices`, an optional package, for live agents, recordings,
 * imports and repricing.
 */

import { Effect } from "effect"
import type { ModelCost, ModelUsage } from "../../events/vocabulary/Deciding.ts"
import * as OptionalPackage from "../../platform/packages/OptionalPackage.ts"
import { fieldOf } from "../../values/JsonObjects.ts"
import * as Rates from "./Rates.ts"

const PACKAGE = "@pydantic/genai-prices"

/** Minor versions may break before 1.0. */
const VERSION = "0.1"

/**
 * Providers whose models have one price. A compatible server and Ollama may serve a model under another one's name, and
 * Azure under any name, so their prices are unknown.
 */
const PRICED: ReadonlySet<string> = new Set([
  ...["anthropic", "openai", "google", "aws", "cerebras", "cohere", "deepseek", "fireworks", "groq", "mistral"],
  ...["moonshotai", "together", "x-ai"],
])

export const isPriced = (provider: string): boolean => PRICED.has(provider)

/** The value of `ModelCost.prices` if the provider or an imported file names the cost itself. */
export const SOURCE = "source"

/** A cost in US dollars that a source names, which overrides every table; null for none. */
export const costOfSource = (usd: number | undefined): ModelCost | null =>
  usd === undefined || !Number.isFinite(usd) || usd < 0 ? null : { usd, prices: SOURCE }

export interface Unpriced {
  readonly why: string
}

export interface PriceTable {
  /**
   * Returns the cost of one call, or why it is unknown: the table has no price for the model or for a part of its
   * usage, a required count is missing or contradicts another, no tokens are on record, or the provider did not serve
   * its standard tier. The cost of a call that used a cache also has `savedUsd`.
   *
   * @param at when the model answered, in milliseconds since 1970: prices change. Default: now
   */
  readonly price: (provider: string, model: string, usage: ModelUsage, at?: number) => ModelCost | Unpriced
  /** Like `price`; null for an unknown cost. */
  readonly costOf: (provider: string, model: string, usage: ModelUsage, at?: number) => ModelCost | null
}

const tableOf = (price: PriceTable["price"]): PriceTable => ({
  price,
  costOf: (provider, model, usage, at) => {
    const priced = price(provider, model, usage, at)
    return "usd" in priced ? priced : null
  },
})

/** A table without prices: every cost is unknown. */
export const unknown: PriceTable = tableOf(() => ({ why: `${PACKAGE} ${VERSION} is not installed` }))

/**
 * Loads the price table; `unknown` if the package is not installed. Makes no request, because the package contains the
 * table.
 *
 * @param places where to look for the package. Default: next to Hindcast
 */
export const load = (places?: ReadonlyArray<NodeJS.Require>): Effect.Effect<PriceTable> =>
  OptionalPackage.load(PACKAGE, VERSION, places).pipe(
    Effect.map(({ version, exports }): PriceTable => {
      const [prices, calculate] = [`genai-prices@${version}`, calculating(exports.get("calcPrice"))]
      return tableOf((provider, model, usage, at) => {
        const priced = priceOf(calculate, provider, model, usage, at)
        if (typeof priced === "string") return { why: priced }
        const uncached = usesCache(usage) ? priceOf(calculate, provider, model, withoutCache(usage), at) : undefined
        return { usd: priced, prices, ...(typeof uncached === "number" ? { savedUsd: uncached - priced } : {}) }
      })
    }),
    Effect.orElseSucceed(() => unknown),
  )

/**
 * The cost of a call that just ended (see `PriceTable.costOf`). Missing cache writes count as 0, since `ProviderUsage`
 * reads them wherever there are any.
 */
export const costOf = (
  provider: string,
  model: string,
  usage: ModelUsage,
  places?: ReadonlyArray<NodeJS.Require>,
): Effect.Effect<ModelCost | null> =>
  PRICED.has(provider)
    ? Effect.map(load(places), (table) => table.costOf(provider, model, { cacheWriteTokens: 0, ...usage }))
    : Effect.succeed(null)

/** Whether a call read from its provider's cache or wrote to it, as far as its usage says. */
export const usesCache = ({ cachedTokens = 0, cacheWriteTokens = 0 }: ModelUsage): boolean =>
  cachedTokens > 0 || cacheWriteTokens > 0

/** The same call at a provider without a cache: it pays the full price for the whole request. */
const withoutCache = ({
  cachedTokens: _read,
  cacheWriteTokens: _written,
  cacheWrite1hTokens: _written1h,
  cachedAudioTokens: _audio,
  cachedImageTokens: _image,
  cachedVideoTokens: _video,
  ...usage
}: ModelUsage): ModelUsage => ({ ...usage, cachedTokens: 0, cacheWriteTokens: 0 })

/** Tiers at the list price. A provider that names none served its standard tier. */
const STANDARD: ReadonlySet<string> = new Set(["standard", "default", "on_demand"])

const isStandard = ({ serviceTier }: ModelUsage) => serviceTier === undefined || STANDARD.has(serviceTier.toLowerCase())

/** Anthropic charges more for cache writes. Without their count, the price of a request is unknown. */
const hasCacheWrites = (providerId: string, { inputTokens, cacheWriteTokens }: ModelUsage) =>
  providerId !== "anthropic" || inputTokens === 0 || cacheWriteTokens !== undefined

type Calculate = (provider: string, model: string, usage: ModelUsage, at: number | undefined) => unknown

interface Calculating {
  readonly calculate: Calculate
  readonly ratesOf: (provider: string, model: string) => Rates.Rates | undefined
}

/** Maximum number of models whose rates are kept: names come from outside. */
const MOST_MODELS = 1_000

const calculating = (calcPrice: unknown): Calculating | undefined => {
  if (typeof calcPrice !== "function") return undefined
  const calculate: Calculate = (providerId, model, usage, at) =>
    calcPrice(unitsOf(usage), model, { providerId, ...(at === undefined ? {} : { timestamp: new Date(at) }) })
  const known = new Map<string, Rates.Rates | undefined>()
  const found = (provider: string, model: string): Rates.Rates | undefined => {
    const of = (usage: ModelUsage) => calculate(provider, model, usage, undefined)
    try {
      const price = of({ inputTokens: 1, outputTokens: 1 })
      if (Array.isArray(fieldOf(fieldOf(price, "model"), "prices"))) return undefined
      return Rates.of(fieldOf(price, "model_price"), (usage) => fieldOf(of(usage), "total_price"))
    } catch {
      return undefined
    }
  }
  return {
    calculate,
    ratesOf: (provider, model) => {
      const key = `${provider}\n${model}`
      const before = known.get(key)
      if (before !== undefined || known.has(key)) return before
      if (known.size >= MOST_MODELS) known.clear()
      const rates = found(provider, model)
      known.set(key, rates)
      return rates
    },
  }
}

const priceOf = (
  calculating: Calculating | undefined,
  providerId: string,
  model: string,
  usage: ModelUsage,
  at: number | undefined,
): number | string => {
  if (calculating === undefined) return `${PACKAGE} has no calcPrice`
  // A provider that reports no usage is recorded as 0 tokens, which no request has.
  const { inputTokens, outputTokens } = usage
  if (inputTokens === 0 && outputTokens === 0) return "its tokens are not on record"
  if (usage.unknown !== undefined) return `${NAMES[usage.unknown[0]]} is not on record`
  if ((usage.otherModelTokens ?? 0) > 0) return "it also used other models, which have other prices"
  if (!PRICED.has(providerId)) return `the prices of ${providerId} are not known`
  if (!isStandard(usage)) return `the service tier ${usage.serviceTier} has no price in the table`
  if (!hasCacheWrites(providerId, usage)) return "the number of tokens written to the cache is not on record"
  const byRates = calculating.ratesOf(providerId, model)?.(usage)
  if (byRates !== undefined) return byRates
  try {
    const price = calculating.calculate(providerId, model, usage, at)
    // The package omits a unit without a price, and prices a part without a price of its own like the whole.
    if ((usage.webSearches ?? 0) > 0 && fieldOf(fieldOf(price, "model_price"), "web_searches_kcount") === undefined) {
      return "web searches have no price in the table"
    }
    const total = fieldOf(price, "total_price")
    return typeof total === "number" && Number.isFinite(total) && total >= 0 ? total : NO_PRICE
  } catch {
    return "the counts contradict each other"
  }
}

const NAMES = { inputTokens: "the number of tokens of the request", outputTokens: "the number of tokens of the answer" }

const NO_PRICE = "the model has no price in the table"

/** The usage in the table's units. Cache writes of unknown duration count as five-minute ones, the default. */
const unitsOf = (usage: ModelUsage): Readonly<Record<string, number | undefined>> => ({
  input_tokens: usage.inputTokens,
  output_tokens: usage.outputTokens,
  cache_read_tokens: usage.cachedTokens,
  cache_write_tokens: usage.cacheWriteTokens,
  cache_write_1h_tokens: usage.cacheWrite1hTokens,
  output_reasoning_tokens: usage.reasoningTokens,
  input_audio_tokens: usage.inputAudioTokens,
  input_image_tokens: usage.inputImageTokens,
  input_video_tokens: usage.inputVideoTokens,
  cache_audio_read_tokens: usage.cachedAudioTokens,
  cache_image_read_tokens: usage.cachedImageTokens,
  cache_video_read_tokens: usage.cachedVideoTokens,
  output_audio_tokens: usage.outputAudioTokens,
  output_image_tokens: usage.outputImageTokens,
  output_video_tokens: usage.outputVideoTokens,
  web_searches: usage.webSearches,
})
