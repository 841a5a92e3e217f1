/** Finds mistakes in spaces: wrong form, or contradictions. */

import type { Space } from "../author.ts"
import { describe, token } from "./describe.ts"
import { type Dtype, dtypeOf, NAMES } from "./dtypes.ts"

/** A mistake in a space. */
export interface Flaw {
  /** A JSON Pointer (RFC 6901) into the space. */
  readonly path: string
  /**
   * The broken rule: a known type (`kind`), its fields (`field`), their values (`value`), the maximum size (`size`),
   * parts (`parts`), and lower bounds below upper ones (`order`).
   */
  readonly rule: "kind" | "field" | "size" | "parts" | "order" | "value"
  readonly expected: string
  readonly found: string
  /** Expected and found, as a sentence. */
  readonly message: string
}

/** Limits of a space, so that checking a value takes bounded time. */
const MAX_DEPTH = 16
const MAX_SPACES = 1024
const MAX_CELLS = 1_048_576
const MAX_FLAWS = 50

/** Every mistake in a would-be space, at most 50; an empty list for a valid space. */
export const flaws = (value: unknown): ReadonlyArray<Flaw> => {
  const search: Search = { found: [], spaces: 0 }
  inSpace(search, value, "", 1)
  return search.found
}

/** True if a value from outside describes a space. */
export const isSpace = (value: unknown): value is Space => flaws(value).length === 0

interface Search {
  readonly found: Array<Flaw>
  spaces: number
}

const report = (
  { found: all }: Search,
  path: string,
  expected: string,
  value: unknown,
  { rule = "value", found = describe(value) }: Partial<Pick<Flaw, "rule" | "found">> = {},
): void => {
  if (all.length < MAX_FLAWS) all.push({ path, rule, expected, found, message: `expected ${expected}, found ${found}` })
}

type Fields = ReadonlyMap<string, unknown>

type Check = (search: Search, fields: Fields, path: string, depth: number) => void

const inSpace = (search: Search, value: unknown, path: string, depth: number): void => {
  search.spaces++
  if (depth > MAX_DEPTH || search.spaces > MAX_SPACES) {
    if (search.spaces <= MAX_SPACES + 1)
      report(search, path, `at most ${MAX_DEPTH} levels and ${MAX_SPACES} spaces`, value, {
        rule: "size",
        found: "more",
      })
    return
  }
  const fields = fieldsOf(value)
  const type = fields?.get("type")
  const kind = typeof type === "string" ? KINDS.get(type) : undefined
  if (fields === undefined) {
    report(search, path, "a space: an object with a type", value, { rule: "kind" })
    return
  }
  if (kind === undefined) {
    report(search, `${path}/type`, `one of ${TYPES.join(", ")}`, fields.get("type"), { rule: "kind" })
    return
  }
  for (const key of fields.keys())
    if (key !== "type" && !kind.fields.includes(key))
      report(search, `${path}/${token(key)}`, `no such field (${kind.fields.join(", ")})`, fields.get(key), {
        rule: "field",
      })
  kind.check(search, fields, path, depth)
}

const box: Check = (search, fields, path) => {
  const dtype = dtypeOf(fields.get("dtype"))
  if (dtype === undefined) report(search, `${path}/dtype`, `one of ${NAMES.join(", ")}`, fields.get("dtype"))
  const shape = shapeOf(search, fields.get("shape"), `${path}/shape`)
  if (dtype === undefined || shape === undefined) return
  const [low, high] = [fields.get("low"), fields.get("high")]
  const before = search.found.length
  boundsOf(search, dtype, shape, low, `${path}/low`)
  boundsOf(search, dtype, shape, high, `${path}/high`)
  if (search.found.length === before) inOrder(search, low, high, path, "")
}

const boundsOf = (search: Search, dtype: Dtype, shape: ReadonlyArray<number>, bound: unknown, path: string): void => {
  if (Array.isArray(bound)) everyCell(search, shape, bound, path, (cell, where) => oneBound(search, dtype, cell, where))
  else oneBound(search, dtype, bound, path)
}

