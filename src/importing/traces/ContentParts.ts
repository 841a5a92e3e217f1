/** Converts message content and calls to parts in OpenTelemetry's conventions. */

import { at, field, isObject, textOf } from "../runs/Untrusted.ts"

/** Called with the type of unknown content. */
export type Unread = (kind: string) => void

export const partsOf = (content: unknown, unread: Unread): ReadonlyArray<object> =>
  (Array.isArray(content) ? content.flat(MAX_LEVELS) : [content]).flatMap((part) => partsIn(part, unread))

/** Lists within lists of parts: no format has more, and a hostile file has thousands. */
const MAX_LEVELS = 8

const partsIn = (content: unknown, unread: Unread): ReadonlyArray<object> => {
  if (content === null || content === undefined || content === "") return []
  if (typeof content === "string") return [{ type: "text", content }]
  const part = Array.isArray(content) ? undefined : partOf(content)
  if (part === undefined) unread(Array.isArray(content) ? "list" : (textOf(content, "type") ?? "object"))
  return part === undefined ? [] : [part]
}

const partOf = (part: unknown): object | undefined => {
  const call = callOf(part)
  if (call !== undefined) return call
  const result = resultOf(part)
  if (result !== undefined) return result
  const type = textOf(part, "type") ?? ""
  const thought = textOf(part, "thinking") ?? textOf(part, "reasoning")
  if (thought !== undefined) return { type: "reasoning", content: thought }
  const text = field(part, "text") ?? field(part, "content")
  if (typeof text !== "string") return undefined
  const isReasoning = /^(?:reasoning|thinking)$/.test(type) || field(part, "thought") === true
  return { type: isReasoning ? "reasoning" : "text", content: text }
}

/** A call of OpenTelemetry, OpenAI, LangChain, Anthropic or Gemini. */
const callOf = (part: unknown): object | undefined => {
  const type = textOf(part, "type") ?? ""
  const of = field(part, "functionCall") ?? field(part, "function_call") ?? field(part, "function")
  const isCall = isObject(of) || /^(?:(?:server_)?tool_use|tool_call|tool-call|function_call)$/.test(type)
  const args = ["args", "arguments", "input"].map((name) => field(isObject(of) ? of : part, name))
  if (!isCall && (field(part, "args") === undefined || textOf(part, "name") === undefined)) return undefined
  return {
    type: "tool_call",
    id: idIn(field(part, "id") ?? field(part, "toolCallId") ?? at(of, "id")),
    name: textOf(of, "name") ?? textOf(part, "name") ?? textOf(part, "toolName") ?? "unknown",
    arguments: args.find((value) => value !== undefined && value !== null) ?? {},
  }
}

const resultOf = (part: unknown): object | undefined => {
  const type = textOf(part, "type") ?? ""
  const of = field(part, "functionResponse") ?? field(part, "function_response")
  if (!isObject(of) && !/^(?:tool_result|tool_call_response|tool-result|\w+_tool_result)$/.test(type)) return undefined
  const content = ["response", "result", "content", "output"].map((name) => field(isObject(of) ? of : part, name))
  return {
    type: "tool_call_response",
    id: idIn(field(part, "id") ?? field(part, "tool_use_id") ?? field(part, "toolCallId") ?? at(of, "id")),
    response: content.find((value) => value !== undefined && value !== null) ?? null,
  }
}

/** An id; lists are joined. */
export const idIn = (id: unknown): string | undefined => {
  if (typeof id === "string" && id !== "") return id
  return Array.isArray(id) && id.length > 0 ? id.map(String).join("/") : undefined
}
