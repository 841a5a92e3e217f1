/** Messages of the AI SDK: `UIMessage` (stored chats) and `ModelMessage` (sent to models). */

import type { Json } from "../../values/Json.ts"
import { field, listOf, logJson, nameFrom, textOf } from "../runs/Untrusted.ts"
import type { ReadMessage } from "./Conversation.ts"

type Part = Readonly<Record<string, Json>>

export const isAiSdk = (message: unknown): boolean =>
  Array.isArray(field(message, "parts")) ||
  listOf(message, "content").some((part) => /^tool-(?:call|result)$/.test(textOf(part, "type") ?? ""))

/** Splits an AI SDK message: an answer of several steps becomes several messages with results between them. */
export const messagesOf = (message: unknown): ReadonlyArray<ReadMessage> => {
  const role = textOf(message, "role") ?? "unknown"
  const content = field(message, "content")
  const parts = Array.isArray(field(message, "parts"))
    ? listOf(message, "parts")
    : typeof content === "string"
      ? [{ type: "text", text: content }]
      : listOf(message, "content")
  if (role === "assistant") return stepsOf(parts)
  if (role === "tool") return [{ role: "tool", content: parts.flatMap(resultOf) }]
  const told = parts.map((part) => toldPart(part))
  return [{ role: role === "user" || role === "system" ? role : "unknown", content: told }]
}

const stepsOf = (parts: ReadonlyArray<unknown>): ReadonlyArray<ReadMessage> => {
  const messages: Array<ReadMessage> = []
  let [answer, results]: [Array<Json>, Array<Json>] = [[], []]
  const end = (): void => {
    if (answer.length > 0) messages.push({ role: "assistant", content: answer })
    if (results.length > 0) messages.push({ role: "tool", content: results })
    ;[answer, results] = [[], []]
  }
  for (const part of parts) {
    const type = textOf(part, "type") ?? ""
    if (type === "step-start") end()
    else if (type === "tool-result") results.push(...resultOf(part))
    else if (type === "tool-call") answer.push(callOf(part, textOf(part, "toolName")))
    else if (type === "tool-invocation") take(field(part, "toolInvocation"), undefined)
    else if (type === "dynamic-tool" || type.startsWith("tool-"))
      take(part, type === "dynamic-tool" ? undefined : type.slice(5))
    else {
      // Text after results begins another answer.
      if (results.length > 0) end()
      answer.push(answerPart(part))
    }
  }
  end()
  return messages

  function take(call: unknown, tool: string | undefined): void {
    answer.push(callOf(call, tool ?? textOf(call, "toolName")))
    const state = textOf(call, "state") ?? ""
    if (/^(?:output-available|result)$/.test(state))
      results.push(result(call, field(call, "output") ?? field(call, "result"), false))
    if (/^output-(?:error|denied)$/.test(state)) results.push(result(call, textOf(call, "errorText") ?? state, true))
  }
}

const idOf = (call: unknown): string => nameFrom(textOf(call, "toolCallId") ?? "call")

const callOf = (call: unknown, tool: string | undefined): Part => ({
  type: "call",
  callId: idOf(call),
  tool: nameFrom(tool ?? "unknown"),
  args: logJson(field(call, "input") ?? field(call, "args") ?? {}).json,
})

const result = (call: unknown, content: unknown, isError: boolean): Part => ({
  callId: idOf(call),
  tool: nameFrom(textOf(call, "toolName") ?? ""),
  isError,
  content: logJson(content ?? null).json,
})

const resultOf = (part: unknown): ReadonlyArray<Json> => {
  if (textOf(part, "type") !== "tool-result") return []
  const output = field(part, "output")
  const type = textOf(output, "type") ?? ""
  const isTyped = /^(?:text|json|content|error-text|error-json|execution-denied)$/.test(type)
  const content = isTyped ? (field(output, "value") ?? field(output, "reason")) : (output ?? field(part, "result"))
  const isError = type.startsWith("error") || type === "execution-denied" || field(part, "isError") === true
  return [result(part, content, isError)]
}

const answerPart = (part: unknown): Json => {
  const [type, text] = [textOf(part, "type") ?? "", textOf(part, "text") ?? textOf(part, "reasoning")]
  if (type === "text" || type === "reasoning") return { type, text: text ?? "" }
  return toldPart(part)
}

const toldPart = (part: unknown): Json => {
  const type = textOf(part, "type") ?? ""
  const text = textOf(part, "text")
  if (type === "text" && text !== undefined) return { type, text }
  const mediaType = textOf(part, "mediaType") ?? textOf(part, "mimeType")
  const inside = /^data:[^,]*;base64,(.+)$/s.exec(
    textOf(part, "url") ?? textOf(part, "data") ?? textOf(part, "image") ?? "",
  )
  const data = inside?.[1] ?? (type === "file" ? textOf(part, "data") : undefined)
  if (data !== undefined && mediaType !== undefined) return { type: "file", mediaType, data }
  return { type: "item", kind: type, item: logJson(part).json }
}
