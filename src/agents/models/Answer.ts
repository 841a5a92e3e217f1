/** Puts the pieces of a streamed answer together, and says what came of it in the end. */

import type { LanguageModelV3FinishReason, LanguageModelV3StreamPart, LanguageModelV3Usage } from "@ai-sdk/provider"
import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import { findNonJson, type Json, type JsonObject } from "../../values/Json.ts"
import type { AnswerPart } from "./Message.ts"
import type { Delta } from "./Model.ts"
import type { RawReading } from "./RawReading.ts"

/** An answer while it streams. */
export interface Answer {
  /** Takes the next piece; returns what it adds to the answer, if anything. */
  readonly take: (piece: LanguageModelV3StreamPart) => Delta | undefined
  /** What has come so far. */
  readonly parts: () => ReadonlyArray<AnswerPart>
  /** The tokens as far as they are known; undefined if the provider said nothing. */
  readonly usage: () => ModelUsage | undefined
  /** How the provider says that the answer ended; undefined until then. */
  readonly finish: () => LanguageModelV3FinishReason | undefined
  /** The first error that the provider sent in the stream. */
  readonly error: () => { readonly error: unknown } | undefined
  /** The refusal, if the model refused. */
  readonly refusal: () => string
  /** Whether the provider sent anything. */
  readonly hasBegun: () => boolean
}

/** A part of an answer while it streams. */
interface Growing {
  readonly kind: Delta["kind"]
  /** The place in the answer; undefined until something is in it. */
  index?: number
  text: string
  metadata: JsonObject | undefined
  call?: { readonly id: string | undefined; readonly tool: string; isWhole: boolean }
}

/**
 * An answer of which nothing has come.
 *
 * @param callId the id of a call by its place, where the provider gave none and the package made one up by chance
 */
export const empty = (raw: RawReading, callId: (index: number) => string): Answer => {
  const growing = new Map<string, Growing>()
  const placed: Array<Growing> = []
  let [usage, early]: [ModelUsage | undefined, Partial<ModelUsage>] = [undefined, {}]
  let finish: LanguageModelV3FinishReason | undefined
  let error: { readonly error: unknown } | undefined
  let latest: unknown
  let [refusal, hasBegun, hasEnded] = ["", false, raw.isEnd === undefined]

  const place = (part: Growing): number => {
    part.index ??= placed.push(part) - 1
    return part.index
  }
  const start = (kind: Delta["kind"], id: string, metadata: unknown): Growing => {
    const part: Growing = { kind, text: "", metadata: merged(undefined, metadata) }
    growing.set(`${kind} ${id}`, part)
    return part
  }
  const of = (kind: Delta["kind"], id: string, metadata?: unknown): Growing => {
    const part = growing.get(`${kind} ${id}`) ?? start(kind, id, undefined)
    part.metadata = merged(part.metadata, metadata)
    return part
  }
  const grow = (part: Growing, text: string): Delta | undefined => {
    part.text += text
    return text === "" ? undefined : { index: place(part), kind: part.kind, text }
  }
  /** Reasoning without text may be encrypted, and has to go back. */
  const endReasoning = (part: Growing) => {
    if (part.metadata !== undefined) place(part)
  }
  /** The provider's id is in the piece that a call begins with. */
  const givenId = (id: string): string | undefined =>
    id !== "" && JSON.stringify(latest)?.includes(JSON.stringify(id)) === true ? id : undefined
  const startCall = ({ id, toolName, providerMetadata }: ToolInputStart) => {
    const part = start("call", id, providerMetadata)
    part.call = { id: givenId(id), tool: toolName, isWhole: false }
    place(part)
  }
  const wholeCall = ({ toolCallId, toolName, input, providerMetadata }: ToolCall): Delta | undefined => {
    const begun = growing.get(`call ${toolCallId}`)
    const part = begun === undefined || begun.call?.isWhole === true ? start("call", toolCallId, undefined) : begun
    part.metadata = merged(part.metadata, providerMetadata)
    part.call = { id: part.call === undefined ? givenId(toolCallId) : part.call.id, tool: toolName, isWhole: true }
    const told = part.text
    part.text = input
    const index = place(part)
    return told === "" && input !== "" ? { index, kind: "call", text: input } : undefined
  }
  const takeRaw = (piece: unknown) => {
    hasBegun = true
    latest = piece
    early = { ...early, ...raw.usage?.(piece) }
    refusal += raw.refusal?.(piece) ?? ""
    hasEnded ||= raw.isEnd?.(piece) === true
  }

  const take = (piece: LanguageModelV3StreamPart): Delta | undefined => {
    switch (piece.type) {
      case "raw":
        takeRaw(piece.rawValue)
        return undefined
      case "text-start":
        start("text", piece.id, piece.providerMetadata)
        return undefined
      case "text-delta":
        return grow(of("text", piece.id, piece.providerMetadata), piece.delta)
      case "text-end":
        of("text", piece.id, piece.providerMetadata)
        return undefined
      case "reasoning-start":
        start("reasoning", piece.id, piece.providerMetadata)
        return undefined
      case "reasoning-delta":
        return grow(of("reasoning", piece.id, piece.providerMetadata), piece.delta)
      case "reasoning-end":
        endReasoning(of("reasoning", piece.id, piece.providerMetadata))
        return undefined
      case "tool-input-start":
        if (piece.providerExecuted === true) return undefined
        startCall(piece)
        return undefined
      case "tool-input-delta":
        return growing.has(`call ${piece.id}`) ? grow(of("call", piece.id), piece.delta) : undefined
      case "tool-call":
        return piece.providerExecuted === true ? undefined : wholeCall(piece)
      case "finish":
        finish = hasEnded ? piece.finishReason : { unified: "other", raw: undefined }
        usage = usageOf(piece.usage)
        return undefined
      case "error":
        error ??= { error: piece.error }
        return undefined
      default:
        return undefined
    }
  }

  return {
    take,
    parts: () => partsOf(placed, callId),
    usage: () => usage ?? (Object.keys(early).length === 0 ? undefined : { inputTokens: 0, outputTokens: 0, ...early }),
    finish: () => finish,
    error: () => error,
    refusal: () => refusal,
    hasBegun: () => hasBegun,
  }
}

