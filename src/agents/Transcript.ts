/**
 * Renders a conversation as text, for a model that summarizes it. Providers accept text, whatever calls it mentions.
 */

import type { Json } from "../values/Json.ts"
import * as Files from "./models/Files.ts"
import type { AnswerPart, Message, ToldPart, ToolResult } from "./models/Message.ts"

/** Names files by their media type alone. */
export const of = (messages: ReadonlyArray<Message>): string => messages.map(messageText).join("\n\n")

const messageText = (message: Message): string => {
  switch (message.role) {
    case "system":
      return `Instructions:\n${message.content.map(contentText).join("\n")}`
    case "unknown":
      return message.content.map(contentText).join("\n")
    case "user":
      return `User:\n${message.content.map(contentText).join("\n")}`
    case "assistant":
      return `You:\n${message.content.flatMap(answerText).join("\n")}`
    case "tool":
      return message.content.map(resultText).join("\n\n")
  }
}

const contentText = (part: ToldPart): string => {
  if (part.type === "text") return part.text
  return part.type === "file" ? `(a file: ${part.mediaType})` : JSON.stringify(part.item)
}

const answerText = (part: AnswerPart): ReadonlyArray<string> => {
  switch (part.type) {
    case "text":
      return [part.text]
    case "call":
      return [`Call of ${part.tool}: ${JSON.stringify(part.args)}`]
    case "hosted":
      return [`Call of ${part.tool}, which the provider ran: ${JSON.stringify(part.args)}`]
    case "file":
      return [contentText(part)]
    case "reasoning":
    case "item":
      return []
  }
}

const resultText = ({ tool, isError, content }: ToolResult): string =>
  `${isError ? "Error" : "Result"} of ${tool}:\n${textOf(Files.separated(content).json)}`

const textOf = (content: Json): string => (typeof content === "string" ? content : JSON.stringify(content))
