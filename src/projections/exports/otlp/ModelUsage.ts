/** Usage and cost of a model call, as span attributes. */

import type { Json, JsonObject } from "../../../values/Json.ts"
import { asObject } from "../../../values/JsonObjects.ts"

/**
 * The attributes of an answer or a failure: tokens by OpenTelemetry's GenAI conventions, which count cached tokens as
 * input and reasoning as output, and the cost, for which these have no attribute, as `hindcast.model.cost.*`.
 */
export const attributes = ({ usage, cost }: JsonObject): Readonly<Record<string, string | number | undefined>> => {
  const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, reasoningTokens, ...rest } = asObject(usage)
  const known = (name: string, count: Json | undefined) =>
    Array.isArray(rest.unknown) && rest.unknown.includes(name) ? undefined : numberOf(count)
  const { usd, prices, savedUsd } = asObject(cost)
  return {
    "gen_ai.usage.input_tokens": known("inputTokens", inputTokens),
    "gen_ai.usage.output_tokens": known("outputTokens", outputTokens),
    "gen_ai.usage.cache_read.input_tokens": numberOf(cachedTokens),
    "gen_ai.usage.cache_creation.input_tokens": numberOf(cacheWriteTokens),
    "gen_ai.usage.reasoning.output_tokens": numberOf(reasoningTokens),
    "hindcast.model.service_tier": typeof rest.serviceTier === "string" ? rest.serviceTier : undefined,
    "hindcast.model.web_searches": numberOf(rest.webSearches),
    "hindcast.model.cost.usd": numberOf(usd),
    "hindcast.model.cost.saved_usd": numberOf(savedUsd),
    "hindcast.model.cost.prices": typeof prices === "string" ? prices : undefined,
  }
}

const numberOf = (value: Json | undefined): number | undefined => (typeof value === "number" ? value : undefined)
