/** OpenAI's Responses API (https://platform.openai.com/docs/api-reference/responses). */

import type { ToldPart } from "../../agents/models/Message.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { fieldOf, isObject, textOf } from "../../values/JsonObjects.ts"
import type { AnswerBody } from "../BodyPieces.ts"
import * as ConversationBuilder from "../ConversationBuilder.ts"
import { providerAt } from "../Providers.ts"
import * as Parts from "../parts.ts"
import type { Finished, Thread, WireFormat } from "../WireFormat.ts"
import { toolsOf } from "./OpenAiChat.ts"
import * as Items from "./ResponsesItems.ts"

export const openAiResponses: WireFormat = {
  name: "openai-responses",
  matches: ({ path }, body) =>
    path.endsWith("/responses") && ("input" in body ? isInput(body.input) : "prompt" in body),
  polled: Parts.polledAt("responses"),
  request: ({ host }, body) => {
    const told = ConversationBuilder.make()
    told.system(Parts.anyText(body.instructions) ?? "")
    if (typeof body.input === "string") told.user([{ type: "text", text: body.input }])
    for (const item of Parts.listOf(body.input)) tell(told, item)
    const thread = threadIn(body)
    return {
      provider: providerAt(host, "openai-compatible"),
      model: Parts.asText(body.model ?? ""),
      ...told.whole(),
      tools: toolsOf(body.tools),
      settings: Parts.settingsOf(body, ["model", "instructions", "input", "tools", "stream"]),
      ...defined({ thread }),
    }
  },
  answer: (body, callId) => {
    const growing = new Map<number, GrowingItem>()
    let response: unknown
    let error: { readonly error: unknown } | undefined
    for (const piece of body.pieces) {
      const type = fieldOf(piece, "type")
      if (isResponse(piece)) response = piece
      else if (type === "error") error ??= { error: fieldOf(piece, "error") ?? piece }
      else if (isEnd(type) || response === undefined) response = fieldOf(piece, "response") ?? response
      take(growing, piece)
      const sent = fieldOf(piece, "error") ?? fieldOf(response, "error")
      if (sent !== undefined && sent !== null) error ??= { error: sent }
    }
    const listed = Parts.listOf(fieldOf(response, "output"))
    const items = listed.length > 0 ? listed : [...growing].sort(([a], [b]) => a - b).map(([, item]) => itemOf(item))
    let calls = 0
    const counted = ProviderUsage.counting(ProviderUsage.openAi)
    counted.take(response)
    return {
      id: textOf(fieldOf(response, "id")),
      model: textOf(fieldOf(response, "model")),
      parts: Items.partsOf(items, () => callId(calls++)),
      usage: ProviderUsage.whole(counted.usage()),
      cost: counted.cost(),
      refusal: items.map(Items.refusalIn).join(""),
      hasBegun: response !== undefined || growing.size > 0,
      finish: finishOf(response, body),
      error,
    }
  },
}

const isInput = (input: Json | undefined): boolean => typeof input === "string" || Array.isArray(input)

const threadIn = ({ previous_response_id, conversation }: JsonObject): Thread | undefined => {
  const after = textOf(previous_response_id)
  const id = textOf(isObject(conversation) ? conversation.id : conversation)
  if (after === undefined && id === undefined) return undefined
  return { ...defined({ after, conversation: id }) }
}

/** Whether a value is a response rather than an event about one. */
const isResponse = (piece: unknown): boolean =>
  fieldOf(piece, "object") === "response" || (!fieldOf(piece, "type") && Array.isArray(fieldOf(piece, "output")))

const isEnd = (type: unknown) =>
  type === "response.completed" || type === "response.incomplete" || type === "response.failed"

interface GrowingItem {
  item: unknown
  /** Its streamed text so far: output, arguments, reasoning or refusal. */
  text: string
  isRefusal: boolean
}

