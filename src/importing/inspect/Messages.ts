/** Converts messages and answers of Inspect's model events to message parts. */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { field, isObject, listOf, logJson, nameFrom, statedCount, textOf } from "../runs/Untrusted.ts"

const PROTOCOL = "attachment://"

/** Maximum depth for resolving references. */
const MAX_DEPTH = 100

/** Replaces references to attachments, by hash or list index. */
export const resolved = (value: unknown, attachments: unknown, depth = 0): unknown => {
  if (typeof value === "string")
    return value.startsWith(PROTOCOL) ? (field(attachments, value.slice(PROTOCOL.length)) ?? value) : value
  if (typeof value !== "object" || value === null || depth >= MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map((item) => resolved(item, attachments, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolved(inner, attachments, depth + 1)]))
}

/** The messages of a request: its own, or ranges of a pool. */
export const inputOf = (event: unknown, pool: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const input = listOf(event, "input")
  if (input.length > 0) return input
  return listOf(event, "input_refs").flatMap((range) => {
    const [from, to] = Array.isArray(range) ? range : []
    return typeof from === "number" && typeof to === "number" ? pool.slice(Math.max(0, from), Math.max(0, to)) : []
  })
}

export const textIn = (message: unknown): string => {
  const content = field(message, "content")
  if (typeof content === "string") return content
  return listOf(message, "content")
    .flatMap((part) => (field(part, "type") === "text" ? (textOf(part, "text") ?? []) : []))
    .join("\n")
}

/** A user message or a tool result; undefined for other roles. */
export const toldMessage = (message: unknown): JsonObject | undefined => {
  switch (field(message, "role")) {
    case "user":
      return { role: "user", content: [{ type: "text", text: textIn(message) }] }
    case "tool": {
      const callId = nameFrom(textOf(message, "tool_call_id") ?? "unknown")
      const isError = isObject(field(message, "error"))
      return {
        role: "tool",
        content: [{ callId, tool: textOf(message, "function") ?? "", isError, content: textIn(message) }],
      }
    }
    default:
      return undefined
  }
}

export const answerParts = (message: unknown): ReadonlyArray<Json> => {
  const reasoning = listOf(message, "content").flatMap((part) =>
    field(part, "type") === "reasoning" ? [{ type: "reasoning", text: textOf(part, "reasoning") ?? "" }] : [],
  )
  const text = textIn(message)
  const calls = listOf(message, "tool_calls").map((call) => ({
    type: "call",
    callId: nameFrom(textOf(call, "id") ?? "unknown"),
    tool: nameFrom(textOf(call, "function") ?? "unknown"),
    args: logJson(field(call, "arguments") ?? {}).json,
  }))
  return [...reasoning, ...(text === "" ? [] : [{ type: "text", text }]), ...calls]
}

/** Some providers do not include cached tokens in `input_tokens`; the total shows it. */
export const usageOf = (output: unknown): ModelUsage => {
  const usage = field(output, "usage")
  if (!isObject(usage)) return ProviderUsage.UNKNOWN
  const outputTokens = statedCount(usage, "output_tokens")
  const input = statedCount(usage, "input_tokens")
  const total = statedCount(usage, "total_tokens")
  const rest = total === undefined || outputTokens === undefined ? undefined : total - outputTokens
  const counts = {
    inputTokens: input === undefined || rest === undefined ? (input ?? rest) : Math.max(input, rest),
    outputTokens,
    cachedTokens: statedCount(usage, "input_tokens_cache_read") || undefined,
    cacheWriteTokens: statedCount(usage, "input_tokens_cache_write"),
    reasoningTokens: statedCount(usage, "reasoning_tokens") || undefined,
  }
  return ProviderUsage.wholeOrUnknown(counts)
}
