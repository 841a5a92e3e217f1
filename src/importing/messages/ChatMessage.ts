/** Reads a single message of OpenAI's chat completions, without its request. */

import { field, listOf, nameFrom, parsed, textOf } from "../runs/Untrusted.ts"

export interface ChatCall {
  readonly id: string | undefined
  readonly tool: string
  readonly args: unknown
}

export const contentText = (message: unknown): string => {
  const content = field(message, "content")
  if (typeof content === "string") return content
  return (Array.isArray(content) ? content : []).flatMap((part) => textOf(part, "text") ?? []).join("\n")
}

/** Calls in `tool_calls`, the older `function_call`, or a response's items. */
export const callsIn = (message: unknown): ReadonlyArray<ChatCall> => {
  const items = listOf(message, "output").filter((item) => textOf(item, "type") === "function_call")
  const calls = [...listOf(message, "tool_calls"), ...items]
  const old = field(message, "function_call")
  return (calls.length === 0 && old !== undefined && old !== null ? [{ function: old }] : calls).map((call) => {
    const of = field(call, "function") ?? call
    const text = field(of, "arguments")
    return {
      id: textOf(call, "call_id") ?? textOf(call, "id"),
      tool: nameFrom(textOf(of, "name") ?? "unknown"),
      args: typeof text === "string" ? (text === "" ? {} : (parsed(text) ?? text)) : (text ?? {}),
    }
  })
}
