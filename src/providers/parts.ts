/** Parts of messages and answers that several wire formats share, made of JSON whose shape nothing guarantees. */

import * as Arguments from "../agents/models/Arguments.ts"
import type { AnswerPart, CallPart, HostedPart, ItemPart, ToldPart, ToolResult } from "../agents/models/Message.ts"
import type { ToolDescription } from "../agents/models/Model.ts"
import { defined } from "../values/defined.ts"
import { type Json, type JsonObject, wellFormed } from "../values/Json.ts"
import { asObject, fieldOf, textOf } from "../values/JsonObjects.ts"
import { exactTextOf } from "./ExactJson.ts"

/** A value as a list: itself, or none. */
export const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Text, also where it is empty; undefined where it is none. */
export const anyText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** A value as text: itself, or its JSON. */
export const asText = (value: unknown): string => {
  if (typeof value === "string") return value
  try {
    return JSON.stringify(value) ?? "null"
  } catch {
    // A parser reads JSON that is nested more deeply than what writes it can go.
    return "[no JSON: nested too deeply]"
  }
}

/** A value as a log can hold it: itself, or its text where it is nested too deeply. */
const loggable = (value: unknown): Json => wellFormed((value ?? null) as Json) ?? asText(value)

/** A text as parts: none, where it is empty. */
export const textParts = (text: unknown): ReadonlyArray<{ readonly type: "text"; readonly text: string }> =>
  typeof text === "string" && text !== "" ? [{ type: "text", text }] : []

/** What a model thought as parts: none, where there is nothing. */
export const reasoningParts = (
  text: unknown,
  providerMetadata?: JsonObject,
): ReadonlyArray<Extract<AnswerPart, { readonly type: "reasoning" }>> =>
  typeof text === "string" && (text !== "" || providerMetadata !== undefined)
    ? [{ type: "reasoning", text, ...defined({ providerMetadata }) }]
    : []

/** Something with a meaning of its own that is no text, file or call. */
export const itemPart = (kind: unknown, item: unknown): ItemPart => ({
  type: "item",
  kind: anyText(kind) ?? "",
  item: loggable(item),
})

/** Something whose type the reader does not know. */
export const unreadPart = (item: unknown, kind: unknown = fieldOf(item, "type")): ItemPart => ({
  ...itemPart(kind, item),
  unread: true,
})

/** A file that a provider wrote as base64; an item, where it has no type or no data. */
export const filePart = (mediaType: unknown, data: unknown, item: unknown, kind: unknown = fieldOf(item, "type")) => {
  const [type, base64] = [textOf(mediaType), textOf(data)]
  return type === undefined || base64 === undefined
    ? itemPart(kind, item)
    : ({ type: "file", mediaType: type, data: base64 } as const)
}

/** A file of a `data:` URL (RFC 2397), or the item that says where it is. */
export const urlPart = (url: unknown, item: unknown, kind?: unknown) => {
  const [, mediaType, data] = /^data:([^;,]+)[^,]*;base64,(.*)$/s.exec(anyText(url) ?? "") ?? []
  return filePart(mediaType, data, item, kind ?? fieldOf(item, "type"))
}

/** A tool call. Arguments are text of JSON, or the value itself. */
export const callPart = (callId: unknown, tool: unknown, args: unknown, fallbackId = "unnamed"): CallPart => ({
  type: "call",
  callId: textOf(callId) ?? fallbackId,
  tool: asText(tool ?? ""),
  ...(typeof args === "string" ? Arguments.read(args) : valueArguments(args ?? {})),
})

/** Arguments that are JSON within that of the answer. */
const valueArguments = (value: unknown): Arguments.Arguments => {
  const args = wellFormed(value as Json)
  if (args === undefined) return Arguments.unread(asText(value))
  const text = exactTextOf(value)
  return { args, ...defined({ text }) }
}

/** A call of a tool that takes text as it is, without JSON. */
export const textCallPart = (callId: unknown, tool: unknown, input: unknown, fallbackId = "unnamed"): CallPart => ({
  type: "call",
  callId: textOf(callId) ?? fallbackId,
  tool: asText(tool ?? ""),
  args: asText(input ?? ""),
})

/** A tool that the provider ran itself. */
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

/** The text of a content: itself, or its parts joined. */
export const textIn = (content: unknown): string =>
  typeof content === "string"
    ? content
    : listOf(content)
        .map((part) => anyText(fieldOf(part, "text")) ?? "")
        .join("")

/** A content as parts: text alone, or a list. */
export const contentOf = (content: unknown, partOf: (part: unknown) => ToldPart): ReadonlyArray<ToldPart> =>
  Array.isArray(content)
    ? content.map(partOf)
    : typeof content === "string" || content === undefined || content === null
      ? [{ type: "text", text: content ?? "" }]
      : [partOf(content)]

/** Adds a part to those before it: text and thought that go on are one part. */
export const join = (parts: Array<AnswerPart>, part: AnswerPart): void => {
  const last = parts.at(-1)
  if ((part.type === "text" && last?.type === "text") || (part.type === "reasoning" && last?.type === "reasoning")) {
    parts[parts.length - 1] = { ...last, ...part, text: last.text + part.text }
  } else parts.push(part)
}

/** A path with another name in the place that a pattern finds after its first group; undefined where it finds none. */
export const renamed = (path: string, pattern: RegExp, name: string): string | undefined =>
  pattern.test(path) ? path.replace(pattern, `$1${encodeURIComponent(name)}`) : undefined

/** A part of a path, without its escapes. */
export const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** The id of an answer that a request gets, or cancels, under this name in its path. */
export const polledAt = (name: string) => {
  const pattern = new RegExp(`/${name}/([^/]+?)(/cancel)?/?$`)
  return (method: string, path: string): string | undefined => {
    const [, id, cancels] = pattern.exec(path) ?? []
    const isOne = cancels === undefined ? method === "GET" : method === "POST"
    return id === undefined || !isOne ? undefined : decoded(id)
  }
}
