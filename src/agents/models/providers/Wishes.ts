/**
 * Translates `reasoning` and `serviceTier` into the options of each provider's package. A wish that a provider cannot
 * fulfil fails the request: a model that silently reasons less, or at another price, is worse.
 */

import { Either, Option } from "effect"
import { defined } from "../../../values/defined.ts"
import type { JsonObject } from "../../../values/Json.ts"
import type { Effort, Reasoning, ServiceTier, TurnRequest } from "../Model.ts"

/** How one provider takes wishes. Each function returns the package's options, or undefined if it has none for it. */
export interface Wishes {
  /** The key of the provider in `providerOptions`. */
  readonly key: string
  readonly reasoning: (reasoning: Reasoning, model: string) => JsonObject | undefined
  readonly serviceTier: (tier: ServiceTier) => JsonObject | undefined
}

/** The options for a request, by provider; left: why the provider cannot fulfil a wish. */
export const optionsFor = (
  { key, reasoning, serviceTier }: Wishes,
  provider: string,
  model: string,
  request: Pick<TurnRequest, "reasoning" | "serviceTier">,
): Either.Either<{ readonly [provider: string]: JsonObject }, string> => {
  const asked: Array<JsonObject> = []
  if (request.reasoning !== undefined) {
    const options = reasoning(request.reasoning, model)
    if (options === undefined) return Either.left(refusal(provider, model, "reasoning", request.reasoning))
    asked.push(options)
  }
  if (request.serviceTier !== undefined) {
    const options = serviceTier(request.serviceTier)
    if (options === undefined) return Either.left(refusal(provider, model, "serviceTier", request.serviceTier))
    asked.push(options)
  }
  return Either.right(asked.length === 0 ? {} : { [key]: Object.assign({}, ...asked) })
}

/** Why a provider cannot fulfil a wish of a request; undefined if it can. */
export const unfulfilled = (...of: Parameters<typeof optionsFor>): string | undefined =>
  Option.getOrUndefined(Either.getLeft(optionsFor(...of)))

const refusal = (provider: string, model: string, name: string, wish: Reasoning | ServiceTier): string =>
  `expected a ${name} that ${provider} takes for ${model}, found ${JSON.stringify(wish)}; leave it out, or give the provider's own option in providerOptions`

const budgetOf = (reasoning: Reasoning): number | undefined =>
  typeof reasoning === "object" ? reasoning.budgetTokens : undefined

/**
 * Tokens of reasoning at models that take no effort, only a budget. Anthropic accepts 1,024 or more, and fewer than the
 * 32,000 of an answer of Claude Opus 4; Gemini 2.5 Flash accepts at most 24,576.
 */
const BUDGETS: { readonly [effort in Exclude<Effort, "off">]: number } = {
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  max: 24_576,
}

/** Claude up to 4.5, which have no adaptive thinking. The package knows which models reject budgets. */
const ONLY_BUDGETS = /claude-(?:[23]|(?:opus|sonnet|haiku)-4(?!-[6-9](?!\d)))/

export const anthropic: Wishes = {
  key: "anthropic",
  reasoning: (reasoning, model) => {
    if (reasoning === "off") return { thinking: { type: "disabled" } }
    if (typeof reasoning === "object") return { thinking: { type: "enabled", budgetTokens: reasoning.budgetTokens } }
    if (ONLY_BUDGETS.test(model)) return { thinking: { type: "enabled", budgetTokens: BUDGETS[reasoning] } }
    return { thinking: { type: "adaptive" }, effort: reasoning === "minimal" ? "low" : reasoning }
  },
  serviceTier: () => undefined,
}

export const openai: Wishes = {
  key: "openai",
  reasoning: (reasoning) =>
    typeof reasoning === "object" ? undefined : { reasoningEffort: reasoning === "off" ? "none" : reasoning },
  serviceTier: (tier) => ({ serviceTier: tier === "standard" ? "default" : tier }),
}

export const google: Wishes = {
  key: "google",
  reasoning: (reasoning, model) => {
    const isOld = /gemini-(?:1|2)/.test(model)
    if (reasoning === "off") {
      return { thinkingConfig: isOld ? { thinkingBudget: 0 } : { thinkingLevel: "minimal" } }
    }
    const budget = budgetOf(reasoning) ?? (isOld && typeof reasoning === "string" ? BUDGETS[reasoning] : undefined)
    const level = reasoning === "max" ? "high" : typeof reasoning === "string" ? reasoning : undefined
    return {
      thinkingConfig: {
        includeThoughts: true,
        ...(budget === undefined ? defined({ thinkingLevel: level }) : { thinkingBudget: budget }),
      },
    }
  },
  serviceTier: (tier) => ({ serviceTier: tier }),
}

export const ollama: Wishes = {
  key: "ollama",
  reasoning: (reasoning) => (typeof reasoning === "object" ? undefined : { think: reasoning !== "off" }),
  serviceTier: () => undefined,
}

/** Servers name their efforts as OpenAI does. */
export const openaiCompatible = (key: string): Wishes => ({
  key,
  reasoning: openai.reasoning,
  serviceTier: () => undefined,
})
