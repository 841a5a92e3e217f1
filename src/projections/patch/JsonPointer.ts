import { type Json, type JsonObject, pointerToken } from "../../values/Json.ts"
import { isArray } from "./JsonPatch.ts"

/** What a value holds under one key of a JSON Pointer, or `undefined`. A list holds its items, and no `length`. */
export const member = (value: Json | undefined, key: string): Json | undefined => {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined
  if (isArray(value)) return key === "length" ? undefined : value[Number(key)]
  return (value as JsonObject)[key]
}

/** The value at a list of keys, or `undefined` where the document has nothing there. */
export const valueAt = (document: Json | undefined, keys: ReadonlyArray<string>): Json | undefined =>
  keys.reduce(member, document)

/** Writes a list of keys as a JSON Pointer (RFC 6901). */
export const write = (keys: ReadonlyArray<string>): string => keys.map((key) => `/${pointerToken(key)}`).join("")
