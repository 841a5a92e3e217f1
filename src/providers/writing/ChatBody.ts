/** Writes requests of OpenAI's chat completions, and of Ollama's chat, which resembles them. */

import type { Json, JsonObject } from "../../values/Json.ts"
import { argumentsObject, argumentsText, partsOf, resultOf, unlessEmpty, type Writable, words } from "./Written.ts"

/** A request of `/chat/completions`. */
export const openAi = ({ model, system, tools, settings, messages, isOwnFormat }: Writable): JsonObject => ({
  model,
  messages: [
    ...(system === "" ? [] : [{ role: "system", content: system }]),
    ...messages.flatMap(({ role, content }) => messagesOf(role, partsOf(content), isOwnFormat)),
  ],
  ...unlessEmpty("tools", tools.map(toolOf)),
  ...settings,
})

/** A function as OpenAI's chat and Ollama declare it. */
const toolOf = ({ name, description, schema }: Writable["tools"][number]): JsonObject => ({
  type: "function",
  function: { name, description: description ?? "", parameters: schema ?? {} },
})

const messagesOf = (
  role: string,
  parts: ReadonlyArray<JsonObject>,
  isOwnFormat: boolean,
): ReadonlyArray<JsonObject> => {
  if (role === "tool")
    return parts.map((part) => ({ role, tool_call_id: part.callId ?? "", content: resultOf(part, isOwnFormat) }))
  if (role !== "assistant") return [{ role: role === "system" ? role : "user", content: contentOf(parts) }]
  const calls = parts.filter(({ type }) => type === "call")
  const text = textOf(parts)
  return [
    {
      role,
      content: text === "" && calls.length > 0 ? null : text,
      ...unlessEmpty(
        "tool_calls",
        calls.map((part) => ({
          id: part.callId ?? "",
          type: "function",
          function: { name: part.tool ?? "", arguments: argumentsText(part) },
        })),
      ),
    },
  ]
}

const textOf = (parts: ReadonlyArray<JsonObject>): string =>
  parts.map(({ type, text }) => (type === "text" ? words(text) : "")).join("")

const contentOf = (parts: ReadonlyArray<JsonObject>): Json => {
  const [only, ...others] = parts
  return only?.type === "text" && others.length === 0 ? words(only.text) : parts.map(contentPart)
}

const contentPart = (part: JsonObject): Json => {
  if (part.type === "item") return part.item ?? null
  if (part.type !== "file") return { type: "text", text: words(part.text) }
  const url = `data:${words(part.mediaType)};base64,${words(part.data)}`
  return words(part.mediaType).startsWith("image/")
    ? { type: "image_url", image_url: { url } }
    : { type: "file", file: { filename: "file", file_data: url } }
}

/** A request of Ollama's `/api/chat`. */
export const ollama = ({ model, system, tools, settings, messages, isOwnFormat }: Writable): JsonObject => ({
  model,
  messages: [
    ...(system === "" ? [] : [{ role: "system", content: system }]),
    ...messages.flatMap(({ role, content }) => ollamaMessages(role, partsOf(content), isOwnFormat)),
  ],
  ...unlessEmpty("tools", tools.map(toolOf)),
  stream: false,
  ...settings,
})

const ollamaMessages = (
  role: string,
  parts: ReadonlyArray<JsonObject>,
  isOwnFormat: boolean,
): ReadonlyArray<JsonObject> => {
  if (role === "tool")
    return parts.map((part) => ({
      role,
      tool_call_id: part.callId ?? "",
      tool_name: part.tool ?? "",
      content: resultOf(part, isOwnFormat),
    }))
  const calls = parts.filter(({ type }) => type === "call")
  return [
    {
      role: role === "assistant" || role === "system" ? role : "user",
      content: textOf(parts),
      ...unlessEmpty(
        "images",
        parts.flatMap(({ type, data }) => (type === "file" ? [words(data)] : [])),
      ),
      ...unlessEmpty(
        "tool_calls",
        calls.map((part) => ({
          id: part.callId ?? "",
          function: { name: part.tool ?? "", arguments: argumentsObject(part) },
        })),
      ),
    },
  ]
}