type ToolInputStart = Extract<LanguageModelV3StreamPart, { readonly type: "tool-input-start" }>

type ToolCall = Extract<LanguageModelV3StreamPart, { readonly type: "tool-call" }>

/** Later metadata of a part complete earlier ones, provider by provider. */
const merged = (earlier: JsonObject | undefined, later: unknown): JsonObject | undefined => {
  if (typeof later !== "object" || later === null) return earlier
  // What a provider sent was JSON; the package leaves out fields by `undefined`.
  const plain: Json = JSON.parse(JSON.stringify(later).toWellFormed())
  if (findNonJson(plain) !== undefined) return earlier
  const both: Record<string, Json> = { ...earlier }
  for (const [provider, value] of Object.entries(plain ?? {})) {
    const before = both[provider]
    both[provider] = isObject(before) && isObject(value) ? { ...before, ...value } : value
  }
  return Object.keys(both).length === 0 ? undefined : both
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const partsOf = (placed: ReadonlyArray<Growing>, idOf: (index: number) => string): ReadonlyArray<AnswerPart> => {
  const taken = new Set<string>()
  return placed.map((part, index): AnswerPart => {
    const metadata = part.metadata === undefined ? {} : { providerMetadata: part.metadata }
    if (part.call === undefined) {
      const type = part.kind === "reasoning" ? "reasoning" : "text"
      return { type, text: part.text.toWellFormed(), ...metadata }
    }
    const callId = unused(part.call.id?.toWellFormed() ?? idOf(index), taken)
    const tool = part.call.tool.toWellFormed()
    return { type: "call", callId, tool, ...argumentsOf(part.text, part.call.isWhole), ...metadata }
  })
}

/** Two calls of one answer with the same id would have one result between them. */
const unused = (id: string, taken: Set<string>): string => {
  let [callId, number] = [id, 2]
  while (taken.has(callId)) callId = `${id}-${number++}`
  taken.add(callId)
  return callId
}

/** Servers write nothing for a call without arguments. Those of a call that was cut are no arguments, even where they are JSON. */
const argumentsOf = (text: string, isWhole: boolean): { readonly args: Json; readonly invalid?: true } => {
  try {
    const args: Json = text.trim() === "" ? {} : JSON.parse(text)
    if (isWhole && findNonJson(args) === undefined) return { args }
  } catch {
    // The text is no JSON: it is kept as it is.
  }
  return { args: text.toWellFormed(), invalid: true }
}

const usageOf = ({ inputTokens, outputTokens }: LanguageModelV3Usage): ModelUsage | undefined => {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined
  return {
    inputTokens: whole(inputTokens.total),
    outputTokens: whole(outputTokens.total),
    ...(inputTokens.cacheRead === undefined ? {} : { cachedTokens: whole(inputTokens.cacheRead) }),
    ...(outputTokens.reasoning === undefined ? {} : { reasoningTokens: whole(outputTokens.reasoning) }),
  }
}

const whole = (count: number | undefined): number =>
  typeof count === "number" && Number.isFinite(count) ? Math.max(0, Math.round(count)) : 0
