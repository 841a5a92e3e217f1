/** Messages and parts of requests as text, for people and for differences. Pure. */

import type { Json } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import { separated } from "./FileParts.ts"
import { listOf, type SeenMessage } from "./RequestMessage.ts"
import type { SeenTool } from "./WholeRequest.ts"

/** The text of a message. Calls and results are lines of their own; files appear as their media types. */
export const messageLines = ({ content }: Pick<SeenMessage, "content">): string =>
  Array.isArray(content) ? listOf(content).map(partText).join("\n") : jsonText(content)

/** A tool as text: its name, its description and its schema. */
export const toolText = ({ name, description, schema }: SeenTool): string =>
  [name, description ?? "", schema === undefined ? "" : JSON.stringify(schema, null, 2)]
    .filter((line) => line !== "")
    .join("\n")

const partText = (part: Json): string => {
  if (typeof part === "string") return part
  const { type, text, tool, args, mediaType, isError, content, callId, result, kind } = asObject(part)
  switch (type) {
    case "text":
      return typeof text === "string" ? text : jsonText(part)
    case "reasoning":
      return `(reasoning) ${jsonText(text ?? "")}`
    case "call":
      return `→ ${jsonText(tool ?? "")} ${jsonText(args ?? {})}`
    case "hosted":
      return `→ ${jsonText(tool ?? "")} ${jsonText(args ?? {})} (by the provider)${result === undefined ? "" : `\n${jsonText(result)}`}`
    case "file":
      return `[a file: ${jsonText(mediaType ?? "")}]`
    case "item":
      return `[${jsonText(kind ?? "")}] ${jsonText(asObject(part).item ?? null)}`
    default:
      return callId !== undefined && content !== undefined
        ? `${isError === true ? "✗ " : ""}${jsonText(tool ?? "")}: ${jsonText(separated(content).json)}`
        : jsonText(part)
  }
}

const jsonText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value))
