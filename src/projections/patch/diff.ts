/** Computes the JSON Patch between two documents, with bounds on its time and length. */

import type { PatchOperation } from "../../events/vocabulary/Sensing.ts"
import { type Json, type JsonObject, pointerToken } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import { type ComparisonBudget, isArray } from "./Equality.ts"
import { align } from "./ListAlignment.ts"

/**
 * Returns the patch from the first document to the second; empty if they are equal.
 *
 * Compares objects by key. Compares lists of equal length index by index, so that a path in them means the same in both
 * documents. For lists of different length, keeps common items and compares only the stretches between them index by
 * index. Replaces an object or list as a whole if its patch would be longer than its new value.
 */
export const diff = (before: Json, after: Json): ReadonlyArray<PatchOperation> => {
  const writer: PatchWriter = { operations: [], characters: 0, budget: { left: MAX_COMPARISONS }, sizes: new Map() }
  compare(writer, before, after, "")
  return writer.operations
}

/**
 * Comparisons in total for aligning lists of different length: some tens of milliseconds. Beyond that, lists are
 * compared index by index, which takes as long as reading them.
 */
const MAX_COMPARISONS = 500_000

/** Maximum number of operations inside one object or list, because applying each to a wide one takes a while. */
const MAX_OPERATIONS = 10_000

/** Characters of JSON by which a patch may be longer than its new value. */
const FREE_CHARACTERS = 10_000

/** Characters of an operation's JSON apart from its path and value. */
const OPERATION_CHARACTERS = 32

interface PatchWriter {
  readonly operations: Array<PatchOperation>
  characters: number
  readonly budget: ComparisonBudget
  /** Known sizes of objects and lists of the new document. */
  readonly sizes: Map<object, number>
}

const compare = (writer: PatchWriter, a: Json, b: Json, path: string): void => {
  if (a === b) return
  const { characters } = writer
  const operations = writer.operations.length
  if (isArray(a) && isArray(b)) compareLists(writer, a, b, path)
  else if (isObject(a) && isObject(b)) compareObjects(writer, a, b, path)
  else write(writer, { op: "replace", path, value: b })

  const written = writer.characters - characters
  // Measuring the value takes as long as reading it, so only long patches are compared with it.
  const longer = written > FREE_CHARACTERS && written > FREE_CHARACTERS + sizeOf(writer, b)
  if (longer || writer.operations.length - operations > MAX_OPERATIONS) {
    writer.operations.length = operations
    writer.characters = characters
    write(writer, { op: "replace", path, value: b })
  }
}

const write = (writer: PatchWriter, operation: PatchOperation): void => {
  writer.operations.push(operation)
  writer.characters += OPERATION_CHARACTERS + operation.path.length
  if (operation.op !== "remove") writer.characters += sizeOf(writer, operation.value)
}

const compareObjects = (writer: PatchWriter, a: JsonObject, b: JsonObject, path: string): void => {
  const inside = (key: string) => `${path}/${pointerToken(key)}`
  const shared: Array<string> = []
  for (const key of Object.keys(a)) {
    if (Object.hasOwn(b, key)) shared.push(key)
    else write(writer, { op: "remove", path: inside(key) })
  }
  for (const [key, value] of Object.entries(b)) {
    if (!Object.hasOwn(a, key)) write(writer, { op: "add", path: inside(key), value })
  }
  for (const key of shared) compare(writer, a[key] ?? null, b[key] ?? null, inside(key))
}

const compareLists = (writer: PatchWriter, a: ReadonlyArray<Json>, b: ReadonlyArray<Json>, path: string): void => {
  const matches = a.length === b.length ? [] : align(a, b, writer.budget)
  let [i, j] = [0, 0]
  for (const [nextI, nextJ] of [...matches, [a.length, b.length] as const]) {
    // Everything before this stretch is already patched, so its indexes are those of the new list.
    if (nextI > i || nextJ > j) compareStretch(writer, a.slice(i, nextI), b.slice(j, nextJ), path, j)
    i = nextI + 1
    j = nextJ + 1
  }
}

/** Compares two stretches index by index, starting at `at`. Removes or adds surplus items at the end. */
const compareStretch = (
  writer: PatchWriter,
  a: ReadonlyArray<Json>,
  b: ReadonlyArray<Json>,
  path: string,
  at: number,
): void => {
  for (const [index, value] of b.entries()) {
    const known = a[index]
    if (known === undefined) write(writer, { op: "add", path: `${path}/${at + index}`, value })
    else compare(writer, known, value, `${path}/${at + index}`)
  }
  for (let index = a.length - 1; index >= b.length; index--)
    write(writer, { op: "remove", path: `${path}/${at + index}` })
}

/** The length of a value's JSON, without escape characters. */
const sizeOf = (writer: PatchWriter, value: Json): number => {
  if (typeof value === "string") return value.length + 2
  if (typeof value !== "object" || value === null) return String(value).length
  const known = writer.sizes.get(value)
  if (known !== undefined) return known
  let size = 2
  if (isArray(value)) for (const item of value) size += sizeOf(writer, item) + 1
  else for (const key of Object.keys(value)) size += key.length + 4 + sizeOf(writer, value[key] ?? null)
  writer.sizes.set(value, size)
  return size
}
