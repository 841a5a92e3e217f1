/** A streamed answer: its parts, its tokens, and how it ended. */

import type { LanguageModelV3FinishReason, LanguageModelV3StreamPart, LanguageModelV3Usage } from "@ai-sdk/provider"
import type { ModelUsage } from "../../../events/vocabulary/Deciding.ts"
import * as ProviderUsage from "../../../kernel/pricing/ProviderUsage.ts"
import { fieldOf, textOf } from "../../../values/JsonObjects.ts"
import { meaningOf } from "../FinishReason.ts"
import type { AnswerPart } from "../Message.ts"
import type { Delta } from "../Model.ts"
import type { StreamedText } from "../secrets/Secrets.ts"
import * as GrowingParts from "./GrowingParts.ts"
import type { RawReading } from "./RawReading.ts"

export interface Answer {
  /** Takes the next piece; returns the text that can be passed on now, redacted, if any. */
  readonly take: (piece: LanguageModelV3StreamPart) => Delta | undefined
  /** The rest of the text, redacted, after the last piece: it was held back as the possible start of a key. */
  readonly rest: () => ReadonlyArray<Delta>
  readonly parts: () => ReadonlyArray<AnswerPart>
  /** The tokens as far as they are known; undefined if the provider reported none. */
  readonly usage: () => ModelUsage | undefined
  readonly cost: () => number | undefined
  readonly finish: () => LanguageModelV3FinishReason | undefined
  readonly error: () => { readonly error: unknown } | undefined
  readonly refusal: () => string
  readonly hasBegun: () => boolean
}

/**
 * An answer before its first piece.
 *
 * @param callId the id of a call by its place, if the provider gave none and the package invented one
 * @param streamed redacts the streamed text of a part
 */
export const empty = (raw: RawReading, callId: (index: number) => string, streamed: () => StreamedText): Answer => {
  // The first piece of a call contains the provider's id.
  const isGiven = (id: string) => JSON.stringify(latest)?.includes(JSON.stringify(id)) === true
  const growing = GrowingParts.none(isGiven, callId, streamed)
  const counted = raw.usage === undefined ? undefined : ProviderUsage.counting(raw.usage)
  let usage: Partial<ModelUsage> = {}
  let finish: LanguageModelV3FinishReason | undefined
  let error: { readonly error: unknown } | undefined
  let latest: unknown
  let [refusal, hasBegun, hasEnded] = ["", false, raw.isEnd === undefined]

  const takeRaw = (piece: unknown) => {
    hasBegun = true
    latest = piece
    counted?.take(piece)
    refusal += raw.refusal?.(piece) ?? ""
    hasEnded ||= raw.isEnd?.(piece) === true
  }

  const take = (piece: LanguageModelV3StreamPart): Delta | undefined => {
    switch (piece.type) {
      case "raw":
        takeRaw(piece.rawValue)
        return undefined
      case "finish":
        finish = hasEnded ? knownReason(piece.finishReason) : { unified: "other", raw: undefined }
        usage = usageOf(piece.usage)
        return undefined
      case "error":
        error ??= { error: textualError(latest) ?? piece.error }
        return undefined
      default:
        return growing.take(piece)
    }
  }

  return {
    take,
    rest: growing.rest,
    parts: growing.parts,
    // The package omits some counts, such as how long cache writes are kept. Recordings count the same way.
    usage: () => {
      const own = counted?.usage() ?? {}
      const isCounted = own.inputTokens !== undefined || own.outputTokens !== undefined
      const { inputTokens: _input, outputTokens: _output, ...details } = usage
      // If the provider reports only one count, a package reports 0 for the other.
      return ProviderUsage.whole({ ...(isCounted ? details : usage), ...own })
    },
    cost: () => counted?.cost(),
    finish: () => finish,
    error: () => error,
    refusal: () => refusal,
    hasBegun: () => hasBegun,
  }
}

/** An error that a server such as LM Studio sends as text: the packages expect an object, and say only that it is none. */
const textualError = (piece: unknown): { readonly message: string } | undefined => {
  const message = textOf(fieldOf(piece, "error"))
  return message === undefined ? undefined : { message }
}

/** The packages know only their own provider's reasons. Compatible servers have others. */
const knownReason = (reason: LanguageModelV3FinishReason): LanguageModelV3FinishReason => {
  const { unified, raw } = reason
  const meaning = unified === "other" && raw !== undefined ? meaningOf(raw) : undefined
  return meaning === undefined ? reason : { unified: meaning, raw }
}

const usageOf = ({ inputTokens, outputTokens }: LanguageModelV3Usage): Partial<ModelUsage> => {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return {}
  return {
    ...(inputTokens.total === undefined ? {} : { inputTokens: whole(inputTokens.total) }),
    ...(outputTokens.total === undefined ? {} : { outputTokens: whole(outputTokens.total) }),
    ...(inputTokens.cacheRead === undefined ? {} : { cachedTokens: whole(inputTokens.cacheRead) }),
    ...(inputTokens.cacheWrite === undefined ? {} : { cacheWriteTokens: whole(inputTokens.cacheWrite) }),
    ...(outputTokens.reasoning === undefined ? {} : { reasoningTokens: whole(outputTokens.reasoning) }),
  }
}

const whole = (count: number | undefined): number =>
  typeof count === "number" && Number.isFinite(count)
    ? Math.min(Math.max(0, Math.round(count)), ProviderUsage.MOST_TOKENS)
    : 0