const oneBound = (search: Search, { whole, truth, least, greatest }: Dtype, bound: unknown, path: string): void => {
  if (truth) {
    if (typeof bound !== "boolean") report(search, path, "false or true, since the dtype is bool", bound)
    return
  }
  if (bound === "Infinity" || bound === "-Infinity" || bound === Infinity || bound === -Infinity) return
  const fits = whole ? Number.isInteger(bound) : typeof bound === "number"
  if (!fits || !(Number(bound) >= least && Number(bound) <= greatest))
    report(search, path, `${whole ? "a whole number" : "a number"} of the dtype, "Infinity" or "-Infinity"`, bound)
}

const inOrder = (search: Search, low: unknown, high: unknown, path: string, cell: string): void => {
  if (Array.isArray(low) || Array.isArray(high)) {
    const length = Array.isArray(low) ? low.length : Array.isArray(high) ? high.length : 0
    for (let index = 0; index < length; index++)
      inOrder(search, part(low, index), part(high, index), path, `${cell}/${index}`)
    return
  }
  const [from, to] = [Number(low), Number(high)]
  if (from > to || from === Infinity || to === -Infinity)
    report(search, `${path}/low${cell}`, `a bound of at most high, which is ${high}`, low, { rule: "order" })
}

const part = (bound: unknown, index: number): unknown => (Array.isArray(bound) ? bound[index] : bound)

const discrete: Check = (search, fields, path) => {
  const [n, start] = [fields.get("n"), fields.get("start") ?? 0]
  if (!isCount(n)) report(search, `${path}/n`, "a whole number of at least 1", n)
  else if (!Number.isSafeInteger(start) || !Number.isSafeInteger(Number(start) + n))
    report(search, `${path}/start`, "a whole number, below 2^53 with n added", start)
  integerDtype(search, fields, path)
}

const multiDiscrete: Check = (search, fields, path) => {
  const [nvec, start] = [fields.get("nvec"), fields.get("start")]
  const shape = shapeFrom(nvec)
  const before = search.found.length
  if (shape.length === 0 || shape.includes(0))
    report(search, `${path}/nvec`, "a list, or nested lists, of numbers", nvec)
  else
    everyCell(search, shape, nvec, `${path}/nvec`, (cell, where) => {
      if (!isCount(cell)) report(search, where, "a whole number of at least 1", cell)
    })
  integerDtype(search, fields, path)
  if (start !== undefined && search.found.length === before)
    startsOf(search, String(fields.get("dtype") ?? "int64"), nvec, start, `${path}/start`)
}

const startsOf = (search: Search, dtype: string, nvec: unknown, start: unknown, path: string): void => {
  if (Array.isArray(nvec)) {
    if (!Array.isArray(start) || start.length !== nvec.length) report(search, path, `a list of ${nvec.length}`, start)
    else for (const [index, count] of nvec.entries()) startsOf(search, dtype, count, start[index], `${path}/${index}`)
    return
  }
  const { least, greatest } = dtypeOf(dtype) ?? { least: 0, greatest: 0 }
  if (!Number.isSafeInteger(start) || Number(start) < least || Number(start) > greatest - (Number(nvec) - 1))
    report(search, path, `the first of ${nvec} whole numbers that ${dtype} holds`, start)
}

const multiBinary: Check = (search, fields, path) => {
  const n = fields.get("n")
  if (Array.isArray(n)) {
    if (n.length === 0) report(search, `${path}/n`, "a whole number, or a list of them", n)
    shapeOf(search, n, `${path}/n`)
  } else shapeOf(search, [n], `${path}/n`, false)
}

const tuple: Check = (search, fields, path, depth) => {
  const subspaces = fields.get("subspaces")
  if (!Array.isArray(subspaces) || subspaces.length === 0) {
    report(search, `${path}/subspaces`, "a list of at least one space", subspaces, { rule: "parts" })
    return
  }
  for (const [index, subspace] of subspaces.entries())
    inSpace(search, subspace, `${path}/subspaces/${index}`, depth + 1)
}

const sequence: Check = (search, fields, path, depth) => {
  inSpace(search, fields.get("feature_space"), `${path}/feature_space`, depth + 1)
  const stack = fields.get("stack")
  if (stack !== undefined && typeof stack !== "boolean") report(search, `${path}/stack`, "true or false", stack)
}

const graph: Check = (search, fields, path, depth) => {
  inSpace(search, fields.get("node_space"), `${path}/node_space`, depth + 1)
  const edges = fields.get("edge_space") ?? null
  if (edges !== null) inSpace(search, edges, `${path}/edge_space`, depth + 1)
}

