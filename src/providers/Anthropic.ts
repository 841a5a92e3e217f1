/** The format of Anthropic's messages (https://docs.anthropic.com/en/api/messages). */

import type { AnswerPart, ContentPart } from "../agents/models/Message.ts"
import * as ProviderUsage from "../kernel/pricing/ProviderUsage.ts"
import { fieldOf, textOf } from "../values/JsonObjects.ts"
import * as Conversing from "./Conversing.ts"
import { textIn } from "./OpenAiChat.ts"
import * as Parts from "./parts.ts"
import type { Wire } from "./Wire.ts"

export const anthropic: Wire = {
  name: "anthropic",
  matches: ({ path }, body) => path.endsWith("/messages") && Array.isArray(body.messages) && "max_tokens" in body,
  request: (_, body) => {
    const told = Conversing.make()
    told.system(textIn(body.system))
    for (const message of Parts.listOf(body.messages)) tell(told, message)
    return {
      provider: "anthropic",
      model: Parts.asText(body.model ?? ""),
      ...told.whole(),
      tools: Parts.listOf(body.tools).map((tool) => Parts.toolDescription(tool, fieldOf(tool, "input_schema"))),
      settings: Parts.settingsOf(body, ["model", "system", "messages", "tools", "stream"]),
    }
  },
  answer: (pieces) => {
    const blocks: Array<GrowingBlock> = []
    const counted = ProviderUsage.counting(ProviderUsage.anthropic)
    let stop: string | undefined
    let error: { readonly error: unknown } | undefined
    let [hasBegun, hasEnded] = [false, false]
    for (const piece of pieces) {
      counted.take(piece)
      switch (fieldOf(piece, "type")) {
        case "message":
          Parts.listOf(fieldOf(piece, "content")).forEach((block, index) => begin(blocks, index, block))
          stop = textOf(fieldOf(piece, "stop_reason"))
          ;[hasBegun, hasEnded] = [true, true]
          break
        case "message_start":
          hasBegun = true
          break
        case "content_block_start":
          begin(blocks, fieldOf(piece, "index"), fieldOf(piece, "content_block"))
          break
        case "content_block_delta":
          grow(blocks, fieldOf(piece, "index"), fieldOf(piece, "delta"))
          break
        case "message_delta":
          stop = textOf(fieldOf(fieldOf(piece, "delta"), "stop_reason")) ?? stop
          break
        case "message_stop":
          hasEnded = true
          break
        case "error":
          error ??= { error: fieldOf(piece, "error") ?? piece }
          break
      }
    }
    const parts = blocks.filter(Boolean).flatMap(partsOf)
    return {
      parts: () => parts,
      usage: () => ProviderUsage.whole(counted.usage()),
      refusal: () => "",
      hasBegun: () => hasBegun,
      finish: () => (hasEnded && stop !== undefined ? { unified: unified(stop), raw: stop } : undefined),
      error: () => error,
    }
  },
}

/** A block of an answer: its text, its arguments, or what was thought in it. */
interface GrowingBlock {
  readonly block: unknown
  text: string
  args: string
  signature: string
}

/** Most blocks of one answer: a place beyond it is none. */
const MOST_BLOCKS = 4096

const isPlace = (index: unknown): index is number =>
  typeof index === "number" && Number.isInteger(index) && index >= 0 && index < MOST_BLOCKS

const begin = (blocks: Array<GrowingBlock>, index: unknown, block: unknown): void => {
  if (!isPlace(index)) return
  const text = Parts.anyText(fieldOf(block, "text")) ?? Parts.anyText(fieldOf(block, "thinking")) ?? ""
  blocks[index] = { block, text, args: "", signature: Parts.anyText(fieldOf(block, "signature")) ?? "" }
}

const grow = (blocks: Array<GrowingBlock>, index: unknown, delta: unknown): void => {
  const growing = isPlace(index) ? blocks[index] : undefined
  if (growing === undefined) return
  growing.text += Parts.anyText(fieldOf(delta, "text")) ?? Parts.anyText(fieldOf(delta, "thinking")) ?? ""
  growing.args += Parts.anyText(fieldOf(delta, "partial_json")) ?? ""
  growing.signature += Parts.anyText(fieldOf(delta, "signature")) ?? ""
}

const partsOf = ({ block, text, args, signature }: GrowingBlock): ReadonlyArray<AnswerPart> => {
  switch (fieldOf(block, "type")) {
    case "text":
      return Parts.textParts(text)
    case "thinking":
      return Parts.reasoningParts(text, signature === "" ? undefined : { anthropic: { signature } })
    case "redacted_thinking":
      return Parts.reasoningParts("", { anthropic: { redactedData: Parts.asText(fieldOf(block, "data")) } })
    case "tool_use":
      return [Parts.callPart(fieldOf(block, "id"), fieldOf(block, "name"), args || fieldOf(block, "input"), "unnamed")]
    default:
      // Tools that the provider runs itself, such as a search, are neither called nor answered by the program.
      return []
  }
}

const unified = (reason: string) => {
  if (reason === "end_turn" || reason === "stop_sequence" || reason === "pause_turn") return "stop" as const
  if (reason === "tool_use") return "tool-calls" as const
  if (reason === "max_tokens" || reason === "model_context_window_exceeded") return "length" as const
  return reason === "refusal" ? ("content-filter" as const) : ("other" as const)
}

const tell = (told: Conversing.Conversing, message: unknown) => {
  const content = fieldOf(message, "content")
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : Parts.listOf(content)
  if (fieldOf(message, "role") === "assistant") {
    const said: Array<GrowingBlock> = []
    blocks.forEach((block, index) => begin(said, index, block))
    return told.assistant(said.flatMap(partsOf))
  }
  const isResult = (block: unknown) => fieldOf(block, "type") === "tool_result"
  for (const block of blocks.filter(isResult)) {
    const options = { isError: fieldOf(block, "is_error") === true }
    told.result(fieldOf(block, "tool_use_id"), fieldOf(block, "content"), options)
  }
  const others = blocks.filter((block) => !isResult(block))
  if (others.length > 0) told.user(others.map(contentOf))
}

const contentOf = (block: unknown): ContentPart => {
  const text = fieldOf(block, "type") === "text" ? Parts.anyText(fieldOf(block, "text")) : undefined
  if (text !== undefined) return { type: "text", text }
  const source = fieldOf(block, "source")
  const [mediaType, data] = [textOf(fieldOf(source, "media_type")), Parts.anyText(fieldOf(source, "data"))]
  return mediaType === undefined || data === undefined || fieldOf(source, "type") !== "base64"
    ? { type: "text", text: Parts.asText(block) }
    : { type: "file", mediaType, data }
}
