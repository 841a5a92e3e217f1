/** Narrows JSON to objects, and reads fields of values of unknown shape, such as errors of packages. */

import type { Json, JsonObject } from "./Json.ts"

/** True for objects, false for lists and null. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

/** The value if it is non-empty text. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined
