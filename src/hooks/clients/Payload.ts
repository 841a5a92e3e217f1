/** Reads fields of payloads with an unknown shape. */

import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { LATEST } from "../../values/Time.ts"

/** A non-empty text field. */
export const text = (payload: JsonObject, name: string): string | undefined => {
  const value = SafeRecord.get(payload, name)
  return typeof value === "string" && value !== "" ? value : undefined
}

/** Any field; null if it is missing. */
export const value = (payload: JsonObject, name: string): Json => SafeRecord.get(payload, name) ?? null

/** A time span in milliseconds. */
export const span = (payload: JsonObject, name: string): number | undefined => {
  const found = SafeRecord.get(payload, name)
  return typeof found === "number" && found >= 0 && found <= LATEST ? found : undefined
}

/** The objects in a list field. */
export const objects = (payload: JsonObject, name: string): ReadonlyArray<JsonObject> => {
  const found = SafeRecord.get(payload, name)
  return Array.isArray(found) ? found.filter((one): one is JsonObject => isObject(one)) : []
}
