/** Parts of messages and answers that several wire formats share, built from JSON of unknown shape. */

import * as Arguments from "../agents/models/Arguments.ts"
import type { AnswerPart, CallPart, HostedPart, ItemPart, ToldPart, ToolResult } from "../agents/models/Message.ts"
import type { ToolDescription } from "../agents/models/Model.ts"
import { defined } from "../values/defined.ts"
import { type Json, type JsonObject, wellFormed } from "../values/Json.ts"
import { asObject, fieldOf, textOf } from "../values/JsonObjects.ts"
import { exactTextOf } from "./ExactJson.ts"

/** The value if it is a list, or an empty list. */
export const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** The value if it is text, even empty text. */
export const anyText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** A text itself, or a value's JSON. */
export const asText = (value: unknown): string => {
  if (typeof value === "string") return value
  try {
    return JSON.stringify(value) ?? "null"
  } catch {
    // The parser accepts deeper nesting than `JSON.stringify` can write.
    return "[no JSON: nested too deeply]"
  }
}

/** The value, or its text if it is nested too deeply for the log. */
const loggable = (value: unknown): Json => wellFormed((value ?? null) as Json) ?? asText(value)

/** A text as parts; empty for an empty text. */
export const textParts = (text: unknown): ReadonlyArray<{ readonly type: "text"; readonly text: string }> =>
  typeof text === "string" && text !== "" ? [{ type: "text", text }] : []

/** Reasoning as parts; empty if there is neither text nor metadata. */
export const reasoningParts = (
  text: unknown,
  providerMetadata?: JsonObject,
): ReadonlyArray<Extract<AnswerPart, { readonly type: "reasoning" }>> =>
  typeof text === "string" && (text !== "" || providerMetadata !== undefined)
    ? [{ type: "reasoning", text, ...defined({ providerMetadata }) }]
    : []

/** A known item that is neither text, file nor call. */
export const itemPart = (kind: unknown, item: unknown): ItemPart => ({
  type: "item",
  kind: anyText(kind) ?? "",
  item: loggable(item),
})

export const unreadPart = (item: unknown, kind: unknown = fieldOf(item, "type")): ItemPart => ({
  ...itemPart(kind, item),
  unread: true,
})

/** A file in base64; an item if its type or data is missing. */
export const filePart = (mediaType: unknown, data: unknown, item: unknown, kind: unknown = fieldOf(item, "type")) => {
  const [type, base64] = [textOf(mediaType), textOf(data)]
  return type === undefined || base64 === undefined
    ? itemPart(kind, item)
    : ({ type: "file", mediaType: type, data: base64 } as const)
}

/** A file in a `data:` URL (RFC 2397), or the item that refers to it. */
export const urlPart = (url: unknown, item: unknown, kind?: unknown) => {
  const [, mediaType, data] = /^data:([^;,]+)[^,]*;base64,(.*)$/s.exec(anyText(url) ?? "") ?? []
  return filePart(mediaType, data, item, kind ?? fieldOf(item, "type"))
}

/** A tool call. The arguments are JSON text, or a value. */
export const callPart = (callId: unknown, tool: unknown, args: unknown, fallbackId = "unnamed"): CallPart => ({
  type: "call",
  callId: textOf(callId) ?? fallbackId,
  tool: asText(tool ?? ""),
  ...(typeof args === "string" ? Arguments.read(args) : valueArguments(args ?? {})),
})

/** Arguments that are a value in the answer's own JSON. */
const valueArguments = (value: unknown): Arguments.Arguments => {
  const args = wellFormed(value as Json)
  if (args === undefined) return Arguments.unread(asText(value))
  const text = exactTextOf(value)
  return { args, ...defined({ text }) }
}

/** A call of a tool that takes plain text instead of JSON. */
export const textCallPart = (callId: unknown, tool: unknown, input: unknown, fallbackId = "unnamed"): CallPart => ({
  type: "call",
  callId: textOf(callId) ?? fallbackId,
  tool: asText(tool ?? ""),
  args: asText(input ?? ""),
})

/** A hosted tool's call, with its result if that is known. */
export const hostedPart = (
  callId: unknown,
  tool: unknown,
  args: unknown,
  ended: { readonly result?: unknown; readonly isError?: boolean } = {},
): HostedPart => ({
  type: "hosted",
  callId: textOf(callId) ?? "unnamed",
  tool: asText(tool ?? ""),
  args: typeof args === "string" ? Arguments.read(args).args : loggable(args ?? {}),
  ...(ended.result === undefined || ended.result === null ? {} : { result: loggable(ended.result) }),
  ...(ended.isError === true ? { isError: true } : {}),
})

/** A call's result. JSON text stays text, because the model read it so. */
export const toolResult = (callId: unknown, tool: string, content: unknown, isError = false): ToolResult => ({
  callId: textOf(callId) ?? "unnamed",
  tool,
  isError,
  content: (content ?? null) as Json,
})

export const toolDescription = (tool: unknown, schema: unknown): ToolDescription => ({
  name: asText(fieldOf(tool, "name") ?? ""),
  description: anyText(fieldOf(tool, "description")) ?? "",
  // Safe: every field of a parsed body is JSON.
  args: asObject(schema as Json | undefined),
})

/** The body without fields that the request model already has. */
export const settingsOf = (body: JsonObject, told: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !told.includes(name)))

export const textIn = (content: unknown): string =>
  typeof content === "string"
    ? content
    : listOf(content)
        .map((part) => anyText(fieldOf(part, "text")) ?? "")
        .join("")

export const contentOf = (content: unknown, partOf: (part: unknown) => ToldPart): ReadonlyArray<ToldPart> =>
  Array.isArray(content)
    ? content.map(partOf)
    : typeof content === "string" || content === undefined || content === null
      ? [{ type: "text", text: content ?? "" }]
      : [partOf(content)]

/** Appends a part. Text extends a text before it, and reasoning extends reasoning. */
export const join = (parts: Array<AnswerPart>, part: AnswerPart): void => {
  const last = parts.at(-1)
  if ((part.type === "text" && last?.type === "text") || (part.type === "reasoning" && last?.type === "reasoning")) {
    parts[parts.length - 1] = { ...last, ...part, text: last.text + part.text }
  } else parts.push(part)
}

/** Replaces the name after the pattern's first group; undefined if the pattern does not match. */
export const renamed = (path: string, pattern: RegExp, name: string): string | undefined =>
  pattern.test(path) ? path.replace(pattern, `$1${encodeURIComponent(name)}`) : undefined

/** Decodes a path segment; returns it unchanged if its escapes are invalid. */
export const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Returns a function that finds the id of the answer that a request fetches or cancels below `/name/` in its path. */
export const polledAt = (name: string) => {
  const pattern = new RegExp(`/${name}/([^/]+?)(/cancel)?/?$`)
  return (method: string, path: string): string | undefined => {
    const [, id, cancels] = pattern.exec(path) ?? []
    const isOne = cancels === undefined ? method === "GET" : method === "POST"
    return id === undefined || !isOne ? undefined : decoded(id)
  }
}
