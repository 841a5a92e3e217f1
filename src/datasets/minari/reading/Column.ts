/** A column of an episode in any of Minari's formats, and the values of a space that columns hold. */

import type { Space } from "../../../plugins/author.ts"
import { type Json, wellFormed } from "../../../values/Json.ts"
import { jsonNumber, type Leaf, leavesOf, NotRepresentable, spaceValueOf } from "../Leaves.ts"

/** Rows of values, or of structures with parts. */
export interface Column {
  readonly rows: number
  /** The parts of a structure; undefined for values. */
  readonly parts: ReadonlyMap<string, Column> | undefined
  /** The numbers in each row, where the format states them. */
  readonly cells?: number
  /** The rows from `from` to below `to`: numbers, texts or null, in lists if a row has several. */
  readonly read: (from: number, to: number) => ArrayLike<unknown>
}

/** The data are not what the format or the metadata promise. */
export class Damaged extends Error {}

/** Reads rows as values of a space. */
export type Rows = (from: number, to: number) => ReadonlyArray<Json>

/** Values of a space in a column. Throws `Damaged` if the column has no place for a part of the space. */
export const ofSpace = (space: Space, column: Column, name: string): Rows => {
  const leaves = leavesOf(space).map((leaf) => [leaf, columnOf(leaf, column, name)] as const)
  for (const [{ shape }, { cells }] of leaves) {
    const wanted = shape?.reduce((product, length) => product * length, 1) ?? 1
    if (cells !== undefined && cells !== wanted)
      throw new Damaged(`${name} with ${cells} numbers a row, where its space has ${wanted}`)
  }
  return (from, to) => {
    const read = new Map(leaves.map(([leaf, of]) => [leaf.path.join("\0"), of.read(from, to)]))
    return Array.from({ length: to - from }, (_, row) =>
      spaceValueOf(space, (leaf) => leafIn(leaf, read.get(leaf.path.join("\0"))?.[row], name)),
    )
  }
}

/** Minari names the parts of a tuple by their index, in HDF5 as `_index_0`. */
const columnOf = ({ path }: Leaf, column: Column, name: string): Column =>
  path.reduce((of, key) => {
    const part = of.parts?.get(String(key)) ?? (typeof key === "number" ? of.parts?.get(`_index_${key}`) : undefined)
    if (part === undefined) throw new Damaged(`${name} without its part ${JSON.stringify(key)}`)
    return part
  }, column)

const leafIn = (leaf: Leaf, value: unknown, name: string): ReadonlyArray<number> | string => {
  if (leaf.shape === undefined) {
    if (typeof value === "string") return value.toWellFormed()
    throw new Damaged(`${name} with a row that is no text`)
  }
  const numbers: Array<number> = []
  flatten(value, numbers, name)
  return numbers
}

const flatten = (value: unknown, into: Array<number>, name: string): void => {
  if (isList(value)) for (let index = 0; index < value.length; index++) flatten(value[index], into, name)
  else into.push(numberOf(value, name))
}

const isList = (value: unknown): value is ArrayLike<unknown> =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView))

const numberOf = (value: unknown, name: string): number => {
  if (typeof value === "number") return value
  if (typeof value === "boolean") return value ? 1 : 0
  if (typeof value === "bigint") {
    const number = Number(value)
    if (Number.isSafeInteger(number)) return number
    throw new NotRepresentable(`${name} with ${value}, which JSON's numbers cannot hold`)
  }
  throw new Damaged(`${name} with a row that is no number`)
}

/** Numbers of a column without a space, one a row. */
export const numbers = (column: Column, name: string, from: number, to: number): ReadonlyArray<number> =>
  Array.from(column.read(from, to) as ArrayLike<unknown>, (value) => {
    const of: Array<number> = []
    flatten(value, of, name)
    if (of.length !== 1) throw new Damaged(`${name} with ${of.length} numbers in a row`)
    return of[0] ?? 0
  })

/** Rows of a column without a space, such as information, as JSON. */
export const anything = (column: Column, from: number, to: number): ReadonlyArray<Json> => {
  if (column.parts === undefined) return Array.from(column.read(from, to) as ArrayLike<unknown>, asJson)
  const parts = [...column.parts]
    .filter(([, part]) => part.rows >= to)
    .map(([name, part]) => [name, anything(part, from, to)] as const)
  return Array.from({ length: to - from }, (_, row) =>
    Object.fromEntries(parts.flatMap(([name, values]) => (values[row] === null ? [] : [[name, values[row] ?? null]]))),
  )
}

const asJson = (value: unknown): Json => {
  if (typeof value === "number") return jsonNumber(value)
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (typeof value === "string") return value.toWellFormed()
  if (isList(value)) return Array.from(value, asJson)
  return typeof value === "boolean" ? value : null
}

/** A JSON value of a file's metadata, or an empty object if a log cannot hold it. */
export const loggable = (value: Json): Json => wellFormed(value) ?? {}
