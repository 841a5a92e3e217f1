/** Content blocks of Bedrock's `converse`. A block's type is its one field: `{ text }`, `{ toolUse }` … */

import type { AnswerPart, ToldPart } from "../../agents/models/Message.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"
import * as Parts from "../parts.ts"

interface GrowingBlock {
  /** The block as it began; undefined for text, which starts with its first delta. */
  readonly block: unknown
  text: string
  thought: string
  signature: string
  redacted: string
  input: string
}

export class GrowingBlocks {
  readonly #blocks = new Map<unknown, GrowingBlock>()

  begin(index: unknown, block: unknown): void {
    this.#blocks.set(index, { block, text: "", thought: "", signature: "", redacted: "", input: "" })
    this.grow(index, block)
  }

  /** Takes a delta of a block, or a whole block. */
  grow(index: unknown, delta: unknown): void {
    const known = this.#blocks.get(index)
    const growing = known ?? { block: undefined, text: "", thought: "", signature: "", redacted: "", input: "" }
    if (known === undefined) this.#blocks.set(index, growing)
    const thought = fieldOf(delta, "reasoningContent")
    const whole = fieldOf(thought, "reasoningText")
    growing.text += Parts.anyText(fieldOf(delta, "text")) ?? ""
    growing.thought += Parts.anyText(fieldOf(whole, "text")) ?? Parts.anyText(fieldOf(thought, "text")) ?? ""
    growing.signature +=
      Parts.anyText(fieldOf(whole, "signature")) ?? Parts.anyText(fieldOf(thought, "signature")) ?? ""
    growing.redacted += Parts.anyText(fieldOf(thought, "redactedContent")) ?? ""
    const input = fieldOf(fieldOf(delta, "toolUse"), "input")
    if (typeof input === "string") growing.input += input
  }

  parts(): ReadonlyArray<AnswerPart> {
    const blocks = [...this.#blocks].sort(([a], [b]) => Number(a) - Number(b)).map(([, block]) => block)
    const results = new Map(
      blocks.map(({ block }) => fieldOf(block, "toolResult")).map((one) => [fieldOf(one, "toolUseId"), one]),
    )
    return blocks.flatMap((one): ReadonlyArray<AnswerPart> => {
      const call = fieldOf(one.block, "toolUse")
      if (call === undefined) return partsOf(one)
      const [id, name, args] = [fieldOf(call, "toolUseId"), fieldOf(call, "name"), one.input || fieldOf(call, "input")]
      if (fieldOf(call, "type") !== "server_tool_use") return [Parts.callPart(id, name, args)]
      const result = results.get(id)
      const end = { result: fieldOf(result, "content"), isError: fieldOf(result, "status") === "error" }
      return [Parts.hostedPart(id, name, args, end)]
    })
  }
}

const partsOf = ({ block, text, thought, signature, redacted }: GrowingBlock): ReadonlyArray<AnswerPart> => {
  if (thought !== "" || signature !== "") {
    return Parts.reasoningParts(thought, signature === "" ? undefined : { bedrock: { signature } })
  }
  if (redacted !== "") return Parts.reasoningParts("", { bedrock: { redactedData: redacted } })
  if (text !== "") return Parts.textParts(text)
  // A result is already part of its call.
  if (fieldOf(block, "toolResult") !== undefined || fieldOf(block, "text") !== undefined) return []
  const cited = Parts.textIn(fieldOf(fieldOf(block, "citationsContent"), "content"))
  if (cited !== "") return Parts.textParts(cited)
  return contentParts(block)
}

/** Parts of a block. A cache point gives none. */
export const contentParts = (block: unknown): ReadonlyArray<ToldPart> => {
  const text = Parts.anyText(fieldOf(block, "text"))
  if (text !== undefined) return [{ type: "text", text }]
  const kind = typeof block === "object" && block !== null ? Object.keys(block)[0] : undefined
  const inside = fieldOf(block, kind ?? "")
  switch (kind) {
    case undefined:
    case "cachePoint":
      return []
    case "image":
    case "document":
    case "video":
    case "audio": {
      const format = textOf(fieldOf(inside, "format"))
      return [
        Parts.filePart(
          format === undefined ? undefined : typeOf(kind, format),
          fieldOf(fieldOf(inside, "source"), "bytes"),
          block,
          kind,
        ),
      ]
    }
    case "guardContent":
    case "searchResult":
      return [Parts.itemPart(kind, block)]
    default:
      return [Parts.unreadPart(block, kind)]
  }
}

/** The media type of a format that Bedrock names: `png`, `pdf`, `txt` … */
const typeOf = (kind: string, format: string): string => {
  if (kind !== "document") return `${kind}/${format}`
  return DOCUMENTS.get(format) ?? "application/octet-stream"
}

const DOCUMENTS: ReadonlyMap<string, string> = new Map([
  ...([
    ["pdf", "application/pdf"],
    ["txt", "text/plain"],
    ["md", "text/markdown"],
  ] as const),
  ...([
    ["html", "text/html"],
    ["csv", "text/csv"],
  ] as const),
])
