/** The format of OpenAI's responses (https://platform.openai.com/docs/api-reference/responses). */

import type { AnswerPart, ContentPart } from "../agents/models/Message.ts"
import * as ProviderUsage from "../kernel/pricing/ProviderUsage.ts"
import type { Json } from "../values/Json.ts"
import { fieldOf, textOf } from "../values/JsonObjects.ts"
import * as Conversing from "./Conversing.ts"
import { textIn, toolsOf } from "./OpenAiChat.ts"
import * as Parts from "./parts.ts"
import type { Wire } from "./Wire.ts"

export const openAiResponses: Wire = {
  name: "openai-responses",
  matches: ({ path }, body) =>
    path.endsWith("/responses") && (typeof body.input === "string" || Array.isArray(body.input)),
  request: ({ host }, body) => {
    const told = Conversing.make()
    told.system(Parts.anyText(body.instructions) ?? "")
    if (typeof body.input === "string") told.user([{ type: "text", text: body.input }])
    for (const item of Parts.listOf(body.input)) tell(told, item)
    return {
      provider: host === "api.openai.com" ? "openai" : "openai-compatible",
      model: Parts.asText(body.model ?? ""),
      ...told.whole(),
      tools: toolsOf(body.tools),
      settings: Parts.settingsOf(body, ["model", "instructions", "input", "tools", "stream"]),
    }
  },
  answer: (pieces, callId) => {
    const growing = new Map<number, GrowingItem>()
    let response: unknown
    let error: { readonly error: unknown } | undefined
    for (const piece of pieces) {
      const type = fieldOf(piece, "type")
      if (fieldOf(piece, "object") === "response") response = piece
      else if (type === "error") error ??= { error: fieldOf(piece, "error") ?? piece }
      else if (isEnd(type) || response === undefined) response = fieldOf(piece, "response") ?? response
      take(growing, piece)
      const sent = fieldOf(piece, "error") ?? fieldOf(response, "error")
      if (sent !== undefined && sent !== null) error ??= { error: sent }
    }
    const listed = Parts.listOf(fieldOf(response, "output"))
    const items = listed.length > 0 ? listed : [...growing].sort(([a], [b]) => a - b).map(([, item]) => itemOf(item))
    let calls = 0
    const parts = items.flatMap((item) => partsOf(item, () => callId(calls++)))
    const refusal = items.map(refusalIn).join("")
    const status = textOf(fieldOf(response, "status"))
    const why = textOf(fieldOf(fieldOf(response, "incomplete_details"), "reason"))
    return {
      parts: () => parts,
      usage: () => ProviderUsage.whole(ProviderUsage.openAi.read(ProviderUsage.openAi.inPiece(response))),
      refusal: () => refusal,
      hasBegun: () => response !== undefined || growing.size > 0,
      finish: () => finishOf(status, why),
      error: () => error,
    }
  },
}

const isEnd = (type: unknown) =>
  type === "response.completed" || type === "response.incomplete" || type === "response.failed"

/** An item of an answer while it streams. */
interface GrowingItem {
  item: unknown
  /** Pieces of its text, of its arguments, of what it thought or of its refusal. */
  text: string
}

const take = (growing: Map<number, GrowingItem>, piece: unknown): void => {
  const index = fieldOf(piece, "output_index")
  if (typeof index !== "number") return
  const type = textOf(fieldOf(piece, "type")) ?? ""
  const known = growing.get(index) ?? { item: undefined, text: "" }
  if (type === "response.output_item.added") growing.set(index, { item: fieldOf(piece, "item"), text: "" })
  else if (type === "response.output_item.done") growing.set(index, { item: fieldOf(piece, "item"), text: "" })
  else if (type.endsWith(".delta")) {
    growing.set(index, { ...known, text: known.text + (Parts.anyText(fieldOf(piece, "delta")) ?? "") })
  }
}

/** An item as far as it came. */
const itemOf = ({ item, text }: GrowingItem): unknown => {
  if (text === "" || typeof item !== "object" || item === null) return item
  switch (fieldOf(item, "type")) {
    case "function_call":
      return { ...item, arguments: text }
    case "reasoning":
      return { ...item, summary: [{ type: "summary_text", text }] }
    default:
      return { ...item, content: [{ type: "output_text", text }] }
  }
}

const partsOf = (item: unknown, callId: () => string): ReadonlyArray<AnswerPart> => {
  switch (fieldOf(item, "type")) {
    case "reasoning":
      return Parts.reasoningParts(thoughtIn(item))
    case "function_call":
      return [
        Parts.callPart(textOf(fieldOf(item, "call_id")) ?? callId(), fieldOf(item, "name"), fieldOf(item, "arguments")),
      ]
    case "message":
      return Parts.textParts(textIn(fieldOf(item, "content")))
    default:
      return []
  }
}

const thoughtIn = (item: unknown): string => textIn(fieldOf(item, "summary")) || textIn(fieldOf(item, "content"))

const refusalIn = (item: unknown): string =>
  Parts.listOf(fieldOf(item, "content"))
    .map((part) => Parts.anyText(fieldOf(part, "refusal")) ?? "")
    .join("")

const finishOf = (status: string | undefined, why: string | undefined) => {
  if (status === "completed") return { unified: "stop" as const, raw: status }
  if (status !== "incomplete") return undefined
  if (why === "max_output_tokens") return { unified: "length" as const, raw: why }
  return why === "content_filter"
    ? { unified: "content-filter" as const, raw: why }
    : { unified: "other" as const, raw: why }
}

const tell = (told: Conversing.Conversing, item: unknown) => {
  const [role, content] = [fieldOf(item, "role"), fieldOf(item, "content")]
  switch (fieldOf(item, "type") ?? "message") {
    case "message":
      if (role === "system" || role === "developer") return told.system(textIn(content))
      if (role === "assistant") return told.assistant(Parts.textParts(textIn(content)))
      return told.user(contentOf(content))
    case "function_call_output":
      return told.result(fieldOf(item, "call_id"), fieldOf(item, "output"))
    case "function_call":
    case "reasoning":
      return told.assistant(partsOf(item, () => "unnamed"))
    default:
      return told.user([{ type: "text", text: Parts.asText(item) }])
  }
}

const contentOf = (content: unknown): ReadonlyArray<ContentPart> => {
  if (!Array.isArray(content)) return [{ type: "text", text: Parts.asText(content ?? "") }]
  return content.map((part: Json): ContentPart => {
    const text = Parts.anyText(fieldOf(part, "text"))
    if (text !== undefined) return { type: "text", text }
    return Parts.filePart(fieldOf(part, "image_url") ?? fieldOf(part, "file_data") ?? part)
  })
}
