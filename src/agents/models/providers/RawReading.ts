/**
 * Reads facts from a provider's raw stream that its package does not pass on: early token counts, refusals, and whether
 * the answer is complete.
 */

import * as ProviderUsage from "../../../kernel/pricing/ProviderUsage.ts"
import { fieldOf, textOf } from "../../../values/JsonObjects.ts"

export interface RawReading {
  readonly usage?: ProviderUsage.UsageFormat
  readonly refusal?: (piece: unknown) => string | undefined
  /** Whether this piece completes an answer. Set only if the package does not notice an answer that was cut off. */
  readonly isEnd?: (piece: unknown) => boolean
}

export const anthropic: RawReading = { usage: ProviderUsage.anthropic }

export const openai: RawReading = { usage: ProviderUsage.openAi }

export const google: RawReading = { usage: ProviderUsage.gemini }

/** The package takes an answer with tool calls that was cut off between two lines for a whole one. */
export const ollama: RawReading = { usage: ProviderUsage.ollama, isEnd: (piece) => fieldOf(piece, "done") === true }

/** The package knows no refusals. */
export const openaiCompatible: RawReading = {
  usage: ProviderUsage.openAi,
  refusal: (piece) => textOf(fieldOf(fieldOf(fieldOf(fieldOf(piece, "choices"), "0"), "delta"), "refusal")),
}
