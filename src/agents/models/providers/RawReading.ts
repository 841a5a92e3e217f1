/**
 * What the pieces of a stream tell as the provider wrote them, which its package does not pass on: tokens that are known
 * before the end, refusals, and whether the answer came to its end.
 */

import * as ProviderUsage from "../../../kernel/pricing/ProviderUsage.ts"
import { fieldOf, textOf } from "../../../values/JsonObjects.ts"

/** How to read the pieces of one provider. */
export interface RawReading {
  /** How it writes the tokens used so far. */
  readonly usage?: ProviderUsage.UsageFormat
  /** The text of a refusal in this piece. */
  readonly refusal?: (piece: unknown) => string | undefined
  /** Whether this piece is the last of a whole answer. Only where the package does not notice an answer that was cut. */
  readonly isEnd?: (piece: unknown) => boolean
}

export const anthropic: RawReading = { usage: ProviderUsage.anthropic }

export const openai: RawReading = { usage: ProviderUsage.openAi }

export const google: RawReading = { usage: ProviderUsage.gemini }

/** An answer with tool calls that was cut between two lines looks whole to the package. */
export const ollama: RawReading = { usage: ProviderUsage.ollama, isEnd: (piece) => fieldOf(piece, "done") === true }

/** The package knows no refusals. */
export const openaiCompatible: RawReading = {
  usage: ProviderUsage.openAi,
  refusal: (piece) => textOf(fieldOf(fieldOf(fieldOf(fieldOf(piece, "choices"), "0"), "delta"), "refusal")),
}
