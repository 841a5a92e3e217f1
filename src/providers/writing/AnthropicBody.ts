/** Writes requests of Anthropic's messages. */

import type { Json, JsonObject } from "../../values/Json.ts"
import { argumentsObject, metadataOf, partsOf, resultOf, unlessEmpty, type Writable, words } from "./Written.ts"

/** The limit of an answer, in tokens, if none is recorded: the API requires one. */
export const DEFAULT_MAX_TOKENS = 4096

/** A request of `/messages`. */
export const write = ({ model, system, tools, settings, messages, isOwnFormat }: Writable): JsonObject => ({
  model,
  max_tokens: DEFAULT_MAX_TOKENS,
  ...unlessEmpty("system", system),
  messages: messages.map(({ role, content }) => messageOf(role, partsOf(content), isOwnFormat)),
  ...unlessEmpty(
    "tools",
    tools.map(({ name, description, schema }) => ({
      name,
      description: description ?? "",
      input_schema: schema ?? {},
    })),
  ),
  ...settings,
})

const messageOf = (role: string, parts: ReadonlyArray<JsonObject>, isOwnFormat: boolean): JsonObject => {
  switch (role) {
    case "assistant":
      return { role, content: parts.flatMap(blockOf) }
    case "tool":
      return { role: "user", content: parts.map((part) => toolResult(part, isOwnFormat)) }
    default:
      return { role: role === "system" ? role : "user", content: parts.map(contentBlock) }
  }
}

const toolResult = (part: JsonObject, isOwnFormat: boolean): JsonObject => ({
  type: "tool_result",
  tool_use_id: part.callId ?? "",
  content: resultOf(part, isOwnFormat),
  ...(part.isError === true ? { is_error: true } : {}),
})

const blockOf = (part: JsonObject): ReadonlyArray<Json> => {
  switch (part.type) {
    case "text":
    case "file":
    case "item":
      return [contentBlock(part)]
    case "call":
      return [{ type: "tool_use", id: part.callId ?? "", name: part.tool ?? "", input: argumentsObject(part) }]
    case "reasoning": {
      const { signature, redactedData } = metadataOf(part, "anthropic")
      if (typeof redactedData === "string") return [{ type: "redacted_thinking", data: redactedData }]
      return typeof signature === "string" ? [{ type: "thinking", thinking: words(part.text), signature }] : []
    }
    default:
      return []
  }
}

const contentBlock = (part: JsonObject): Json => {
  if (part.type === "item") return part.item ?? null
  if (part.type !== "file") return { type: "text", text: words(part.text) }
  const source = { type: "base64", media_type: words(part.mediaType), data: words(part.data) }
  return { type: words(part.mediaType).startsWith("image/") ? "image" : "document", source }
}
