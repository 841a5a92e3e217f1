/**
 * Converts messages of LangChain, OpenAI, Anthropic, Gemini, OpenTelemetry and Langfuse to OpenTelemetry's messages
 * with parts.
 */

import { asText, at, field, isObject, listOf, parsed, textOf } from "../runs/Untrusted.ts"
import { partsOf, type Unread } from "./ContentParts.ts"

export interface PartsMessage {
  readonly role: string
  readonly parts: ReadonlyArray<object>
}

const ROLES: Readonly<Record<string, string>> = {
  human: "user",
  HumanMessage: "user",
  HumanMessageChunk: "user",
  ai: "assistant",
  AIMessage: "assistant",
  AIMessageChunk: "assistant",
  model: "assistant",
  SystemMessage: "system",
  developer: "system",
  ToolMessage: "tool",
  function: "tool",
  FunctionMessage: "tool",
}

/** Field names for a request's messages. */
const TOLD = ["messages", "contents", "prompts", "prompt", "input", "chat_history", "args", "new_message"]

/** The messages of a request: an object with one of these fields, a list, nested lists, or a text. */
export const toldIn = (input: unknown, unread: Unread): ReadonlyArray<PartsMessage> => {
  const found = structured(input)
  if (found === null || found === undefined || found === "") return []
  if (typeof found === "string") return [spokenBy("user", found)]
  if (Array.isArray(found))
    return found.flatMap((one) => (Array.isArray(one) ? toldIn(one, unread) : messagesIn(one, "user", unread)))
  const name = TOLD.find((one) => field(found, one) !== undefined && field(found, one) !== null)
  if (!isMessage(found) && name !== undefined) return [...systemIn(found), ...toldIn(field(found, name), unread)]
  return isMessage(found) ? messagesIn(found, "user", unread) : []
}

/** The system prompt next to a request's messages. */
const systemIn = (request: unknown): ReadonlyArray<PartsMessage> => {
  const system =
    field(request, "system") ??
    field(request, "instructions") ??
    field(request, "system_instruction") ??
    field(request, "systemInstruction") ??
    at(request, "config", "system_instruction") ??
    at(request, "config", "systemInstruction")
  const parts = partsOf(structured(field(system, "parts") ?? system), () => {})
  return parts.length === 0 ? [] : [{ role: "system", parts }]
}

/** The answer: messages, or a provider's response. */
export const answerIn = (output: unknown, unread: Unread): ReadonlyArray<PartsMessage> => {
  const found = structured(output)
  if (found === null || found === undefined || found === "") return []
  if (typeof found === "string") return [spokenBy("assistant", found)]
  if (Array.isArray(found)) {
    const messages = found.flatMap((one) => messagesIn(one, "assistant", unread))
    // An agent returns its whole conversation.
    return messages.filter(({ role }) => role === "assistant")
  }
  // The first of several answers.
  const [generation] = listOf(found, "generations")
  if (generation !== undefined) return answerIn(Array.isArray(generation) ? generation.slice(0, 1) : generation, unread)
  const inner =
    at(listOf(found, "choices")[0], "message") ??
    at(listOf(found, "candidates")[0], "content") ??
    (isMessage(found) ? undefined : (field(found, "message") ?? listOf(found, "messages").at(-1))) ??
    (isObject(field(found, "content")) ? field(found, "content") : undefined) ??
    (isMessage(found) ? undefined : field(found, "output"))
  if (inner !== undefined && inner !== null) return answerIn(isObject(inner) ? [inner] : inner, unread)
  return messagesIn(found, "assistant", unread).filter(({ role }) => role === "assistant")
}

const isMessage = (value: unknown): boolean =>
  textOf(value, "role") !== undefined || field(value, "kwargs") !== undefined || (textOf(value, "type") ?? "") in ROLES

