/** Reads the messages in span attributes into one form. */

import { asText, field, isObject, listOf, parsed, textOf } from "../runs/Untrusted.ts"
import type { Span } from "./Span.ts"

export interface Call {
  readonly id: string | undefined
  readonly tool: string
  readonly args: unknown
}

export interface Result {
  readonly id: string | undefined
  readonly content: unknown
}

export interface Message {
  readonly role: string
  readonly text: string
  readonly reasoning: string
  readonly calls: ReadonlyArray<Call>
  readonly results: ReadonlyArray<Result>
}

const EMPTY: Omit<Message, "role"> = { text: "", reasoning: "", calls: [], results: [] }

/** An answer as a list of one message; empty if it has no parts. */
export const answer = (
  reasoning: string | undefined,
  text: string | undefined,
  calls: ReadonlyArray<Call>,
): ReadonlyArray<Message> =>
  reasoning === undefined && text === undefined && calls.length === 0
    ? []
    : [{ ...EMPTY, role: "assistant", text: text ?? "", reasoning: reasoning ?? "", calls }]

/**
 * Messages in OpenTelemetry's conventions: attributes with parts, or the events and numbered attributes of older
 * versions.
 */
export const ofGenAi = (
  span: Span,
): { readonly input: ReadonlyArray<Message>; readonly output: ReadonlyArray<Message> } => {
  const { attributes } = span
  const system = structured(field(attributes, "gen_ai.system_instructions"))
  const instructions = system.length === 0 ? [] : [ofParts("system", system)]
  const input = structured(field(attributes, "gen_ai.input.messages")).map((one) =>
    ofParts(roleOf(one), listOf(one, "parts"), one),
  )
  const output = structured(field(attributes, "gen_ai.output.messages")).map((one) =>
    ofParts("assistant", listOf(one, "parts"), one),
  )
  if (input.length + output.length > 0) return { input: [...instructions, ...input], output }
  const events = ofEvents(span)
  if (events.input.length + events.output.length > 0) return events
  const completion = field(attributes, "gen_ai.completion")
  const older = {
    input: structured(field(attributes, "gen_ai.prompt")).map((one) => ofParts(roleOf(one), listOf(one, "parts"), one)),
    output: answer(undefined, textOf(parsed(asText(completion)), "text"), []),
  }
  if (older.input.length + older.output.length > 0) return older
  return { input: numbered(attributes, "gen_ai.prompt."), output: numbered(attributes, "gen_ai.completion.") }
}

/** Messages in OpenInference: numbered attributes, otherwise the span's whole input and output. */
export const ofOpenInference = ({
  attributes,
}: Span): { readonly input: ReadonlyArray<Message>; readonly output: ReadonlyArray<Message> } => {
  const input = numbered(attributes, "llm.input_messages.")
  const output = numbered(attributes, "llm.output_messages.")
  const [given, answered] = [textOf(attributes, "input.value"), textOf(attributes, "output.value")]
  const whole = structured(given).map((one) =>
    isObject(field(one, "parts")) || Array.isArray(field(one, "parts"))
      ? ofParts(roleOf(one), listOf(one, "parts"), one)
      : ofChat(one),
  )
  return {
    input:
      input.length > 0
        ? input
        : whole.length > 0
          ? whole
          : given === undefined
            ? []
            : [{ ...EMPTY, role: "user", text: given }],
    output: output.length > 0 ? output : answer(undefined, answered, []),
  }
}

/** A list, or JSON text of one. */
const structured = (value: unknown): ReadonlyArray<unknown> => {
  const found = typeof value === "string" ? parsed(value) : value
  return Array.isArray(found) ? found : []
}

const roleOf = (message: unknown): string => textOf(message, "role") ?? "user"

const ofParts = (role: string, parts: ReadonlyArray<unknown>, whole?: unknown): Message => {
  const texts = (type: string) =>
    parts.flatMap((part) =>
      textOf(part, "type") === type ? (textOf(part, "content") ?? textOf(part, "text") ?? []) : [],
    )
  return {
    role,
    text: [...texts("text"), ...(textOf(whole, "content") === undefined ? [] : [textOf(whole, "content")])].join("\n"),
    reasoning: texts("reasoning").join("\n"),
    calls: parts.flatMap((part) =>
      textOf(part, "type") === "tool_call"
        ? [{ id: textOf(part, "id"), tool: textOf(part, "name") ?? "unknown", args: argsOf(field(part, "arguments")) }]
        : [],
    ),
    results: parts.flatMap((part) =>
      textOf(part, "type") === "tool_call_response"
        ? [{ id: textOf(part, "id"), content: field(part, "response") ?? field(part, "result") ?? null }]
        : [],
    ),
  }
}

const argsOf = (args: unknown): unknown => (typeof args === "string" ? (parsed(args) ?? args) : args)

