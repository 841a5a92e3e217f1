/** Tests whether a value belongs to a space. */

import type { GraphSpace, Space, TextSpace } from "../author.ts"
import { type Bounds, type Interval, intervalOf, LONGEST_LIST, partOf } from "./bounds.ts"
import { describe, token } from "./describe.ts"

/**
 * Returns undefined if the value belongs to the space. Otherwise, it returns the mismatch with its JSON Pointer, such
 * as `/position/0: expected a number from -1 to 1, found 3`. The space must have no {@link flaws}.
 */
export const contains = (space: Space, value: unknown): string | undefined => {
  if (isListWithin(space, value)) return undefined
  const found = mismatch(space, value, "")
  if (found === undefined) return undefined
  return `${found.path === "" ? "" : `${found.path}: `}expected ${found.expected}, found ${describe(found.value)}`
}

/** Whether the space is a list of numbers that has the value. Worlds check one at each step. */
const isListWithin = (space: Space, value: unknown): boolean => {
  if (space.type !== "Box" || space.shape.length !== 1 || !Array.isArray(value)) return false
  let intervals = intervalsOf.get(space)
  if (intervals === undefined) {
    const { dtype, shape } = space
    intervals = Array.from({ length: shape[0] ?? 0 }, (_, index) => intervalOf(partOf(space, index), dtype))
    intervalsOf.set(space, intervals)
  }
  if (value.length !== intervals.length) return false
  for (let index = 0; index < intervals.length; index++) {
    const { low, high, whole, truth } = intervals[index] as Interval
    const number: unknown = value[index]
    if (truth || !isNumber(number) || number < low || number > high || (whole && !Number.isInteger(number)))
      return false
  }
  return true
}

/** Spaces are never changed. */
const intervalsOf = new WeakMap<object, ReadonlyArray<Interval>>()

interface Mismatch {
  readonly path: string
  readonly expected: string
  readonly value: unknown
}

const mismatch = (space: Space, value: unknown, path: string): Mismatch | undefined => {
  switch (space.type) {
    case "Box":
      return inBox(space, space.dtype, space.shape, value, path)
    case "Discrete":
      return inRange(space.start ?? 0, space.n, value, path)
    case "MultiDiscrete":
      return inMultiDiscrete(space.nvec, space.start ?? 0, value, path)
    case "MultiBinary":
      return inMultiBinary(typeof space.n === "number" ? [space.n] : space.n, value, path)
    case "Tuple":
      return inList(space.subspaces.length, value, path, (part, index, where) => {
        const subspace = space.subspaces[index]
        return subspace === undefined ? undefined : mismatch(subspace, part, where)
      })
    case "Dict":
      return inDict(space.subspaces, value, path)
    case "Text":
      return inText(space, value, path)
    case "Sequence":
      return inSequence(space.feature_space, value, path)
    case "Graph":
      return inGraph(space, value, path)
    case "OneOf":
      return inOneOf(space.subspaces, value, path)
  }
}

const inBox = (
  bounds: Bounds,
  dtype: string,
  [length, ...shape]: ReadonlyArray<number>,
  value: unknown,
  path: string,
): Mismatch | undefined => {
  if (length !== undefined)
    return inList(length, value, path, (part, index, where) => inBox(partOf(bounds, index), dtype, shape, part, where))
  const { low, high, whole, truth } = intervalOf(bounds, dtype)
  if (truth) {
    const fits = typeof value === "boolean" && Number(value) >= low && Number(value) <= high
    return fits ? undefined : { path, expected: low === high ? String(low === 1) : "false or true", value }
  }
  const fits = isNumber(value) && (!whole || Number.isInteger(value)) && value >= low && value <= high
  return fits ? undefined : { path, expected: `${whole ? "a whole number" : "a number"}${range(low, high)}`, value }
}

const range = (low: number, high: number): string => {
  if (low === -Infinity && high === Infinity) return ""
  if (high === Infinity) return ` of at least ${low}`
  return low === -Infinity ? ` of at most ${high}` : ` from ${low} to ${high}`
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value)

const inRange = (start: number, n: number, value: unknown, path: string): Mismatch | undefined =>
  Number.isInteger(value) && Number(value) >= start && Number(value) < start + n
    ? undefined
    : { path, expected: `a whole number from ${start} to ${start + n - 1}`, value }

const inMultiDiscrete = (nvec: unknown, start: unknown, value: unknown, path: string): Mismatch | undefined =>
  Array.isArray(nvec)
    ? inList(nvec.length, value, path, (part, index, where) =>
        inMultiDiscrete(nvec[index], Array.isArray(start) ? start[index] : start, part, where),
      )
    : inRange(Number(start), Number(nvec), value, path)

