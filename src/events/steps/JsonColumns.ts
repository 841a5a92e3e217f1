/**
 * Lists of JSON values as columns. Values of one shape become a column for each number in them; everything else becomes
 * an index into a list of texts. The text form of a value is `JSON.stringify`, as in a payload.
 */

import { type Json, type JsonObject, parseJson } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"

/**
 * The shape of a list of values. `number`: one column. `text`: one column of indexes into JSON texts. `list`: lists of
 * equal length. `object`: objects whose keys are in one order; a key with `has` is in some objects only, and that column
 * says in which (1, otherwise 0).
 */
export type Shape =
  | { readonly kind: "number" }
  | { readonly kind: "text"; readonly texts: ReadonlyArray<string> }
  | { readonly kind: "list"; readonly items: ReadonlyArray<Shape> }
  | { readonly kind: "object"; readonly fields: ReadonlyArray<Field> }

/** A key of objects, and the shape of its values. */
export interface Field {
  readonly key: string
  readonly has?: true
  readonly shape: Shape
}

/** Maximum number of columns, and so of parts of a shape. */
export const MAX_COLUMNS = 4096

/** Divides values into columns, which it adds to `columns`. An absent value (undefined) repeats the one before it. */
export const split = (values: ReadonlyArray<Json | undefined>, columns: Array<Float64Array>): Shape => {
  const known = values.filter((value) => value !== undefined)
  if (known.every(isNumber)) return numbers(values, columns)
  const [first] = known
  const isRoomy = columns.length < MAX_COLUMNS / 4
  if (isRoomy && Array.isArray(first) && first.length > 0) {
    const { length } = first as ReadonlyArray<Json>
    if (length <= MAX_ITEMS && known.every((value) => Array.isArray(value) && value.length === length)) {
      return {
        kind: "list",
        items: Array.from({ length }, (_, index) =>
          split(
            values.map((value) => (value as ReadonlyArray<Json> | undefined)?.[index]),
            columns,
          ),
        ),
      }
    }
  }
  const keys = isRoomy && known.every(isObject) ? keysOf(known as ReadonlyArray<JsonObject>) : undefined
  return keys === undefined ? texts(values, columns) : objects(values as ReadonlyArray<JsonObject>, keys, columns)
}

/** A longer list, such as a picture, compresses better as text. */
export const MAX_ITEMS = 64

/** Objects with more keys become text. */
export const MAX_KEYS = 64

const isNumber = (value: Json | undefined): boolean => typeof value === "number"

const isObject = (value: Json | undefined): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const numbers = (values: ReadonlyArray<Json | undefined>, columns: Array<Float64Array>): Shape => {
  const column = new Float64Array(values.length)
  let last = 0
  for (const [row, value] of values.entries()) {
    // -0 is 0 in JSON.
    if (value !== undefined) last = Number(value) + 0
    column[row] = last
  }
  columns.push(column)
  return { kind: "number" }
}

const texts = (values: ReadonlyArray<Json | undefined>, columns: Array<Float64Array>): Shape => {
  const indexes = new Map<string, number>()
  const column = new Float64Array(values.length)
  let last = 0
  for (const [row, value] of values.entries()) {
    if (value !== undefined) {
      const text = JSON.stringify(value)
      last = indexes.get(text) ?? indexes.size
      indexes.set(text, last)
    }
    column[row] = last
  }
  columns.push(column)
  return { kind: "text", texts: [...indexes.keys()] }
}

/** The keys of all objects in one order, in which each object has its own; undefined if there is no such order. */
const keysOf = (objects: ReadonlyArray<JsonObject>): ReadonlyArray<string> | undefined => {
  let all: Array<string> = []
  for (const object of objects) {
    const own = Object.keys(object)
    if (own.length > MAX_KEYS) return undefined
    const merged = merge(all, own)
    if (merged === undefined || merged.length > MAX_KEYS) return undefined
    all = merged
  }
  return all.every(isOrdinaryKey) ? all : undefined
}

/** JavaScript puts other keys first, and `__proto__` is no field of a literal. */
export const isOrdinaryKey = (key: string): boolean => !/^\d/.test(key) && key !== "__proto__"

/** Adds the keys that are new, each before the next known one. Undefined if the two orders disagree. */
export const merge = (all: Array<string>, own: ReadonlyArray<string>): Array<string> | undefined => {
  if (all.length === own.length && all.every((key, index) => key === own[index])) return all
  const merged: Array<string> = []
  let at = 0
  for (const key of own) {
    const place = all.indexOf(key)
    if (place < 0) merged.push(key)
    else if (place < at) return undefined
    else {
      merged.push(...all.slice(at, place), key)
      at = place + 1
    }
  }
  return [...merged, ...all.slice(at)]
}

const objects = (
  values: ReadonlyArray<JsonObject | undefined>,
  keys: ReadonlyArray<string>,
  columns: Array<Float64Array>,
): Shape => {
  const fields = keys.map((key): Field => {
    const inside = values.map((value) => (value === undefined ? undefined : SafeRecord.get(value, key)))
    const isAlways = values.every((value, row) => value === undefined || inside[row] !== undefined)
    if (isAlways) return { key, shape: split(inside, columns) }
    let last = 0
    columns.push(
      Float64Array.from(values, (value, row) => {
        if (value !== undefined) last = inside[row] === undefined ? 0 : 1
        return last
      }),
    )
    return { key, has: true, shape: split(inside, columns) }
  })
  return { kind: "object", fields }
}

/** Reads the value of a row. */
export type Reader = (row: number) => Json

/**
 * Returns readers of the values. Takes the columns in the order in which `split` added them from `next`, and throws if
 * an index has no text.
 */
export const join = (shape: Shape, next: () => Float64Array): Reader => {
  switch (shape.kind) {
    case "number": {
      const column = next()
      return (row) => column[row] ?? 0
    }
    case "text": {
      const column = next()
      // Events are never changed, so rows may share a value.
      const values = shape.texts.map(parseJson)
      return (row) => {
        const value = values[column[row] ?? 0]
        if (value === undefined) throw new Error(`a step names text ${column[row]} of ${values.length}`)
        return value
      }
    }
    case "list": {
      const items = shape.items.map((item) => join(item, next))
      return (row) => items.map((item) => item(row))
    }
    case "object": {
      const fields = joinFields(shape.fields, next)
      return (row) => objectOf(fields, row)
    }
  }
}

/** Reads the values of a key. `has` is its column of rows; undefined if it is in all. */
export interface FieldReader {
  readonly key: string
  readonly has: Float64Array | undefined
  readonly read: Reader
}

/** Readers of the keys of objects; `join` makes one of them. */
export const joinFields = (fields: ReadonlyArray<Field>, next: () => Float64Array): ReadonlyArray<FieldReader> =>
  fields.map(({ key, has, shape }) => {
    const column = has === true ? next() : undefined
    return { key, has: column, read: join(shape, next) }
  })

/** The object in a row. */
export const objectOf = (fields: ReadonlyArray<FieldReader>, row: number): JsonObject => {
  const object: Record<string, Json> = {}
  for (const { key, has, read } of fields) {
    if (has === undefined || has[row] === 1) SafeRecord.put(object, key, read(row))
  }
  return object
}
