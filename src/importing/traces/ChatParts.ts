/** Messages as LangChain, OpenAI and Langfuse write them, as the messages with parts of OpenTelemetry's conventions. */

import { at, field, isObject, listOf, parsed, textOf } from "../runs/Untrusted.ts"

/** A message with parts. */
export interface PartsMessage {
  readonly role: string
  readonly parts: ReadonlyArray<object>
}

const ROLES: Readonly<Record<string, string>> = {
  human: "user",
  HumanMessage: "user",
  ai: "assistant",
  AIMessage: "assistant",
  AIMessageChunk: "assistant",
  SystemMessage: "system",
  developer: "system",
  ToolMessage: "tool",
  function: "tool",
  FunctionMessage: "tool",
}

/** The messages of what a model was told: a list, lists of lists, an object with `messages`, or a text. */
export const toldIn = (input: unknown): ReadonlyArray<PartsMessage> => {
  const found = structured(input)
  if (typeof found === "string") return [{ role: "user", parts: [{ type: "text", content: found }] }]
  if (Array.isArray(found)) return found.flatMap((one) => (Array.isArray(one) ? toldIn(one) : [messageOf(one, "user")]))
  for (const name of ["messages", "prompts", "prompt", "input", "chat_history"]) {
    const inner = field(found, name)
    if (inner !== undefined) return toldIn(inner)
  }
  return isObject(found) && isMessage(found) ? [messageOf(found, "user")] : []
}

/** The answer of a model. */
export const answerIn = (output: unknown): ReadonlyArray<PartsMessage> => {
  const found = structured(output)
  if (typeof found === "string") return [{ role: "assistant", parts: [{ type: "text", content: found }] }]
  if (Array.isArray(found)) return found.slice(0, 1).flatMap(answerIn)
  const generation = field(found, "generations")
  if (Array.isArray(generation)) return answerIn(generation[0])
  const inner =
    field(found, "message") ??
    at(listOf(found, "choices")[0], "message") ??
    listOf(found, "messages").at(-1) ??
    field(found, "output")
  if (inner !== undefined && !isMessage(found)) return answerIn(inner)
  return isObject(found) ? [messageOf(found, "assistant")] : []
}

const isMessage = (value: unknown): boolean =>
  textOf(value, "role") !== undefined || field(value, "kwargs") !== undefined || (textOf(value, "type") ?? "") in ROLES

const structured = (value: unknown): unknown =>
  typeof value === "string" && /^\s*[[{]/.test(value) ? (parsed(value) ?? value) : value

/** A message, which LangChain may write as the call of a constructor. */
const messageOf = (value: unknown, otherwise: string): PartsMessage => {
  const own = field(value, "kwargs") ?? value
  const constructed = listOf(value, "id").at(-1)
  const named =
    textOf(own, "role") ?? (typeof constructed === "string" ? constructed : undefined) ?? textOf(own, "type")
  const role = named === undefined ? otherwise : (ROLES[named] ?? named)
  const content = field(own, "content") ?? field(own, "text")
  if (role === "tool")
    return { role, parts: [{ type: "tool_call_response", id: textOf(own, "tool_call_id"), response: content ?? null }] }
  const texts =
    typeof content === "string"
      ? [content]
      : (Array.isArray(content) ? content : []).flatMap((part) => textOf(part, "text") ?? [])
  const calls =
    listOf(own, "tool_calls").length > 0
      ? listOf(own, "tool_calls")
      : listOf(field(own, "additional_kwargs"), "tool_calls")
  return {
    role,
    parts: [
      ...texts.filter((text) => text !== "").map((text) => ({ type: "text", content: text })),
      ...calls.map((call) => ({
        type: "tool_call",
        id: textOf(call, "id"),
        name: textOf(call, "name") ?? textOf(field(call, "function"), "name"),
        arguments: field(call, "args") ?? field(field(call, "function"), "arguments") ?? field(call, "arguments") ?? {},
      })),
    ],
  }
}