const take = (growing: Map<number, GrowingItem>, piece: unknown): void => {
  const index = fieldOf(piece, "output_index")
  if (typeof index !== "number") return
  const type = textOf(fieldOf(piece, "type")) ?? ""
  const known = growing.get(index) ?? { item: undefined, text: "", isRefusal: false }
  if (type === "response.output_item.added" || type === "response.output_item.done") {
    growing.set(index, { item: fieldOf(piece, "item"), text: "", isRefusal: false })
  } else if (type.endsWith(".delta")) {
    const text = known.text + (Parts.anyText(fieldOf(piece, "delta")) ?? "")
    growing.set(index, { ...known, text, isRefusal: known.isRefusal || type === "response.refusal.delta" })
  }
}

/** The field that holds the streamed text, by item type. */
const STREAMED: ReadonlyMap<unknown, (text: string) => JsonObject> = new Map<unknown, (text: string) => JsonObject>([
  ["function_call", (text) => ({ arguments: text })],
  ["mcp_call", (text) => ({ arguments: text })],
  ["custom_tool_call", (text) => ({ input: text })],
  ["code_interpreter_call", (text) => ({ code: text })],
  ["reasoning", (text) => ({ summary: [{ type: "summary_text", text }] })],
])

/** The item as far as it arrived. */
const itemOf = ({ item, text, isRefusal }: GrowingItem): unknown => {
  if (text === "" || typeof item !== "object" || item === null) return item
  const content = isRefusal ? { type: "refusal", refusal: text } : { type: "output_text", text }
  return { ...item, ...(STREAMED.get(fieldOf(item, "type"))?.(text) ?? { content: [content] }) }
}

const finishOf = (response: unknown, { isWhole }: AnswerBody): Finished | undefined => {
  const status = textOf(fieldOf(response, "status"))
  const why = textOf(fieldOf(fieldOf(response, "incomplete_details"), "reason"))
  switch (status) {
    case "completed":
      return { unified: "stop", raw: status }
    case "incomplete":
      if (why === "max_output_tokens") return { unified: "length", raw: why }
      return { unified: why === "content_filter" ? "content-filter" : "stop", raw: why }
    case "cancelled":
    case "failed":
      return { unified: "error", raw: status }
    case "queued":
    case "in_progress":
      // A background response: the program fetches the rest later.
      return isWhole ? { unified: "paused", raw: status } : undefined
    default:
      // Some servers send no status.
      return isWhole && isResponse(response) ? { unified: "stop", raw: status } : undefined
  }
}

const tell = (told: ConversationBuilder.ConversationBuilder, item: unknown) => {
  const [role, content] = [fieldOf(item, "role"), fieldOf(item, "content")]
  const type = fieldOf(item, "type") ?? (role === undefined ? undefined : "message")
  if (type === "message" && (role === "system" || role === "developer")) return told.system(Parts.textIn(content))
  if (type === "message" && role === "user") return told.user(Parts.contentOf(content, contentPart))
  if (type === "message" && role !== "assistant") return told.unknown(Parts.unreadPart(item, role ?? type))
  const result = Items.resultIn(item)
  if (result !== undefined) return told.result(result.callId, result.content, { isError: result.isError })
  if (Items.isOfModel(item)) {
    return told.assistant([...Items.partsOf([item], told.callId), ...Parts.textParts(Items.refusalIn(item))])
  }
  return told.unknown(type === "item_reference" ? Parts.itemPart(type, item) : Parts.unreadPart(item))
}

const contentPart = (part: unknown): ToldPart => {
  const text = Parts.anyText(fieldOf(part, "text")) ?? Parts.anyText(part)
  if (text !== undefined) return { type: "text", text }
  switch (fieldOf(part, "type")) {
    case "input_image":
      return Parts.urlPart(fieldOf(part, "image_url"), part)
    case "input_file":
      return Parts.urlPart(fieldOf(part, "file_data"), part)
    case "input_audio": {
      const audio = fieldOf(part, "input_audio")
      const format = textOf(fieldOf(audio, "format"))
      return Parts.filePart(format === undefined ? undefined : `audio/${format}`, fieldOf(audio, "data"), part)
    }
    default:
      return Parts.unreadPart(part)
  }
}