const inMultiBinary = (
  [length, ...shape]: ReadonlyArray<number>,
  value: unknown,
  path: string,
): Mismatch | undefined =>
  length === undefined
    ? inRange(0, 2, value, path)
    : inList(length, value, path, (part, _, where) => inMultiBinary(shape, part, where))

const inList = (
  length: number,
  value: unknown,
  path: string,
  part: (value: unknown, index: number, path: string) => Mismatch | undefined,
): Mismatch | undefined => {
  if (!Array.isArray(value) || value.length !== length) return { path, expected: `a list of ${length}`, value }
  for (let index = 0; index < length; index++) {
    const found = part(value[index], index, `${path}/${index}`)
    if (found !== undefined) return found
  }
  return undefined
}

const inSequence = (feature: Space, value: unknown, path: string): Mismatch | undefined =>
  Array.isArray(value) && value.length <= LONGEST_LIST
    ? inList(value.length, value, path, (part, _, where) => mismatch(feature, part, where))
    : { path, expected: `a list of at most ${LONGEST_LIST}`, value }

const GRAPH: ReadonlyArray<string> = ["nodes", "edges", "edge_links"]

const inGraph = ({ node_space, edge_space }: GraphSpace, value: unknown, path: string): Mismatch | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { path, expected: `an object with the keys ${GRAPH.join(", ")}`, value }
  const parts = new Map<string, unknown>(Object.entries(value))
  const [nodes, edges, links] = GRAPH.map((key) => parts.get(key))
  const found = inSequence(node_space, nodes, `${path}/nodes`)
  if (found !== undefined) return found
  const extra = [...parts.keys()].find((key) => !GRAPH.includes(key))
  if (extra !== undefined) return { path: `${path}/${token(extra)}`, expected: "no such key", value: parts.get(extra) }
  if (edges === null && links === null) return undefined
  if (edge_space === undefined || edge_space === null) {
    const expected = "null, since the edges have no space"
    return edges === null
      ? { path: `${path}/edge_links`, expected, value: links }
      : { path: `${path}/edges`, expected, value: edges }
  }
  const [ends, joined] = [lengthOf(nodes), lengthOf(edges)]
  if (ends === 0 && joined > 0)
    return { path: `${path}/edges`, expected: "an empty list, since there are no nodes", value: edges }
  return (
    inSequence(edge_space, edges, `${path}/edges`) ??
    inList(joined, links, `${path}/edge_links`, (link, _, where) =>
      inList(2, link, where, (end, __, at) => inRange(0, ends, end, at)),
    )
  )
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0)

const inOneOf = (subspaces: ReadonlyArray<Space>, value: unknown, path: string): Mismatch | undefined => {
  if (!Array.isArray(value) || value.length !== 2)
    return { path, expected: "a list of 2: the index of a space and a value of it", value }
  const [index, part] = value
  const subspace = Number.isInteger(index) ? subspaces[index] : undefined
  return subspace === undefined
    ? inRange(0, subspaces.length, index, `${path}/0`)
    : mismatch(subspace, part, `${path}/1`)
}

const inDict = (subspaces: { readonly [key: string]: Space }, value: unknown, path: string): Mismatch | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { path, expected: `an object with the keys ${Object.keys(subspaces).join(", ")}`, value }
  const parts = new Map(Object.entries(value))
  for (const [key, subspace] of Object.entries(subspaces)) {
    const found = mismatch(subspace, parts.get(key), `${path}/${token(key)}`)
    if (found !== undefined) return found
    parts.delete(key)
  }
  const [extra] = parts
  return extra === undefined
    ? undefined
    : { path: `${path}/${token(extra[0])}`, expected: "no such key", value: extra[1] }
}

const inText = (space: TextSpace, value: unknown, path: string): Mismatch | undefined => {
  const least = space.min_length ?? 1
  const length = typeof value === "string" ? [...value].length : -1
  if (typeof value !== "string" || length < least || length > space.max_length)
    return { path, expected: `text of ${least} to ${space.max_length} characters`, value }
  const allowed = space.charset === undefined ? undefined : charactersOf(space.charset)
  const other = allowed === undefined ? undefined : [...value].find((character) => !allowed.has(character))
  return other === undefined
    ? undefined
    : { path, expected: `characters of ${JSON.stringify(space.charset)}`, value: other }
}

/** The last charset, cached: the texts of a list share it. */
let known: { readonly charset: string; readonly characters: ReadonlySet<string> } = {
  charset: "",
  characters: new Set(),
}

const charactersOf = (charset: string): ReadonlySet<string> => {
  if (known.charset !== charset) known = { charset, characters: new Set(charset) }
  return known.characters
}
