/**
 * What the pieces of a stream tell as the provider wrote them, which its package does not pass on: tokens that are known
 * before the end, refusals, and whether the answer came to its end.
 */

import type { ModelUsage } from "../../../events/vocabulary/Deciding.ts"
import { fieldOf, textOf } from "../Field.ts"

/** How to read the pieces of one provider. */
export interface RawReading {
  /** The tokens used so far, as far as this piece says. */
  readonly usage?: (piece: unknown) => Partial<ModelUsage>
  /** The text of a refusal in this piece. */
  readonly refusal?: (piece: unknown) => string | undefined
  /** Whether this piece is the last of a whole answer. Only where the package does not notice an answer that was cut. */
  readonly isEnd?: (piece: unknown) => boolean
}

export const none: RawReading = {}

/** `message_start` says what went in, `message_delta` what came out. */
export const anthropic: RawReading = {
  usage: (piece) => {
    const usage = fieldOf(fieldOf(piece, "message"), "usage") ?? fieldOf(piece, "usage")
    const [fresh, written, cachedTokens] = [
      tokens(usage, "input_tokens"),
      tokens(usage, "cache_creation_input_tokens"),
      tokens(usage, "cache_read_input_tokens"),
    ]
    return counted({
      inputTokens: fresh === undefined ? undefined : fresh + (written ?? 0) + (cachedTokens ?? 0),
      outputTokens: tokens(usage, "output_tokens"),
      cachedTokens,
      reasoningTokens: undefined,
    })
  },
}

/** Every piece says what went in and came out so far. */
export const google: RawReading = {
  usage: (piece) => {
    const usage = fieldOf(piece, "usageMetadata")
    const [text, reasoningTokens] = [tokens(usage, "candidatesTokenCount"), tokens(usage, "thoughtsTokenCount")]
    return counted({
      inputTokens: tokens(usage, "promptTokenCount"),
      outputTokens:
        text === undefined && reasoningTokens === undefined ? undefined : (text ?? 0) + (reasoningTokens ?? 0),
      cachedTokens: tokens(usage, "cachedContentTokenCount"),
      reasoningTokens,
    })
  },
}

/** An answer with tool calls that was cut between two lines looks whole to the package. */
export const ollama: RawReading = { isEnd: (piece) => fieldOf(piece, "done") === true }

/** The package knows no refusals. */
export const openaiCompatible: RawReading = {
  refusal: (piece) => textOf(fieldOf(fieldOf(fieldOf(fieldOf(piece, "choices"), "0"), "delta"), "refusal")),
}

/** More tokens than any answer has. A server that says more is not believed: what it says has to be a whole number. */
export const MOST_TOKENS = 2 ** 40

const tokens = (usage: unknown, name: string): number | undefined => {
  const count = fieldOf(usage, name)
  return typeof count === "number" && Number.isFinite(count) && count >= 0
    ? Math.min(Math.round(count), MOST_TOKENS)
    : undefined
}

const counted = (usage: { readonly [K in keyof ModelUsage]-?: number | undefined }): Partial<ModelUsage> =>
  Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== undefined))