/** Span events, as conventions before 1.37 used them. */
const ofEvents = ({ events }: Span) => {
  const input: Array<Message> = []
  const output: Array<Message> = []
  for (const { name, attributes } of events) {
    const role = /^gen_ai\.(system|user|assistant|tool)\.message$/.exec(name)?.[1]
    if (role !== undefined) input.push(ofChat({ role, ...attributes }))
    else if (name === "gen_ai.choice") {
      const message = field(attributes, "message")
      output.push(
        ofChat({
          role: "assistant",
          ...attributes,
          ...(isObject(message)
            ? message
            : isObject(parsed(asText(message)))
              ? (parsed(asText(message)) as object)
              : {}),
        }),
      )
    } else if (name === "gen_ai.content.prompt")
      input.push(...structured(field(attributes, "gen_ai.prompt")).map(ofChat))
    else if (name === "gen_ai.content.completion")
      output.push(...structured(field(attributes, "gen_ai.completion")).map(ofChat))
  }
  return { input, output }
}

/** A message in the form of OpenAI's chat completions. */
const ofChat = (message: unknown): Message => {
  const role = roleOf(message)
  const content = field(message, "content")
  const text =
    typeof content === "string"
      ? content
      : listOf(message, "content")
          .flatMap((part) => textOf(part, "text") ?? [])
          .join("\n")
  if (role === "tool")
    return {
      ...EMPTY,
      role,
      results: [{ id: textOf(message, "tool_call_id") ?? textOf(message, "id"), content: text }],
    }
  const calls = structured(field(message, "tool_calls")).map((call) => ({
    id: textOf(call, "id"),
    tool: textOf(field(call, "function"), "name") ?? textOf(call, "name") ?? "unknown",
    args: argsOf(field(field(call, "function"), "arguments") ?? field(call, "arguments")),
  }))
  return { ...EMPTY, role, text, calls }
}

/** Messages in numbered attributes, such as `llm.input_messages.0.message.content`. */
export const numbered = (attributes: Readonly<Record<string, unknown>>, prefix: string): ReadonlyArray<Message> => {
  const messages = new Map<number, Map<string, unknown>>()
  for (const [key, value] of Object.entries(attributes)) {
    if (!key.startsWith(prefix)) continue
    const [, index, rest] = /^(\d{1,6})\.(.+)$/.exec(key.slice(prefix.length)) ?? []
    if (index === undefined || rest === undefined) continue
    const fields = messages.get(Number(index)) ?? new Map<string, unknown>()
    fields.set(rest.replace(/^message\./, ""), value)
    messages.set(Number(index), fields)
  }
  return [...messages].sort(([a], [b]) => a - b).map(([, fields]) => ofFields(fields))
}

const ofFields = (fields: ReadonlyMap<string, unknown>): Message => {
  const text = (name: string) => {
    const value = fields.get(name)
    return typeof value === "string" && value !== "" ? value : undefined
  }
  const role = text("role") ?? "assistant"
  const parts = [...fields]
    .filter(([name]) => /^contents\.\d+\.message_content\.text$/.test(name))
    .map(([, value]) => asText(value))
  const content = text("content") ?? parts.join("\n")
  if (role === "tool") return { ...EMPTY, role, results: [{ id: text("tool_call_id"), content }] }
  const indexes = new Set([...fields.keys()].flatMap((name) => /^tool_calls\.(\d+)\./.exec(name)?.[1] ?? []))
  const calls = [...indexes].map((index) => {
    const at = (...names: ReadonlyArray<string>) =>
      names.map((name) => text(`tool_calls.${index}.${name}`)).find((found) => found !== undefined)
    return {
      id: at("tool_call.id", "id"),
      tool: at("tool_call.function.name", "name") ?? "unknown",
      args: argsOf(at("tool_call.function.arguments", "arguments")),
    }
  })
  return { ...EMPTY, role, text: content, calls }
}

/** AI SDK messages: plain text, or parts of type text, reasoning, tool-call and tool-result. */
export const ofAiSdk = (value: unknown): ReadonlyArray<Message> => {
  const messages = Array.isArray(value) ? value : listOf(value, "messages")
  return messages.map((message) => {
    const parts = listOf(message, "content")
    const of = (type: string) => parts.filter((part) => textOf(part, "type") === type)
    const whole = field(message, "content")
    return {
      role: roleOf(message),
      text:
        typeof whole === "string"
          ? whole
          : of("text")
              .flatMap((part) => textOf(part, "text") ?? [])
              .join("\n"),
      reasoning: of("reasoning")
        .flatMap((part) => textOf(part, "text") ?? [])
        .join("\n"),
      calls: aiSdkCalls(of("tool-call")),
      results: of("tool-result").map((part) => ({
        id: textOf(part, "toolCallId"),
        content: field(field(part, "output"), "value") ?? field(part, "result") ?? field(part, "output") ?? null,
      })),
    }
  })
}

/** AI SDK calls with `input` (from version 5) or `args`, possibly as JSON text. */
export const aiSdkCalls = (calls: unknown): ReadonlyArray<Call> =>
  (Array.isArray(calls) ? calls : []).map((call) => ({
    id: textOf(call, "toolCallId"),
    tool: textOf(call, "toolName") ?? "unknown",
    args: argsOf(field(call, "input") ?? field(call, "args")),
  }))
