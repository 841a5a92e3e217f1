/** Renders a conversation as text, for a model that summarizes it. Providers accept any calls within text. */

import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import * as FileParts from "./FileParts.ts"
import { listOf, type RequestMessage } from "./RequestMessage.ts"

/** The instruction before a conversation that the model summarizes for itself. */
const SUMMARIZE =
  "Summarize the conversation below, which is yours, for yourself: what was asked, what you did and found, what is decided and what is left to do. Keep names, paths and numbers exactly. Answer with the summary alone."

/** The message that asks a model to summarize a conversation. */
export const question = (messages: ReadonlyArray<RequestMessage>) =>
  ({ role: "user", content: [{ type: "text", text: `${SUMMARIZE}\n\n${of(messages)}` }] }) as const

/** Names files by their media type alone. */
export const of = (messages: ReadonlyArray<RequestMessage>): string => messages.map(messageText).join("\n\n")

const messageText = ({ role, content }: RequestMessage): string => {
  const parts = listOf(content).map(asObject)
  switch (role) {
    case "system":
      return `Instructions:\n${parts.map(contentText).join("\n")}`
    case "user":
      return `User:\n${parts.map(contentText).join("\n")}`
    case "assistant":
      return `You:\n${parts.flatMap(answerText).join("\n")}`
    case "tool":
      return parts.map(resultText).join("\n\n")
    default:
      return parts.map(contentText).join("\n")
  }
}

const contentText = (part: JsonObject): string => {
  if (part.type === "text") return String(part.text)
  return part.type === "file" ? `(a file: ${String(part.mediaType)})` : JSON.stringify(part.item)
}

const answerText = (part: JsonObject): ReadonlyArray<string> => {
  switch (part.type) {
    case "text":
      return [String(part.text)]
    case "call":
      return [`Call of ${String(part.tool)}: ${JSON.stringify(part.args)}`]
    case "hosted":
      return [`Call of ${String(part.tool)}, which the provider ran: ${JSON.stringify(part.args)}`]
    case "file":
      return [contentText(part)]
    default:
      return []
  }
}

const resultText = ({ tool, isError, content }: JsonObject): string =>
  `${isError === true ? "Error" : "Result"} of ${String(tool)}:\n${textOf(FileParts.separated(content ?? null).json)}`

const textOf = (content: Json): string => (typeof content === "string" ? content : JSON.stringify(content))
