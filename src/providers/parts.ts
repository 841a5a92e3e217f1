/** Parts of messages and answers that several wire formats share, made of JSON whose shape nothing guarantees. */

import type { AnswerPart, CallPart, ContentPart, ToolResult } from "../agents/models/Message.ts"
import type { ToolDescription } from "../agents/models/Model.ts"
import { type Json, type JsonObject, wellFormed } from "../values/Json.ts"
import { asObject, fieldOf, textOf } from "../values/JsonObjects.ts"
import { jsonOf } from "./pieces.ts"

/** A value as a list: itself, or none. */
export const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Text, also where it is empty; undefined where it is none. */
export const anyText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** What a value that no part is known for is kept as: its JSON. */
export const asText = (value: unknown): string => {
  if (typeof value === "string") return value
  try {
    return JSON.stringify(value) ?? "null"
  } catch {
    // A parser reads JSON that is nested more deeply than what writes it can go.
    return "[no JSON: nested too deeply]"
  }
}

/** A text as parts: none, where it is empty. */
export const textParts = (text: unknown): ReadonlyArray<{ readonly type: "text"; readonly text: string }> =>
  typeof text === "string" && text !== "" ? [{ type: "text", text }] : []

/** What a model thought as parts: none, where there is nothing. */
export const reasoningParts = (
  text: unknown,
  providerMetadata?: JsonObject,
): ReadonlyArray<Extract<AnswerPart, { readonly type: "reasoning" }>> =>
  typeof text === "string" && (text !== "" || providerMetadata !== undefined)
    ? [{ type: "reasoning", text, ...(providerMetadata === undefined ? {} : { providerMetadata }) }]
    : []

/** A file of a `data:` URL (RFC 2397), or the text that stands for what is elsewhere. */
export const filePart = (url: unknown): ContentPart => {
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(asText(url)) ?? []
  return mediaType === undefined || data === undefined
    ? { type: "text", text: asText(url) }
    : { type: "file", mediaType, data }
}

/** A tool call. Arguments that are no JSON, or that no log can hold, are kept as the text that the model wrote. */
export const callPart = (callId: unknown, tool: unknown, args: unknown, fallbackId = "unnamed"): CallPart => {
  const id = textOf(callId) ?? fallbackId
  const name = asText(tool ?? "")
  const isText = typeof args === "string"
  const given = !isText ? ((args ?? {}) as Json) : args.trim() === "" ? {} : jsonOf(args)
  const value = given === undefined ? undefined : wellFormed(given)
  return value === undefined
    ? { type: "call", callId: id, tool: name, args: asText(args), invalid: true }
    : { type: "call", callId: id, tool: name, args: value }
}

/** The result of a call. Text that is JSON stays text: it is what the model read. */
export const toolResult = (callId: unknown, tool: string, content: unknown, isError = false): ToolResult => ({
  callId: textOf(callId) ?? "unnamed",
  tool,
  isError,
  content: (content ?? null) as Json,
})

/** A tool as a model is told of it. */
export const toolDescription = (tool: unknown, schema: unknown): ToolDescription => ({
  name: asText(fieldOf(tool, "name") ?? ""),
  description: anyText(fieldOf(tool, "description")) ?? "",
  // Every field of a body is JSON.
  args: asObject(schema as Json | undefined),
})

/** A body without the fields that are told elsewhere. */
export const settingsOf = (body: JsonObject, told: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !told.includes(name)))
