/** A part of the steps of a run, such as their results: its columns are decoded, and its values made, when someone reads it. */

import type { Json } from "../../values/Json.ts"
import * as ColumnHeader from "./ColumnHeader.ts"
import { type Field, type FieldReader, join, joinFields, objectOf, type Reader } from "./JsonColumns.ts"

/** A part of all steps. */
export class Part implements FieldReader {
  readonly field: Field
  readonly #column: (index: number) => Float64Array
  /** The index of its first column. */
  readonly #at: number
  #read: Reader | undefined
  #fields: ReadonlyArray<FieldReader> | undefined
  /** The last row that someone read, and its value. */
  #row = -1
  #value: Json = null
  #same: Uint8Array | undefined

  constructor(field: Field, column: (index: number) => Float64Array, at: number) {
    this.field = field
    this.#column = column
    this.#at = at
  }

  get key(): string {
    return this.field.key
  }

  get has(): Float64Array | undefined {
    return this.field.has === true ? this.#column(this.#at) : undefined
  }

  /** Its own parts; undefined if it is no object. */
  fields(): ReadonlyArray<FieldReader> | undefined {
    const { shape, has } = this.field
    if (shape.kind !== "object") return undefined
    this.#fields ??= joinFields(shape.fields, inOrder(this.#column, this.#at + (has === true ? 1 : 0)))
    return this.#fields
  }

  /** Events are never changed, so a row shares its value with the row before it if that has the same. */
  readonly read: Reader = (row) => {
    if (row > 0 && row === this.#row + 1) {
      this.#same ??= this.#sameAsBefore()
      if (this.#same[row] === 1) {
        this.#row = row
        return this.#value
      }
    }
    const fields = this.fields()
    this.#read ??=
      fields === undefined
        ? join(this.field.shape, inOrder(this.#column, this.#at + (this.field.has === true ? 1 : 0)))
        : (at) => objectOf(fields, at)
    const value = this.#read(row)
    this.#row = row
    this.#value = value
    return value
  }

  /** For each row, 1 if its numbers are those of the row before. */
  #sameAsBefore(): Uint8Array {
    const { shape, has } = this.field
    const first = this.#column(this.#at)
    const same = new Uint8Array(first.length).fill(1, 1)
    const count = ColumnHeader.sizeOf(shape).columns + (has === true ? 1 : 0)
    for (let index = 0; index < count; index++) {
      const column = this.#column(this.#at + index)
      let changes = 0
      for (let row = 1; row < column.length; row++) {
        if (column[row] === column[row - 1]) continue
        same[row] = 0
        changes += 1
      }
      if (changes > column.length / 2) return same.fill(0)
    }
    return same
  }
}

/** Takes columns one by one, in order. */
export const inOrder = (column: (index: number) => Float64Array, from: number): (() => Float64Array) => {
  let at = from
  return () => column(at++)
}
