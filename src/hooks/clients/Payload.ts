/** Reads fields of payloads, whose shape nothing guarantees. */

import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"

/** A field that is text, if it is there and not empty. */
export const text = (payload: JsonObject, name: string): string | undefined => {
  const value = SafeRecord.get(payload, name)
  return typeof value === "string" && value !== "" ? value : undefined
}

/** A field as it is; null if it is missing. */
export const value = (payload: JsonObject, name: string): Json => SafeRecord.get(payload, name) ?? null

/** A field that is a time span in milliseconds. */
export const span = (payload: JsonObject, name: string): number | undefined => {
  const found = SafeRecord.get(payload, name)
  return typeof found === "number" && found >= 0 ? found : undefined
}

/** The objects in a field that is a list. */
export const objects = (payload: JsonObject, name: string): ReadonlyArray<JsonObject> => {
  const found = SafeRecord.get(payload, name)
  return Array.isArray(found) ? found.filter((one): one is JsonObject => isObject(one)) : []
}
