/**
 * Reads a model's usage from its provider's JSON, for live agents, recordings and imports. Leaves out counts that the
 * provider does not give.
 */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"

/** Caps counts: no answer has as many tokens. */
export const MOST_TOKENS = 2 ** 40

export interface UsageFormat {
  /** Finds the raw usage in an answer or in a piece of its stream; undefined or null if there is none. */
  readonly inPiece: (piece: unknown) => unknown
  /** Reads the raw usage; empty without counts. */
  readonly read: (usage: unknown) => Partial<ModelUsage>
}

/**
 * Anthropic's messages, which count cache reads and writes next to `input_tokens`; absent or null means none. An answer
 * in several steps lists them (`iterations`): no other count includes a compaction.
 */
export const anthropic: UsageFormat = {
  inPiece: (piece) => fieldOf(fieldOf(piece, "message"), "usage") ?? fieldOf(piece, "usage"),
  read: (usage) => {
    const { own, others } = stepsOf(usage)
    const total = (...path: ReadonlyArray<string>) =>
      own.reduce<number | undefined>((all, step) => sum(all, count(step, ...path)), undefined)
    const [fresh, written, read] = [
      total("input_tokens"),
      total("cache_creation_input_tokens"),
      total("cache_read_input_tokens"),
    ]
    return known({
      inputTokens: fresh === undefined ? undefined : fresh + (written ?? 0) + (read ?? 0),
      outputTokens: total("output_tokens"),
      cachedTokens: fresh === undefined ? read : (read ?? 0),
      cacheWriteTokens: fresh === undefined ? written : (written ?? 0),
      cacheWrite1hTokens: total("cache_creation", "ephemeral_1h_input_tokens"),
      otherModelTokens: others.reduce<number | undefined>((all, step) => sum(all, allTokens(step)), undefined),
      reasoningTokens: count(usage, "output_tokens_details", "thinking_tokens"),
      webSearches: count(usage, "server_tool_use", "web_search_requests"),
      serviceTier: textOf(fieldOf(usage, "service_tier")),
    })
  },
}

/**
 * Splits the steps of an Anthropic answer into those of the requested model and of others, such as an advisor. If
 * another model took over, the whole usage is its own, and the steps before belong to the other one.
 */
const stepsOf = (usage: unknown) => {
  const steps = listOf(usage, "iterations")
  const hasType =
    (...types: ReadonlyArray<string>) =>
    (step: unknown) =>
      types.includes(String(fieldOf(step, "type")))
  const own = steps.filter(hasType("message", "compaction"))
  if (steps.some(hasType("fallback_message"))) return { own: [usage], others: own }
  return { own: own.length === 0 ? [usage] : own, others: steps.filter((step) => !own.includes(step)) }
}

const allTokens = (step: unknown): number | undefined =>
  ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"].reduce<
    number | undefined
  >((all, name) => sum(all, count(step, name)), undefined)

/** OpenAI's chat completions and responses, which name the tier and list web searches outside `usage`. */
export const openAi: UsageFormat = {
  inPiece: (piece) => {
    const response = fieldOf(piece, "response") ?? piece
    // Groq streams it elsewhere.
    const usage = fieldOf(response, "usage") ?? fieldOf(fieldOf(response, "x_groq"), "usage")
    if (typeof usage !== "object" || usage === null) return undefined
    const searches = listOf(response, "output").filter((item) => fieldOf(item, "type") === "web_search_call").length
    return { ...usage, service_tier: fieldOf(response, "service_tier"), ...(searches === 0 ? {} : { searches }) }
  },
  read: (usage) => {
    const [input, output] = [
      fieldOf(usage, "prompt_tokens_details") ?? fieldOf(usage, "input_tokens_details"),
      fieldOf(usage, "completion_tokens_details") ?? fieldOf(usage, "output_tokens_details"),
    ]
    const inputTokens = count(usage, "prompt_tokens") ?? count(usage, "input_tokens")
    return known({
      inputTokens,
      outputTokens: withUnlisted(
        count(usage, "completion_tokens") ?? count(usage, "output_tokens"),
        inputTokens,
        count(usage, "total_tokens"),
      ),
      cachedTokens: count(input, "cached_tokens") ?? count(usage, "prompt_cache_hit_tokens"),
      cacheWriteTokens: count(input, "cache_write_tokens"),
      inputAudioTokens: count(input, "audio_tokens"),
      inputImageTokens: count(input, "image_tokens"),
      reasoningTokens: count(output, "reasoning_tokens"),
      outputAudioTokens: count(output, "audio_tokens"),
      outputImageTokens: count(output, "image_tokens"),
      webSearches: count(usage, "searches"),
      serviceTier: textOf(fieldOf(usage, "service_tier")),
    })
  },
}

