/** Writes requests of OpenAI's Responses API. */

import type { Json, JsonObject } from "../../values/Json.ts"
import { argumentsText, metadataOf, partsOf, resultOf, unlessEmpty, type Writable, words } from "./Written.ts"

/** A request of `/responses`. */
export const write = ({ model, system, tools, settings, messages, isOwnFormat }: Writable): JsonObject => ({
  model,
  ...unlessEmpty("instructions", system),
  input: messages.flatMap(({ role, content }) => itemsOf(role, partsOf(content), isOwnFormat)),
  ...unlessEmpty(
    "tools",
    tools.map(({ name, description, schema }) => ({
      type: "function",
      name,
      description: description ?? "",
      parameters: schema ?? {},
      strict: false,
    })),
  ),
  ...settings,
})

const itemsOf = (role: string, parts: ReadonlyArray<JsonObject>, isOwnFormat: boolean): ReadonlyArray<Json> => {
  switch (role) {
    case "assistant":
      return parts.flatMap(itemOf)
    case "tool":
      return parts.map((part) => ({
        type: "function_call_output",
        call_id: part.callId ?? "",
        output: resultOf(part, isOwnFormat),
      }))
    case "unknown":
      return parts.map((part) => part.item ?? part)
    default:
      return [{ role, content: parts.map(contentPart) }]
  }
}

const itemOf = (part: JsonObject): ReadonlyArray<Json> => {
  switch (part.type) {
    case "text":
      return [{ role: "assistant", content: [{ type: "output_text", text: words(part.text) }] }]
    case "call":
      return [
        { type: "function_call", call_id: part.callId ?? "", name: part.tool ?? "", arguments: argumentsText(part) },
      ]
    case "reasoning": {
      const { itemId, reasoningEncryptedContent: encrypted } = metadataOf(part, "openai")
      // A provider accepts reasoning only as it wrote it.
      if (typeof encrypted !== "string") return []
      const summary = part.text === "" ? [] : [{ type: "summary_text", text: words(part.text) }]
      return [
        { type: "reasoning", ...(itemId === undefined ? {} : { id: itemId }), summary, encrypted_content: encrypted },
      ]
    }
    case "item":
      return [part.item ?? null]
    default:
      return []
  }
}

const contentPart = (part: JsonObject): Json => {
  if (part.type === "item") return part.item ?? null
  if (part.type !== "file") return { type: "input_text", text: words(part.text) }
  const url = `data:${words(part.mediaType)};base64,${words(part.data)}`
  return words(part.mediaType).startsWith("image/")
    ? { type: "input_image", image_url: url }
    : { type: "input_file", filename: "file", file_data: url }
}
