import { Data, Either } from "effect"
import { createPatch, type Operation } from "rfc6902"
import { type Json, type JsonObject, pointerKeys } from "../events/Json.ts"
import type { PatchOperation } from "../events/vocabulary/Sensing.ts"

/** A patch that does not fit the document it was applied to, and why. `path` is the operation's JSON Pointer. */
export class PatchMisfit extends Data.TaggedClass("PatchMisfit")<{ readonly path: string; readonly reason: string }> {}

/**
 * The document after a JSON Patch (RFC 6902: `add`, `replace`, `remove`), all of it or none of it. The document itself
 * is not changed, and what the patch does not touch is shared with it. `undefined` is the document of nothing yet.
 */
export const apply = (
  document: Json | undefined,
  patch: ReadonlyArray<PatchOperation>,
): Either.Either<Json | undefined, PatchMisfit> => {
  let patched = document
  for (const operation of patch) {
    const result = applyOne(patched, operation)
    if (Either.isLeft(result)) return Either.left(new PatchMisfit({ path: operation.path, reason: result.left }))
    patched = result.right
  }
  return Either.right(patched)
}

/**
 * The patch that makes the first document into the second. Lists of the same length are compared place by place, so that
 * a path in them means the same in both; others by the fewest operations, or place by place where they are long.
 */
export const between = (before: Json, after: Json): ReadonlyArray<PatchOperation> =>
  createPatch(before, after, (a: Json, b: Json, pointer) => {
    if (!isArray(a) || !isArray(b)) return undefined
    if (a.length !== b.length && a.length * b.length <= MAX_EDIT_TABLE) return undefined
    return byPlace(a, b, pointer.toString())
  }).map(narrow)

/** Whether two values are the same JSON. */
export const equal = (a: Json | undefined, b: Json | undefined): boolean => {
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (isArray(a) || isArray(b)) {
    return isArray(a) && isArray(b) && a.length === b.length && a.every((item, index) => equal(item, b[index]))
  }
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]))
}

/** Whether a JSON value is a list; narrows read-only ones, as `Array.isArray` does not. */
export const isArray = (value: Json | undefined): value is ReadonlyArray<Json> => Array.isArray(value)

/** The fewest operations between two lists take a table of their lengths' product; beyond this it is not worth it. */
const MAX_EDIT_TABLE = 10_000

/** Items compared place by place; what one list has more is removed from its end, or added there. */
const byPlace = (a: ReadonlyArray<Json>, b: ReadonlyArray<Json>, pointer: string): Array<Operation> => {
  const shared = Math.min(a.length, b.length)
  const operations: Array<Operation> = []
  for (let index = 0; index < shared; index++) {
    for (const operation of between(a[index] ?? null, b[index] ?? null)) {
      operations.push({ ...operation, path: `${pointer}/${index}${operation.path}` })
    }
  }
  for (let index = a.length - 1; index >= shared; index--)
    operations.push({ op: "remove", path: `${pointer}/${index}` })
  for (let index = shared; index < b.length; index++) {
    operations.push({ op: "add", path: `${pointer}/${index}`, value: b[index] })
  }
  return operations
}

const narrow = (operation: Operation): PatchOperation => {
  switch (operation.op) {
    case "add":
    case "replace":
      return { op: operation.op, path: operation.path, value: operation.value }
    case "remove":
      return { op: "remove", path: operation.path }
    default:
      throw new Error(`A patch between two documents adds, replaces and removes; found "${operation.op}"`)
  }
}

type Applied = Either.Either<Json | undefined, string>

const applyOne = (document: Json | undefined, operation: PatchOperation): Applied => {
  if (operation.path !== "" && !operation.path.startsWith("/")) {
    return Either.left("expected a JSON Pointer, which begins with /")
  }
  return applyInside(document, pointerKeys(operation.path), operation)
}

const applyInside = (value: Json | undefined, keys: ReadonlyArray<string>, operation: PatchOperation): Applied => {
  const [key, ...rest] = keys
  if (key === undefined) {
    if (operation.op !== "add" && value === undefined) return Either.left("there is nothing at this path")
    return Either.right(operation.op === "remove" ? undefined : operation.value)
  }
  if (typeof value !== "object" || value === null) return Either.left(`there is no object or list to hold "${key}"`)
  return isArray(value) ? applyToArray(value, key, rest, operation) : applyToObject(value, key, rest, operation)
}

const applyToObject = (
  object: JsonObject,
  key: string,
  rest: ReadonlyArray<string>,
  operation: PatchOperation,
): Applied =>
  Either.map(applyInside(Object.hasOwn(object, key) ? object[key] : undefined, rest, operation), (changed) => {
    if (changed !== undefined) return { ...object, [key]: changed }
    const { [key]: _removed, ...others } = object
    return others
  })

const applyToArray = (
  array: ReadonlyArray<Json>,
  key: string,
  rest: ReadonlyArray<string>,
  operation: PatchOperation,
): Applied => {
  const inserts = operation.op === "add" && rest.length === 0
  const index = key === "-" && inserts ? array.length : ARRAY_INDEX.test(key) ? Number(key) : -1
  if (index < 0 || index > array.length - (inserts ? 0 : 1)) {
    return Either.left(`"${key}" is no place in a list of ${array.length}`)
  }
  if (inserts) return Either.right(array.toSpliced(index, 0, operation.value))
  return Either.map(applyInside(array[index], rest, operation), (changed) =>
    changed === undefined ? array.toSpliced(index, 1) : array.with(index, changed),
  )
}

/** RFC 6901 §4: decimal, without leading zeros. */
const ARRAY_INDEX = /^(0|[1-9]\d{0,14})$/
