/** Converts content blocks of Claude Code (those of Anthropic's Messages API) to message parts. */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { at, field, isObject, listOf, logJson, nameFrom, textOf } from "../runs/Untrusted.ts"

export const blocksOf = (message: unknown): ReadonlyArray<unknown> => {
  const content = field(message, "content")
  return typeof content === "string" ? [{ type: "text", text: content }] : listOf(message, "content")
}

/** The answer part of a block; undefined for other blocks. */
export const answerPart = (block: unknown): JsonObject | undefined => {
  switch (field(block, "type")) {
    case "text": {
      const text = textOf(block, "text")
      return text === undefined ? undefined : { type: "text", text }
    }
    case "thinking":
      return { type: "reasoning", text: textOf(block, "thinking") ?? "" }
    case "redacted_thinking":
      return { type: "reasoning", text: "" }
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use": {
      const callId = textOf(block, "id")
      const tool = textOf(block, "name")
      if (callId === undefined || tool === undefined) return undefined
      return {
        type: "call",
        callId: nameFrom(callId),
        tool: nameFrom(tool),
        args: logJson(field(block, "input") ?? {}).json,
      }
    }
    default:
      return undefined
  }
}

/** Text and images of a user message. */
export const contentParts = (blocks: ReadonlyArray<unknown>): ReadonlyArray<Json> =>
  blocks.flatMap((block): ReadonlyArray<Json> => {
    const text = field(block, "type") === "text" ? textOf(block, "text") : undefined
    if (text !== undefined) return [{ type: "text", text }]
    const data = at(block, "source", "data")
    const mediaType = at(block, "source", "media_type")
    return typeof data === "string" && typeof mediaType === "string" && mediaType !== ""
      ? [{ type: "file", mediaType, data }]
      : []
  })

/** A result's text if it is all text, otherwise its content. */
export const resultContent = (block: unknown): unknown => {
  const content = field(block, "content")
  if (!Array.isArray(content)) return content ?? null
  const texts = content.map((part) => (field(part, "type") === "text" ? textOf(part, "text") : undefined))
  return texts.length > 0 && texts.every((text) => text !== undefined) ? texts.join("\n") : content
}

/** Input tokens include those read from and written to the cache. */
export const usageOf = (message: unknown): ModelUsage | undefined => {
  const usage = field(message, "usage")
  if (!isObject(usage)) return undefined
  return ProviderUsage.whole(ProviderUsage.anthropic.read(usage)) ?? ProviderUsage.UNKNOWN
}