const structured = (value: unknown): unknown =>
  typeof value === "string" && /^\s*[[{]/.test(value) ? (parsed(value) ?? value) : value

const spokenBy = (role: string, content: string): PartsMessage => ({ role, parts: [{ type: "text", content }] })

/** The messages of an item; none for a tool's definition. */
const messagesIn = (value: unknown, otherwise: string, unread: Unread): ReadonlyArray<PartsMessage> => {
  if (typeof value === "string") return [reprIn(value) ?? spokenBy(otherwise, value)]
  if (isDefinition(field(value, "content")) || isDefinition(value)) return []
  const item = itemOf(value)
  if (item !== undefined) return [item]
  // LangChain puts a generation's message next to its text.
  const message = isMessage(value) ? value : (field(value, "message") ?? value)
  const own = field(message, "kwargs") ?? message
  const constructed = listOf(message, "id").at(-1)
  const named =
    textOf(own, "role") ?? (typeof constructed === "string" ? constructed : undefined) ?? textOf(own, "type")
  const role = named === undefined ? otherwise : (ROLES[named] ?? named)
  const content = structured(field(own, "parts") ?? field(own, "content") ?? field(own, "text"))
  if (role === "tool" && !hasResults(content))
    return [{ role, parts: [{ type: "tool_call_response", id: idOf(own), response: content ?? null }] }]
  const reasoning = textOf(own, "reasoning_content") ?? textOf(own, "reasoning")
  const listed = [listOf(own, "tool_calls"), listOf(field(own, "additional_kwargs"), "tool_calls")]
  const calls = listed.find((list) => list.length > 0) ?? []
  const inContent = partsOf(content, unread)
  const isCalled = inContent.some((part) => textOf(part, "type") === "tool_call")
  const parts = [
    ...(reasoning === undefined ? [] : [{ type: "reasoning", content: reasoning }]),
    ...inContent,
    ...(isCalled ? [] : partsOf(calls, unread)),
  ]
  // Some programs give results the role `user`.
  const isAll = (type: string) => parts.length > 0 && parts.every((part) => textOf(part, "type") === type)
  return [{ role: role === "user" && isAll(RESULT) ? "tool" : isAll("tool_call") ? "assistant" : role, parts }]
}

const RESULT = "tool_call_response"

const hasResults = (content: unknown): boolean =>
  Array.isArray(content) && partsOf(content, () => {}).some((part) => /^tool_call/.test(textOf(part, "type") ?? ""))

const idOf = (message: unknown): string | undefined => {
  const id = field(message, "tool_call_id") ?? field(message, "id")
  return typeof id === "string" ? id : undefined
}

/** A tool's definition, which some exports put among the messages. */
const isDefinition = (value: unknown): boolean =>
  textOf(value, "type") === "function" &&
  isObject(field(value, "function")) &&
  isObject(at(value, "function", "parameters"))

/** An item of OpenAI's Responses API other than a message. */
const itemOf = (value: unknown): PartsMessage | undefined => {
  const type = textOf(value, "type") ?? ""
  if (type === "reasoning" && textOf(value, "role") === undefined) {
    const texts = [...listOf(value, "summary"), ...listOf(value, "content")].flatMap(
      (part) => textOf(part, "text") ?? [],
    )
    return { role: "assistant", parts: [{ type: "reasoning", content: texts.join("\n") }] }
  }
  if (/_call_output$/.test(type))
    return {
      role: "tool",
      parts: [{ type: RESULT, id: textOf(value, "call_id"), response: field(value, "output") ?? null }],
    }
  if (!/_call$/.test(type)) return undefined
  return {
    role: "assistant",
    parts: [
      {
        type: "tool_call",
        id: textOf(value, "call_id") ?? textOf(value, "id"),
        name: textOf(value, "name") ?? type.replace(/_call$/, ""),
        arguments: field(value, "arguments") ?? field(value, "input") ?? field(value, "action") ?? {},
      },
    ],
  }
}

/** A message in Python's `repr` form. */
const reprIn = (text: string): PartsMessage | undefined => {
  const [, role = "", , quoted] = /^role='(\w+)' content=(?:None|(['"])([\s\S]*?)\2) name=/.exec(text) ?? []
  if (role === "") return undefined
  const content = quoted?.replaceAll("\\n", "\n")
  const id = / tool_call_id='([^']+)'/.exec(text)?.[1]
  if (role === "tool") return { role, parts: [{ type: RESULT, id, response: content ?? null }] }
  return content === undefined ? { role: ROLES[role] ?? role, parts: [] } : spokenBy(ROLES[role] ?? role, content)
}

/** The first user message of an agent's input, as text. */
export const askedIn = (input: unknown): string | undefined => {
  const message = toldIn(input, () => {}).find(({ role }) => role === "user")
  const texts = (message?.parts ?? []).flatMap((part) => textOf(part, "content") ?? [])
  return texts.length === 0 ? undefined : asText(texts.join("\n"))
}
