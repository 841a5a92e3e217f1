/** Narrows JSON to objects, and reads fields of values of unknown shape, such as errors of packages. */

import type { Json, JsonObject } from "./Json.ts"

/** True for objects, false for lists and null. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

/** The text of a message's content. Content parts without text appear as placeholders. */
export const messageText = (content: Json | undefined): string => {
  if (typeof content === "string") return content
  return (Array.isArray(content) ? content : [])
    .map((part: Json) => {
      const { text, mediaType, type } = asObject(part)
      return typeof text === "string" ? text : `[${textOf(mediaType) ?? textOf(type) ?? "part"}]`
    })
    .join("\n")
}

/** The value if it is non-empty text. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined
