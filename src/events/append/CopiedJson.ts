/** Copies a value from outside, if it is JSON, in the pass that checks it. */

import type { Json, JsonObject } from "../../values/Json.ts"
import { findNonJson, type NotJson, notJsonItself, pointerToken } from "../../values/Json.ts"

/** The first part of a value that is not JSON. No JSON value is an instance of a class, so that the two cannot be confused. */
export class NonJson implements NotJson {
  readonly path: string
  readonly found: string
  constructor(path: string, found: string) {
    this.path = path
    this.found = found
  }
}

/**
 * The value that `JSON.parse(JSON.stringify(value))` is, in a third of the time; or what is not JSON in it, as `findNonJson` says.
 *
 * Each property is read once: what is checked is what is copied, also if a getter answers differently the next time.
 */
export const copyJson = <Value extends Json>(value: Value): Value | NonJson => copy(value, 0) as Value | NonJson

/** The value itself, if it is JSON that nobody changes any more. */
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

/** An assignment to `__proto__` would change the object's prototype. */
const define = (object: Record<string, Json>, key: string, value: Json) =>
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
