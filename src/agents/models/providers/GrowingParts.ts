/** Assembles the parts of an answer from the pieces of its stream. */

import type { LanguageModelV3StreamPart } from "@ai-sdk/provider"
import { findNonJson, type Json, type JsonObject } from "../../../values/Json.ts"
import * as Arguments from "../Arguments.ts"
import type { AnswerPart } from "../Message.ts"
import type { Delta } from "../Model.ts"
import type { StreamedText } from "../secrets/Secrets.ts"

export interface GrowingParts {
  /** Takes the next piece; returns the text that can be passed on now, if any. */
  readonly take: (piece: LanguageModelV3StreamPart) => Delta | undefined
  readonly rest: () => ReadonlyArray<Delta>
  /** The parts so far. An incomplete call is marked `invalid`. */
  readonly parts: () => ReadonlyArray<AnswerPart>
}

interface Growing {
  readonly kind: Delta["kind"]
  index?: number
  text: string
  readonly told: StreamedText
  metadata: JsonObject | undefined
  call?: { readonly id: string | undefined; readonly tool: string; isWhole: boolean }
  /** A file of the model, which arrives as a whole and is not streamed. */
  readonly file?: { readonly mediaType: string; readonly data: string }
}

/**
 * @param isGiven whether the provider gave a call this id; if not, the package invented it
 * @param callId the id of such a call by its place
 * @param streamed redacts the streamed text of a part
 */
export const none = (
  isGiven: (id: string) => boolean,
  callId: (index: number) => string,
  streamed: () => StreamedText,
): GrowingParts => {
  const growing = new Map<string, Growing>()
  const placed: Array<Growing> = []

  const place = (part: Growing): number => {
    part.index ??= placed.push(part) - 1
    return part.index
  }
  const start = (kind: Delta["kind"], id: string, metadata: unknown): Growing => {
    const part: Growing = { kind, text: "", told: streamed(), metadata: merged(undefined, metadata) }
    growing.set(`${kind} ${id}`, part)
    return part
  }
  const of = (kind: Delta["kind"], id: string, metadata?: unknown): Growing => {
    const part = growing.get(`${kind} ${id}`) ?? start(kind, id, undefined)
    part.metadata = merged(part.metadata, metadata)
    return part
  }
  const tell = (part: Growing, text: string): Delta | undefined =>
    text === "" ? undefined : { index: place(part), kind: part.kind, text }
  const grow = (part: Growing, text: string): Delta | undefined => {
    part.text += text
    if (text !== "") place(part)
    return tell(part, part.told.take(text))
  }
  const end = (part: Growing): Delta | undefined => tell(part, part.told.end())
  /** Reasoning without text may be encrypted, and must go back to the provider. */
  const endReasoning = (part: Growing): Delta | undefined => {
    if (part.metadata !== undefined) place(part)
    return end(part)
  }
  const givenId = (id: string): string | undefined => (id !== "" && isGiven(id) ? id : undefined)
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
    const isTold = part.text !== ""
    part.text = input
    place(part)
    return tell(part, (isTold ? "" : part.told.take(input)) + part.told.end())
  }
  const wholeFile = ({ mediaType, data }: WholeFile): undefined => {
    const base64 = typeof data === "string" ? data : Buffer.from(data).toString("base64")
    if (mediaType === "" || base64 === "") return undefined
    place({ kind: "text", text: "", told: streamed(), metadata: undefined, file: { mediaType, data: base64 } })
    return undefined
  }
  const take = (piece: LanguageModelV3StreamPart): Delta | undefined => {
    switch (piece.type) {
      case "text-start":
        start("text", piece.id, piece.providerMetadata)
        return undefined
      case "text-delta":
        return grow(of("text", piece.id, piece.providerMetadata), piece.delta)
      case "text-end":
        return end(of("text", piece.id, piece.providerMetadata))
      case "reasoning-start":
        start("reasoning", piece.id, piece.providerMetadata)
        return undefined
      case "reasoning-delta":
        return grow(of("reasoning", piece.id, piece.providerMetadata), piece.delta)
      case "reasoning-end":
        return endReasoning(of("reasoning", piece.id, piece.providerMetadata))
      case "tool-input-start":
        if (piece.providerExecuted === true) return undefined
        startCall(piece)
        return undefined
      case "tool-input-delta":
        return growing.has(`call ${piece.id}`) ? grow(of("call", piece.id), piece.delta) : undefined
      case "file":
        return wholeFile(piece)
      case "tool-call":
        return piece.providerExecuted === true ? undefined : wholeCall(piece)
      default:
        return undefined
    }
  }

  const rest = () =>
    placed.flatMap((part) => {
      const told = end(part)
      return told === undefined ? [] : [told]
    })

  return { take, rest, parts: () => partsOf(placed, callId) }
}

type WholeFile = Extract<LanguageModelV3StreamPart, { readonly type: "file" }>

type ToolInputStart = Extract<LanguageModelV3StreamPart, { readonly type: "tool-input-start" }>

type ToolCall = Extract<LanguageModelV3StreamPart, { readonly type: "tool-call" }>

const merged = (earlier: JsonObject | undefined, later: unknown): JsonObject | undefined => {
  if (typeof later !== "object" || later === null) return earlier
  // The provider sent JSON; the package adds fields that are `undefined`.
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
    if (part.file !== undefined) return { type: "file", ...part.file }
    const metadata = part.metadata === undefined ? {} : { providerMetadata: part.metadata }
    if (part.call === undefined) {
      const type = part.kind === "reasoning" ? "reasoning" : "text"
      return { type, text: part.text.toWellFormed(), ...metadata }
    }
    const callId = unused(part.call.id?.toWellFormed() ?? idOf(index), taken)
    const tool = part.call.tool.toWellFormed()
    // The arguments of a call that was cut off are incomplete, even if they are JSON.
    const args = part.call.isWhole ? Arguments.read(part.text) : Arguments.unread(part.text)
    return { type: "call", callId, tool, ...args, ...metadata }
  })
}

/** Two calls of one answer with the same id would share one result. */
const unused = (id: string, taken: Set<string>): string => {
  let [callId, number] = [id, 2]
  while (taken.has(callId)) callId = `${id}-${number++}`
  taken.add(callId)
  return callId
}
