/** What an answer cost, by the table of prices in `@pydantic/genai-prices`, an optional package. */

import { Effect } from "effect"
import type { ModelCost, ModelUsage } from "../../events/vocabulary/Deciding.ts"
import { fieldOf } from "./Field.ts"
import * as OptionalPackage from "./OptionalPackage.ts"

const PACKAGE = "@pydantic/genai-prices"

/** The minor version that fits: before 1.0 each may break. */
const VERSION = "0.1"

/**
 * Providers whose models have one price. A compatible server and Ollama may serve a model by the name of one that is
 * sold elsewhere: their prices are not known.
 */
const PRICED: ReadonlySet<string> = new Set(["anthropic", "openai", "google"])

/**
 * The cost of one answer. Null if the model has no price in the table, or the package is not installed. No request is
 * made: the table is the package's own, and its version is in the result.
 */
export const costOf = (
  provider: string,
  model: string,
  usage: ModelUsage,
  places?: ReadonlyArray<NodeJS.Require>,
): Effect.Effect<ModelCost | null> =>
  PRICED.has(provider)
    ? OptionalPackage.load(PACKAGE, VERSION, places).pipe(
        Effect.map(({ version, exports }) => {
          const usd = priceOf(exports.get("calcPrice"), provider, model, usage)
          return usd === undefined ? null : { usd, prices: `genai-prices@${version}` }
        }),
        Effect.orElseSucceed(() => null),
      )
    : Effect.succeed(null)

const priceOf = (calculate: unknown, providerId: string, model: string, usage: ModelUsage): number | undefined => {
  if (typeof calculate !== "function") return undefined
  const { inputTokens, outputTokens, cachedTokens = 0 } = usage
  const units = {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_tokens: Math.min(cachedTokens, inputTokens),
  }
  try {
    const total = fieldOf(calculate(units, model, { providerId }), "total_price")
    return typeof total === "number" && Number.isFinite(total) && total >= 0 ? total : undefined
  } catch {
    // The package throws where it has no price for one of the units.
    return undefined
  }
}
