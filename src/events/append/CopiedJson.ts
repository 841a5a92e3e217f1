/** Copies and checks a value from outside in one pass. */

import type { Json, JsonObject } from "../../values/Json.ts"
import { findNonJson, type NotJson, notJsonItself, pointerToken } from "../../values/Json.ts"

/** The first part of a value that is not JSON. A class, so that no JSON value can be mistaken for it. */
export class NonJson implements NotJson {
  readonly path: string
  readonly found: string
  constructor(path: string, found: string) {
    this.path = path
    this.found = found
  }
}

/**
 * Equals `JSON.parse(JSON.stringify(value))` in a third of the time, or returns the part that is not JSON. Reads each
 * property once, so a getter cannot return one value to the check and another to the copy.
 */
export const copyJson = <Value extends Json>(value: Value): Value | NonJson => copy(value, 0) as Value | NonJson

/** Returns the value itself if it is JSON. Nobody may change it afterwards. */
export const checkedJson = <Value extends Json>(value: Value): Value | NonJson => {
  const found = findNonJson(value)
  return found === undefined ? value : new NonJson(found.path, found.found)
}

const copy = (value: unknown, depth: number): Json | NonJson => {
  const found = notJsonItself(value, depth)
  if (found !== undefined) return new NonJson("", found)
  // JSON has no -0.
  if (typeof value !== "object" || value === null) return value === 0 ? 0 : (value as Json)
  return Array.isArray(value) ? copyList(value, depth) : copyObject(value as JsonObject, depth)
}

const copyList = (list: ReadonlyArray<unknown>, depth: number): Json | NonJson => {
  const copied: Array<Json> = []
  for (let index = 0; index < list.length; index++) {
    const item = copy(list[index], depth + 1)
    if (item instanceof NonJson) return new NonJson(`/${index}${item.path}`, item.found)
    copied.push(item)
  }
  return copied
}

const copyObject = (object: JsonObject, depth: number): JsonObject | NonJson => {
  const copied: Record<string, Json> = {}
  for (const key of Object.keys(object)) {
    if (!key.isWellFormed()) return new NonJson(`/${pointerToken(key)}`, "a key with a lone surrogate")
    const value = copy(object[key], depth + 1)
    if (value instanceof NonJson) return new NonJson(`/${pointerToken(key)}${value.path}`, value.found)
    if (key === "__proto__") define(copied, key, value)
    else copied[key] = value
  }
  return copied
}

/** Assigning to `__proto__` would change the prototype. */
const define = (object: Record<string, Json>, key: string, value: Json) =>
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
