/** Tells JSON objects from other JSON. */

import type { Json, JsonObject } from "./Json.ts"

/** Whether a value is an object, not a list. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The value if it is an object, otherwise an empty one. */
export const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
