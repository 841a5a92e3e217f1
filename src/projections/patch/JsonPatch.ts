/** JSON Patch (RFC 6902) for plain JSON documents: `apply`, and `diff` re-exported. */

import { Data, Either } from "effect"
import type { PatchOperation } from "../../events/vocabulary/Sensing.ts"
import { type Json, type JsonObject, pointerKeys } from "../../values/Json.ts"
import { isArray } from "./Equality.ts"

export { diff } from "./diff.ts"
export { equal, isArray } from "./Equality.ts"

/** A patch that does not fit its document, and the reason. `path` is the operation's JSON Pointer. */
export class PatchMisfit extends Data.TaggedClass("PatchMisfit")<{ readonly path: string; readonly reason: string }> {}

/**
 * Applies a JSON Patch (RFC 6902: `add`, `replace`, `remove`) completely or not at all. The result shares untouched
 * parts with the input, which does not change. `undefined` is a document without a value.
 */
export const apply = (
  document: Json | undefined,
  patch: ReadonlyArray<PatchOperation>,
): Either.Either<Json | undefined, PatchMisfit> => {
  const copies = new Copies()
  let patched = document
  for (const operation of patch) {
    const result = applyOne(copies, patched, operation)
    if (Either.isLeft(result)) return Either.left(new PatchMisfit({ path: operation.path, reason: result.left }))
    patched = result.right
  }
  return Either.right(patched)
}

type Applied = Either.Either<Json | undefined, string>

/** Copies each object and list that a patch changes once, however many operations change it. */
class Copies {
  readonly #objects = new WeakSet<object>()
  readonly #lists = new WeakSet<object>()

  object(object: JsonObject): { [key: string]: Json } {
    if (this.#objects.has(object)) return object
    const copy = { ...object }
    this.#objects.add(copy)
    return copy
  }

  list(list: ReadonlyArray<Json>): Array<Json> {
    if (this.#isCopy(list)) return list
    const copy = [...list]
    this.#lists.add(copy)
    return copy
  }

  #isCopy(list: ReadonlyArray<Json>): list is Array<Json> {
    return this.#lists.has(list)
  }
}

const applyOne = (copies: Copies, document: Json | undefined, operation: PatchOperation): Applied => {
  if (operation.path !== "" && !operation.path.startsWith("/")) {
    return Either.left("expected a JSON Pointer, which begins with /")
  }
  return applyInside(copies, document, pointerKeys(operation.path), operation)
}

const applyInside = (
  copies: Copies,
  value: Json | undefined,
  keys: ReadonlyArray<string>,
  operation: PatchOperation,
): Applied => {
  const [key, ...rest] = keys
  if (key === undefined) {
    if (operation.op !== "add" && value === undefined) return Either.left("there is nothing at this path")
    return Either.right(operation.op === "remove" ? undefined : operation.value)
  }
  if (typeof value !== "object" || value === null) return Either.left(`there is no object or list to hold "${key}"`)
  return isArray(value)
    ? applyToArray(copies, value, key, rest, operation)
    : applyToObject(copies, value, key, rest, operation)
}

const applyToObject = (
  copies: Copies,
  object: JsonObject,
  key: string,
  rest: ReadonlyArray<string>,
  operation: PatchOperation,
): Applied => {
  const value = Object.hasOwn(object, key) ? object[key] : undefined
  return Either.map(applyInside(copies, value, rest, operation), (changed) => {
    if (changed === value) return object
    const copy = copies.object(object)
    if (changed === undefined) delete copy[key]
    // Defined instead of assigned, so that `__proto__` is a key like any other.
    else Object.defineProperty(copy, key, { value: changed, configurable: true, enumerable: true, writable: true })
    return copy
  })
}

const applyToArray = (
  copies: Copies,
  list: ReadonlyArray<Json>,
  key: string,
  rest: ReadonlyArray<string>,
  operation: PatchOperation,
): Applied => {
  const inserts = operation.op === "add" && rest.length === 0
  const index = key === "-" && inserts ? list.length : ARRAY_INDEX.test(key) ? Number(key) : -1
  if (index < 0 || index > list.length - (inserts ? 0 : 1)) {
    return Either.left(`"${key}" is no place in a list of ${list.length}`)
  }
  const value = list[index]
  return Either.map(applyInside(copies, inserts ? undefined : value, rest, operation), (changed) => {
    if (changed === value && !inserts) return list
    const copy = copies.list(list)
    if (changed === undefined) copy.splice(index, 1)
    else copy.splice(index, inserts ? 0 : 1, changed)
    return copy
  })
}

/** RFC 6901 §4: decimal, without leading zeros. */
const ARRAY_INDEX = /^(0|[1-9]\d{0,14})$/
