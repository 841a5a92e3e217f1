/** The text of ACP's content blocks. Pure. */

import type { Json } from "../values/Json.ts"
import { asObject, isObject, textOf } from "../values/JsonObjects.ts"

/** A block in words: text as it is, anything else as a short mark. */
export const textOfBlock = (block: Json | undefined): string => {
  const { type, text, uri, resource, mimeType } = asObject(block)
  if (type === "text") return typeof text === "string" ? text : ""
  const named = textOf(uri) ?? textOf(asObject(resource).uri) ?? textOf(mimeType)
  const kind = textOf(type) ?? "unknown content"
  return named === undefined ? `[${kind}]` : `[${kind}: ${named}]`
}

export const textOfPrompt = (prompt: Json | undefined): string =>
  Array.isArray(prompt) ? prompt.map(textOfBlock).join("\n") : ""

/** Whether a prompt has more than its text says. */
export const hasMore = (prompt: Json | undefined): boolean =>
  Array.isArray(prompt) && prompt.some((block) => !isObject(block) || block.type !== "text")
