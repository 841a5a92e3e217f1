/** Tells JSON objects from other JSON, and reads fields of values from outside: errors of packages, pieces of a stream. */

import type { Json, JsonObject } from "./Json.ts"

/** Whether a value is an object, not a list. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The value if it is an object, otherwise an empty one. */
export const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

/** The field of a value whose shape nothing guarantees; undefined if it is no object or list. */
export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

/** Text that is not empty, or undefined. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined
