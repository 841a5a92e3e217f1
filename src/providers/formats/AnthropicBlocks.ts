/** Content blocks of Anthropic's messages, in answers (whole or streamed) and in requests. */

import type { AnswerPart, ToldPart } from "../../agents/models/Message.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"
import * as Parts from "../parts.ts"

interface GrowingBlock {
  readonly block: unknown
  text: string
  args: string
  signature: string
}

/** Maximum number of blocks in an answer. Blocks beyond it are dropped. */
const MOST_BLOCKS = 4096

export class GrowingBlocks {
  readonly #blocks: Array<GrowingBlock> = []

  begin(index: unknown, block: unknown): void {
    if (!isPlace(index)) return
    const text =
      Parts.anyText(fieldOf(block, "text")) ??
      Parts.anyText(fieldOf(block, "thinking")) ??
      Parts.anyText(fieldOf(block, "content")) ??
      ""
    this.#blocks[index] = { block, text, args: "", signature: Parts.anyText(fieldOf(block, "signature")) ?? "" }
  }

  grow(index: unknown, delta: unknown): void {
    const growing = isPlace(index) ? this.#blocks[index] : undefined
    if (growing === undefined) return
    growing.text +=
      Parts.anyText(fieldOf(delta, "text")) ??
      Parts.anyText(fieldOf(delta, "thinking")) ??
      Parts.anyText(fieldOf(delta, "content")) ??
      ""
    growing.args += Parts.anyText(fieldOf(delta, "partial_json")) ?? ""
    growing.signature += Parts.anyText(fieldOf(delta, "signature")) ?? ""
  }

  /** The parts, in order. A hosted call includes its result. */
  parts(): ReadonlyArray<AnswerPart> {
    const blocks = this.#blocks.filter(Boolean)
    const calls = new Set(blocks.filter(isHosted).map(({ block }) => fieldOf(block, "id")))
    const results = new Map(blocks.filter(isResult).map((one) => [fieldOf(one.block, "tool_use_id"), one.block]))
    return blocks.flatMap((one): ReadonlyArray<AnswerPart> => {
      if (isHosted(one)) return [hosted(one, results.get(fieldOf(one.block, "id")))]
      if (!isResult(one)) return partsOf(one)
      // If the turn paused in between, the call is in the answer before and its result here.
      return calls.has(fieldOf(one.block, "tool_use_id")) ? [] : [resultAlone(one.block)]
    })
  }
}

const isPlace = (index: unknown): index is number =>
  typeof index === "number" && Number.isInteger(index) && index >= 0 && index < MOST_BLOCKS

const isHosted = ({ block }: GrowingBlock): boolean => {
  const type = fieldOf(block, "type")
  return type === "server_tool_use" || type === "mcp_tool_use"
}

const RESULT = /^(.+)_tool_result$|^mcp_tool_result$/

const isResult = ({ block }: GrowingBlock): boolean => RESULT.test(Parts.asText(fieldOf(block, "type")))

const hosted = ({ block, args }: GrowingBlock, result: unknown): AnswerPart => {
  const tool = [textOf(fieldOf(block, "server_name")), textOf(fieldOf(block, "name"))].filter(Boolean).join(".")
  return Parts.hostedPart(fieldOf(block, "id"), tool, args || fieldOf(block, "input"), endOf(result))
}

const resultAlone = (block: unknown): AnswerPart =>
  Parts.hostedPart(
    fieldOf(block, "tool_use_id"),
    RESULT.exec(Parts.asText(fieldOf(block, "type")))?.[1] ?? "",
    {},
    endOf(block),
  )

const endOf = (result: unknown) => {
  const content = fieldOf(result, "content")
  const isError =
    fieldOf(result, "is_error") === true || Parts.asText(fieldOf(content, "type")).endsWith("_tool_result_error")
  return { result: content, isError }
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
    case "compaction":
      return [Parts.itemPart("compaction", { ...objectOf(block), content: text })]
    case "container_upload":
    case "fallback":
      return [Parts.itemPart(fieldOf(block, "type"), block)]
    case "image":
    case "document":
      return [Parts.filePart(...sourceOf(block), block)]
    default:
      return [Parts.unreadPart(block)]
  }
}

const objectOf = (value: unknown): object => (typeof value === "object" && value !== null ? value : {})

export const contentPart = (block: unknown): ToldPart => {
  switch (fieldOf(block, "type")) {
    case "text":
      return { type: "text", text: Parts.anyText(fieldOf(block, "text")) ?? "" }
    case "image":
    case "document":
      return Parts.filePart(...sourceOf(block), block)
    case "search_result":
    case "container_upload":
      return Parts.itemPart(fieldOf(block, "type"), block)
    default:
      return Parts.unreadPart(block)
  }
}

/** Media type and data of an embedded file; undefined for a file that the block only refers to. */
const sourceOf = (block: unknown): readonly [unknown, unknown] => {
  const source = fieldOf(block, "source")
  return fieldOf(source, "type") === "base64"
    ? [fieldOf(source, "media_type"), fieldOf(source, "data")]
    : [undefined, undefined]
}
