/** The columns of a space: each part that holds numbers or text, with its place and its number type. */

import type { Nested, Space } from "../../plugins/author.ts"
import type { Json } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"

/** A part of a space that is one column of a data set. */
export interface Leaf {
  /** Keys of `Dict` spaces and indexes of `Tuple` spaces, from the outside. */
  readonly path: ReadonlyArray<string | number>
  /** The lengths of a value; empty for a single number, undefined for text. */
  readonly shape: ReadonlyArray<number> | undefined
  /** numpy's name of the number type; undefined for text. */
  readonly dtype: string | undefined
  /** The least value of a `Discrete` space. */
  readonly isScalar: boolean
}

/** Minari has no form for this space, or the value is not in it. */
export class NotRepresentable extends Error {}

/** The leaves of a space, in order. Throws `NotRepresentable` for spaces that Minari does not write. */
export const leavesOf = (space: Space, path: Leaf["path"] = []): ReadonlyArray<Leaf> => {
  switch (space.type) {
    case "Box":
      return [{ path, shape: space.shape, dtype: space.dtype, isScalar: false }]
    case "Discrete":
      return [{ path, shape: [], dtype: "int64", isScalar: true }]
    case "MultiDiscrete":
      return [{ path, shape: shapeOf(space.nvec), dtype: space.dtype ?? "int64", isScalar: false }]
    case "MultiBinary":
      return [{ path, shape: typeof space.n === "number" ? [space.n] : space.n, dtype: "int8", isScalar: false }]
    case "Text":
      return [{ path, shape: undefined, dtype: undefined, isScalar: true }]
    case "Tuple":
      return space.subspaces.flatMap((subspace, index) => leavesOf(subspace, [...path, index]))
    case "Dict":
      return Object.entries(space.subspaces).flatMap(([key, subspace]) => leavesOf(subspace, [...path, key]))
    case "Sequence":
    case "Graph":
    case "OneOf":
      throw new NotRepresentable(`a space of type ${space.type}, for which Minari has no form`)
  }
}

const shapeOf = (nested: Nested<number>): ReadonlyArray<number> =>
  Array.isArray(nested) ? [nested.length, ...shapeOf(nested[0] ?? 0)] : []

/** The value of a leaf in a value of the whole space: its numbers in row-major order, or its text. */
export const leafOf = (leaf: Leaf, value: Json): ReadonlyArray<number> | string => {
  const part = leaf.path.reduce<Json | undefined>((of, key) => {
    if (typeof key === "number") return Array.isArray(of) ? (of as ReadonlyArray<Json>)[key] : undefined
    return isObject(of) ? SafeRecord.get(of, key) : undefined
  }, value)
  const { shape } = leaf
  if (shape === undefined) {
    if (typeof part === "string") return part
    throw new NotRepresentable(`${where(leaf)}no text`)
  }
  const numbers: Array<number> = []
  flatten(leaf, part ?? null, shape, 0, numbers)
  return numbers
}

const flatten = (
  leaf: Leaf,
  value: Json,
  shape: ReadonlyArray<number>,
  level: number,
  numbers: Array<number>,
): void => {
  const length = shape[level]
  if (length === undefined) {
    const number = numberOf(value)
    if (number === undefined) throw new NotRepresentable(`${where(leaf)}a value that is no number`)
    numbers.push(number)
  } else if (Array.isArray(value) && value.length === length) {
    for (const part of value as ReadonlyArray<Json>) flatten(leaf, part, shape, level + 1, numbers)
  } else throw new NotRepresentable(`${where(leaf)}a value of another shape than [${shape.join(", ")}]`)
}

/** Numbers that JSON lacks are text. */
export const NOT_FINITE: ReadonlyMap<string, number> = new Map([
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
  ["NaN", Number.NaN],
])

const numberOf = (value: Json): number | undefined => {
  if (typeof value === "number") return value
  if (typeof value === "boolean") return value ? 1 : 0
  return typeof value === "string" ? NOT_FINITE.get(value) : undefined
}

const where = ({ path }: Leaf): string => (path.length === 0 ? "" : `at ${path.join("/")} `)

/** The value of the whole space from the values of its leaves: the opposite of `leafOf`. */
export const spaceValueOf = (space: Space, next: (leaf: Leaf) => ReadonlyArray<number> | string): Json => {
  const build = (within: Space, path: Leaf["path"]): Json => {
    if (within.type === "Dict")
      return Object.fromEntries(
        Object.entries(within.subspaces).map(([key, subspace]) => [key, build(subspace, [...path, key])]),
      )
    if (within.type === "Tuple") return within.subspaces.map((subspace, index) => build(subspace, [...path, index]))
    const [leaf] = leavesOf(within, path)
    if (leaf === undefined) return null
    const found = next(leaf)
    if (typeof found === "string") return found
    return nested(leaf, found, leaf.shape ?? [])
  }
  return build(space, [])
}

const nested = (leaf: Leaf, numbers: ReadonlyArray<number>, shape: ReadonlyArray<number>): Json => {
  const cells = shape.reduce((product, length) => product * length, 1)
  if (numbers.length !== cells)
    throw new NotRepresentable(`${where(leaf)}${numbers.length} numbers where its space has ${cells}`)
  const at = (level: number, from: number): Json => {
    const length = shape[level]
    if (length === undefined) return jsonNumber(numbers[from] ?? 0, leaf.dtype)
    const size = shape.slice(level + 1).reduce((product, one) => product * one, 1)
    return Array.from({ length }, (_, index) => at(level + 1, from + index * size))
  }
  return at(0, 0)
}

/** A number as JSON: one that JSON lacks is text, and one of numpy's `bool` is false or true. */
export const jsonNumber = (number: number, dtype?: string): Json => {
  if (dtype === "bool") return number !== 0
  return Number.isFinite(number) ? number : String(number)
}
