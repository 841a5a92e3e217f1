import type { PatchOperation } from "../../events/vocabulary/Sensing.ts"
import { type Json, type JsonObject, pointerToken } from "../../values/Json.ts"
import { type Effort, isArray } from "./Equality.ts"
import { align } from "./ListAlignment.ts"

/**
 * The patch that makes the first document into the second. It is empty where the two are the same.
 *
 * Objects are compared by key. Lists of the same length are compared place by place, so that a path in them means the
 * same in both; others keep what they have in common, and only what lies between is compared place by place. An object or
 * list whose own patch would be long and say more than its new value is replaced as a whole.
 */
export const diff = (before: Json, after: Json): ReadonlyArray<PatchOperation> => {
  const draft: Draft = { operations: [], characters: 0, effort: { left: MAX_COMPARISONS }, sizes: new Map() }
  compare(draft, before, after, "")
  return draft.operations
}

/**
 * Comparisons spent on finding what lists of different length have in common, in all: some tens of milliseconds. Beyond
 * it, lists are compared place by place, which takes as long as to read them.
 */
const MAX_COMPARISONS = 500_000

/** Operations inside one object or list: applying each to a wide one takes a while. */
const MAX_OPERATIONS = 10_000

/** Characters of JSON by which a patch may be longer than the value that it makes. */
const FREE_CHARACTERS = 10_000

/** Characters of JSON of an operation beside its path and value. */
const OPERATION_CHARACTERS = 32

interface Draft {
  readonly operations: Array<PatchOperation>
  /** How long the operations are. */
  characters: number
  readonly effort: Effort
  /** How long objects and lists of the new document are, where it was asked. */
  readonly sizes: Map<object, number>
}

const compare = (draft: Draft, a: Json, b: Json, path: string): void => {
  if (a === b) return
  const { characters } = draft
  const operations = draft.operations.length
  if (isArray(a) && isArray(b)) compareLists(draft, a, b, path)
  else if (isObject(a) && isObject(b)) compareObjects(draft, a, b, path)
  else write(draft, { op: "replace", path, value: b })

  const written = draft.characters - characters
  // Measuring the value takes as long as to read it: only long patches are worth it.
  const longer = written > FREE_CHARACTERS && written > FREE_CHARACTERS + sizeOf(draft, b)
  if (longer || draft.operations.length - operations > MAX_OPERATIONS) {
    draft.operations.length = operations
    draft.characters = characters
    write(draft, { op: "replace", path, value: b })
  }
}

const isObject = (value: Json): value is JsonObject => typeof value === "object" && value !== null && !isArray(value)

const write = (draft: Draft, operation: PatchOperation): void => {
  draft.operations.push(operation)
  draft.characters += OPERATION_CHARACTERS + operation.path.length
  if (operation.op !== "remove") draft.characters += sizeOf(draft, operation.value)
}

const compareObjects = (draft: Draft, a: JsonObject, b: JsonObject, path: string): void => {
  const inside = (key: string) => `${path}/${pointerToken(key)}`
  const shared: Array<string> = []
  for (const key of Object.keys(a)) {
    if (Object.hasOwn(b, key)) shared.push(key)
    else write(draft, { op: "remove", path: inside(key) })
  }
  for (const [key, value] of Object.entries(b)) {
    if (!Object.hasOwn(a, key)) write(draft, { op: "add", path: inside(key), value })
  }
  for (const key of shared) compare(draft, a[key] ?? null, b[key] ?? null, inside(key))
}

const compareLists = (draft: Draft, a: ReadonlyArray<Json>, b: ReadonlyArray<Json>, path: string): void => {
  const matches = a.length === b.length ? [] : align(a, b, draft.effort)
  let [i, j] = [0, 0]
  for (const [nextI, nextJ] of [...matches, [a.length, b.length] as const]) {
    // What comes before is patched already: places are those of the new list.
    if (nextI > i || nextJ > j) compareStretch(draft, a.slice(i, nextI), b.slice(j, nextJ), path, j)
    i = nextI + 1
    j = nextJ + 1
  }
}

/** Two stretches of lists, place by place from the given one on; what one has more is removed or added at their end. */
const compareStretch = (
  draft: Draft,
  a: ReadonlyArray<Json>,
  b: ReadonlyArray<Json>,
  path: string,
  at: number,
): void => {
  for (const [index, value] of b.entries()) {
    const known = a[index]
    if (known === undefined) write(draft, { op: "add", path: `${path}/${at + index}`, value })
    else compare(draft, known, value, `${path}/${at + index}`)
  }
  for (let index = a.length - 1; index >= b.length; index--)
    write(draft, { op: "remove", path: `${path}/${at + index}` })
}

/** Characters of a value's JSON, but for those that are escaped. */
const sizeOf = (draft: Draft, value: Json): number => {
  if (typeof value === "string") return value.length + 2
  if (typeof value !== "object" || value === null) return String(value).length
  const known = draft.sizes.get(value)
  if (known !== undefined) return known
  let size = 2
  if (isArray(value)) for (const item of value) size += sizeOf(draft, item) + 1
  else for (const key of Object.keys(value)) size += key.length + 4 + sizeOf(draft, value[key] ?? null)
  draft.sizes.set(value, size)
  return size
}
