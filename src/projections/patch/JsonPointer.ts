/** Reads and writes JSON Pointers (RFC 6901), given as lists of keys. */

import { type Json, type JsonObject, pointerToken } from "../../values/Json.ts"
import { isArray } from "./JsonPatch.ts"

/** The member of a value under one key, or `undefined`. A list's members are its items, not `length`. */
export const member = (value: Json | undefined, key: string): Json | undefined => {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined
  if (isArray(value)) return key === "length" ? undefined : value[Number(key)]
  return (value as JsonObject)[key]
}

/** The value at a list of keys, or `undefined`. */
export const valueAt = (document: Json | undefined, keys: ReadonlyArray<string>): Json | undefined =>
  keys.reduce(member, document)

/** Writes a list of keys as a JSON Pointer. */
export const write = (keys: ReadonlyArray<string>): string => keys.map((key) => `/${pointerToken(key)}`).join("")