/** xAI and Gemini's compatible server count thoughts only in the total. */
const withUnlisted = (
  output: number | undefined,
  input: number | undefined,
  total: number | undefined,
): number | undefined =>
  output === undefined || input === undefined || total === undefined ? output : Math.max(output, total - input)

/** Gemini's answers, which count thoughts and results of its own tools separately. */
export const gemini: UsageFormat = {
  inPiece: (piece) => fieldOf(piece, "usageMetadata"),
  read: (usage) => {
    const [input, output, cached] = [
      [...listOf(usage, "promptTokensDetails"), ...listOf(usage, "toolUsePromptTokensDetails")],
      listOf(usage, "candidatesTokensDetails"),
      listOf(usage, "cacheTokensDetails"),
    ]
    return known({
      inputTokens: sum(count(usage, "promptTokenCount"), count(usage, "toolUsePromptTokenCount")),
      outputTokens: sum(count(usage, "candidatesTokenCount"), count(usage, "thoughtsTokenCount")),
      cachedTokens: count(usage, "cachedContentTokenCount"),
      reasoningTokens: count(usage, "thoughtsTokenCount"),
      inputAudioTokens: ofModality(input, "AUDIO"),
      inputImageTokens: ofModality(input, "IMAGE", "DOCUMENT"),
      inputVideoTokens: ofModality(input, "VIDEO"),
      cachedAudioTokens: ofModality(cached, "AUDIO"),
      cachedImageTokens: ofModality(cached, "IMAGE", "DOCUMENT"),
      cachedVideoTokens: ofModality(cached, "VIDEO"),
      outputAudioTokens: ofModality(output, "AUDIO"),
      outputImageTokens: ofModality(output, "IMAGE"),
      outputVideoTokens: ofModality(output, "VIDEO"),
      serviceTier: textOf(fieldOf(usage, "serviceTier")) ?? textOf(fieldOf(usage, "trafficType")),
    })
  },
}

export const ollama: UsageFormat = {
  inPiece: (piece) => (fieldOf(piece, "done") === true ? piece : undefined),
  read: (piece) => known({ inputTokens: count(piece, "prompt_eval_count"), outputTokens: count(piece, "eval_count") }),
}

/** Gemini's interactions, which count thoughts and the input of Google's own tools separately. */
export const interactions: UsageFormat = {
  inPiece: (piece) => fieldOf(piece, "usage") ?? fieldOf(fieldOf(piece, "interaction"), "usage"),
  read: (usage) =>
    known({
      inputTokens: sum(count(usage, "total_input_tokens"), count(usage, "total_tool_use_tokens")),
      outputTokens: sum(count(usage, "total_output_tokens"), count(usage, "total_thought_tokens")),
      cachedTokens: count(usage, "total_cached_tokens"),
      reasoningTokens: count(usage, "total_thought_tokens"),
    }),
}

/** Bedrock's `converse`, which counts cache reads and writes next to `inputTokens`. */
export const bedrock: UsageFormat = {
  inPiece: (piece) => fieldOf(piece, "usage"),
  read: (usage) => {
    const [fresh, written, read] = [
      count(usage, "inputTokens"),
      count(usage, "cacheWriteInputTokens"),
      count(usage, "cacheReadInputTokens"),
    ]
    return known({
      inputTokens: fresh === undefined ? undefined : fresh + (written ?? 0) + (read ?? 0),
      outputTokens: count(usage, "outputTokens"),
      cachedTokens: read,
      cacheWriteTokens: written,
    })
  },
}

/** Cohere's answers: the model's tokens, or else the billed ones. */
export const cohere: UsageFormat = {
  inPiece: (piece) => fieldOf(piece, "usage") ?? fieldOf(fieldOf(piece, "delta"), "usage"),
  read: (usage) =>
    known({
      inputTokens: count(usage, "tokens", "input_tokens") ?? count(usage, "billed_units", "input_tokens"),
      outputTokens: count(usage, "tokens", "output_tokens") ?? count(usage, "billed_units", "output_tokens"),
      cachedTokens: count(usage, "cached_tokens"),
    }),
}