const dict: Check = (search, fields, path, depth) => {
  const subspaces = fieldsOf(fields.get("subspaces"))
  if (subspaces === undefined || subspaces.size === 0) {
    report(search, `${path}/subspaces`, "an object with at least one space", fields.get("subspaces"), { rule: "parts" })
    return
  }
  for (const [key, subspace] of subspaces) {
    if (key === "__proto__" || !key.isWellFormed())
      report(search, `${path}/subspaces`, 'keys of whole characters other than "__proto__"', key)
    inSpace(search, subspace, `${path}/subspaces/${token(key)}`, depth + 1)
  }
}

const text: Check = (search, fields, path) => {
  const [least, most, charset] = [fields.get("min_length") ?? 1, fields.get("max_length"), fields.get("charset")]
  if (!isCount(most) || most > MAX_CELLS)
    report(search, `${path}/max_length`, `a whole number from 1 to ${MAX_CELLS}`, most)
  else if (!Number.isInteger(least) || Number(least) < 0 || Number(least) > most)
    report(search, `${path}/min_length`, `a whole number from 0 to max_length, which is ${most}`, least)
  if (charset !== undefined && (typeof charset !== "string" || charset === "" || !charset.isWellFormed()))
    report(search, `${path}/charset`, "text with the characters that may occur", charset)
}

const KINDS: ReadonlyMap<string, { readonly fields: ReadonlyArray<string>; readonly check: Check }> = new Map([
  ["Box", { fields: ["dtype", "shape", "low", "high"], check: box }],
  ["Discrete", { fields: ["n", "start", "dtype"], check: discrete }],
  ["MultiDiscrete", { fields: ["nvec", "start", "dtype"], check: multiDiscrete }],
  ["MultiBinary", { fields: ["n"], check: multiBinary }],
  ["Tuple", { fields: ["subspaces"], check: tuple }],
  ["Dict", { fields: ["subspaces"], check: dict }],
  ["Text", { fields: ["min_length", "max_length", "charset"], check: text }],
  ["Sequence", { fields: ["feature_space", "stack"], check: sequence }],
  ["Graph", { fields: ["node_space", "edge_space"], check: graph }],
  ["OneOf", { fields: ["subspaces"], check: tuple }],
])

/** The types of spaces. */
export const TYPES: ReadonlyArray<string> = [...KINDS.keys()]

const integerDtype = (search: Search, fields: Fields, path: string): void => {
  const name = fields.get("dtype")
  if (name !== undefined && dtypeOf(name)?.whole !== true)
    report(search, `${path}/dtype`, `one of ${NAMES.filter((known) => dtypeOf(known)?.whole).join(", ")}`, name)
}

/** The value as a shape. Reports a mistake and returns undefined if it is not one. */
const shapeOf = (search: Search, value: unknown, path: string, listed = true): ReadonlyArray<number> | undefined => {
  if (!Array.isArray(value) || value.length > MAX_DEPTH || !value.every(isCount)) {
    const expected = listed
      ? "a list of whole numbers of at least 1"
      : "a whole number of at least 1, or a list of them"
    report(search, path, expected, Array.isArray(value) && value.length === 1 ? value[0] : value)
    return undefined
  }
  const cells = value.reduce((product, length) => product * length, 1)
  if (cells > MAX_CELLS)
    report(search, path, `at most ${MAX_CELLS} numbers`, value, { rule: "size", found: String(cells) })
  return cells > MAX_CELLS ? undefined : value
}

/** The lengths of the first list on each level. */
const shapeFrom = (nested: unknown, depth = 0): ReadonlyArray<number> =>
  Array.isArray(nested) && depth < MAX_DEPTH ? [nested.length, ...shapeFrom(nested[0], depth + 1)] : []

/** Checks every number of nested lists, and reports lists whose length differs from the shape. */
const everyCell = (
  search: Search,
  [length, ...shape]: ReadonlyArray<number>,
  nested: unknown,
  path: string,
  check: (cell: unknown, path: string) => void,
): void => {
  if (length === undefined) check(nested, path)
  else if (!Array.isArray(nested) || nested.length !== length) report(search, path, `a list of ${length}`, nested)
  else for (let index = 0; index < length; index++) everyCell(search, shape, nested[index], `${path}/${index}`, check)
}

/** An object's own fields. */
const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? new Map(Object.entries(value)) : undefined

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 1
