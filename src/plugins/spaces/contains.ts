/** Whether a value is in a space, and if not, where and why. */

import type { Space } from "../author.ts"
import { type Bounds, intervalOf, partOf } from "./bounds.ts"
import { describe, token } from "./describe.ts"

/**
 * Undefined if the value is in the space. Otherwise what is wrong: a JSON Pointer into the value (nothing for the value
 * itself), what was expected and what was found, such as `/position/0: expected a number from -1 to 1, found 3`. The
 * space must be without {@link flaws}.
 */
export const contains = (space: Space, value: unknown): string | undefined => {
  const found = mismatch(space, value, "")
  if (found === undefined) return undefined
  return `${found.path === "" ? "" : `${found.path}: `}expected ${found.expected}, found ${describe(found.value)}`
}

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
      return inMultiDiscrete(space.nvec, value, path)
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
  const { low, high, whole } = intervalOf(bounds, dtype)
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

const inMultiDiscrete = (nvec: unknown, value: unknown, path: string): Mismatch | undefined =>
  Array.isArray(nvec)
    ? inList(nvec.length, value, path, (part, index, where) => inMultiDiscrete(nvec[index], part, where))
    : inRange(0, Number(nvec), value, path)

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

const inText = (
  space: { readonly min_length?: number; readonly max_length: number; readonly charset?: string },
  value: unknown,
  path: string,
): Mismatch | undefined => {
  const least = space.min_length ?? 1
  const length = typeof value === "string" ? [...value].length : -1
  if (typeof value !== "string" || length < least || length > space.max_length)
    return { path, expected: `text of ${least} to ${space.max_length} characters`, value }
  const allowed = space.charset === undefined ? undefined : new Set(space.charset)
  const other = allowed === undefined ? undefined : [...value].find((character) => !allowed.has(character))
  return other === undefined
    ? undefined
    : { path, expected: `characters of ${JSON.stringify(space.charset)}`, value: other }
}