/** Embeddings of OpenAI (`usage`), Cohere (`meta`), Ollama and Gemini. Their answers have no tokens. */
export const embeddings: UsageFormat = {
  inPiece: (piece) => ({
    ...asFields(piece),
    ...asFields(fieldOf(piece, "usage")),
    ...asFields(fieldOf(fieldOf(piece, "meta"), "billed_units")),
    ...asFields(fieldOf(piece, "usageMetadata")),
  }),
  read: (usage) => {
    const inputTokens =
      count(usage, "prompt_tokens") ??
      count(usage, "input_tokens") ??
      count(usage, "prompt_eval_count") ??
      count(usage, "promptTokenCount")
    return inputTokens === undefined ? {} : { inputTokens, outputTokens: 0 }
  },
}

const asFields = (value: unknown): object => (typeof value === "object" && value !== null ? value : {})

export interface Counted {
  /** Takes a piece. Its fields override those of earlier pieces. */
  readonly take: (piece: unknown) => void
  readonly usage: () => Partial<ModelUsage>
  readonly cost: () => number | undefined
}

export const counting = ({ inPiece, read }: UsageFormat): Counted => {
  let found: unknown
  return {
    take: (piece) => {
      const said = inPiece(piece)
      if (said !== undefined && said !== null) found = merged(found, said)
    },
    usage: () => read(found),
    cost: () => costIn(found),
  }
}

export const UNKNOWN: ModelUsage = { inputTokens: 0, outputTokens: 0, unknown: ["inputTokens", "outputTokens"] }

/** Counts that a provider or a file states; undefined ones are unknown. */
export type Counts = { readonly [name in keyof ModelUsage]?: ModelUsage[name] | undefined }

/** Completes a usage, of which everything may be unknown. */
export const wholeOrUnknown = (counts: Counts): ModelUsage => whole(counts) ?? UNKNOWN

/**
 * Completes a usage; undefined if neither request nor answer was counted. If only one was, marks the other as unknown.
 */
export const whole = (counts: Counts): ModelUsage | undefined => {
  const usage = known(counts)
  const { inputTokens, outputTokens } = usage
  if (inputTokens === undefined && outputTokens === undefined) return undefined
  if (inputTokens === undefined)
    return { ...usage, inputTokens: 0, outputTokens: outputTokens ?? 0, unknown: ["inputTokens"] }
  return outputTokens === undefined
    ? { ...usage, inputTokens, outputTokens: 0, unknown: ["outputTokens"] }
    : { ...usage, inputTokens, outputTokens }
}

/**
 * The cost in US dollars that a provider names: OpenRouter as `cost` (plus the provider's charge with the user's own
 * key), Perplexity as `cost.total_cost`, and xAI in ticks (https://docs.x.ai/developers/cost-tracking).
 */
const costIn = (usage: unknown): number | undefined => {
  const ticks = dollars(fieldOf(usage, "cost_in_usd_ticks"))
  if (ticks !== undefined) return ticks / TICKS
  const cost = fieldOf(usage, "cost")
  const [total, own] = [dollars(fieldOf(cost, "total_cost")), dollars(cost)]
  if (total !== undefined || own === undefined || fieldOf(usage, "is_byok") !== true) return total ?? own
  return own + (dollars(fieldOf(fieldOf(usage, "cost_details"), "upstream_inference_cost")) ?? 0)
}

const TICKS = 1e10

const dollars = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined

const merged = (before: unknown, later: unknown): unknown =>
  typeof before === "object" && before !== null && typeof later === "object" && later !== null
    ? { ...before, ...Object.fromEntries(Object.entries(later).filter(([, value]) => value !== null)) }
    : later

const count = (value: unknown, ...path: ReadonlyArray<string>): number | undefined => {
  const found = path.reduce<unknown>(fieldOf, value)
  return typeof found === "number" && Number.isFinite(found) && found >= 0
    ? Math.min(Math.round(found), MOST_TOKENS)
    : undefined
}

const sum = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0)

const listOf = (value: unknown, name: string): ReadonlyArray<unknown> => {
  const found = fieldOf(value, name)
  return Array.isArray(found) ? found : []
}

const ofModality = (counts: ReadonlyArray<unknown>, ...names: ReadonlyArray<string>): number | undefined =>
  counts
    .filter((one) => names.includes(String(fieldOf(one, "modality"))))
    .reduce<number | undefined>((total, one) => sum(total, count(one, "tokenCount")), undefined)

const known = (counts: Counts): Partial<ModelUsage> =>
  Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== undefined))
