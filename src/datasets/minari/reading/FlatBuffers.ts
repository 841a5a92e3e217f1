/** Reads FlatBuffers, in which Arrow writes its schemas, with a check of every offset. */

import { Damaged } from "./Column.ts"

/** A table: its fields are found by their numbers. */
export class Table {
  readonly #bytes: DataView
  readonly #at: number

  constructor(bytes: DataView, at: number) {
    this.#bytes = bytes
    this.#at = at
  }

  /** The root table of a buffer. */
  static root(bytes: DataView): Table {
    return new Table(bytes, unsigned(bytes, 0))
  }

  /** The place of a field; undefined if it has its default. */
  #field(field: number): number | undefined {
    const table = this.#at - read(this.#bytes, this.#at, 4, (at) => this.#bytes.getInt32(at, true))
    const size = read(this.#bytes, table, 2, (at) => this.#bytes.getUint16(at, true))
    const entry = 4 + 2 * field
    if (entry + 2 > size) return undefined
    const offset = read(this.#bytes, table + entry, 2, (at) => this.#bytes.getUint16(at, true))
    return offset === 0 ? undefined : this.#at + offset
  }

  byte(field: number, otherwise = 0): number {
    const at = this.#field(field)
    return at === undefined ? otherwise : read(this.#bytes, at, 1, () => this.#bytes.getUint8(at))
  }

  short(field: number, otherwise = 0): number {
    const at = this.#field(field)
    return at === undefined ? otherwise : read(this.#bytes, at, 2, () => this.#bytes.getInt16(at, true))
  }

  int(field: number, otherwise = 0): number {
    const at = this.#field(field)
    return at === undefined ? otherwise : read(this.#bytes, at, 4, () => this.#bytes.getInt32(at, true))
  }

  long(field: number): number {
    const at = this.#field(field)
    return at === undefined ? 0 : longAt(this.#bytes, at)
  }

  table(field: number): Table | undefined {
    const at = this.#field(field)
    return at === undefined ? undefined : new Table(this.#bytes, at + unsigned(this.#bytes, at))
  }

  text(field: number): string {
    const at = this.#field(field)
    if (at === undefined) return ""
    const start = at + unsigned(this.#bytes, at)
    const length = unsigned(this.#bytes, start)
    return read(this.#bytes, start + 4, length, (from) =>
      Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + from, length).toString("utf8"),
    )
  }

  tables(field: number): ReadonlyArray<Table> {
    return this.#vector(field, 4, (at) => new Table(this.#bytes, at + unsigned(this.#bytes, at)))
  }

  /** Structures of `longs` numbers of 64 bits. */
  longs(field: number, longs: number): ReadonlyArray<ReadonlyArray<number>> {
    return this.#vector(field, 8 * longs, (at) =>
      Array.from({ length: longs }, (_, index) => longAt(this.#bytes, at + 8 * index)),
    )
  }

  #vector<A>(field: number, size: number, of: (at: number) => A): ReadonlyArray<A> {
    const at = this.#field(field)
    if (at === undefined) return []
    const start = at + unsigned(this.#bytes, at)
    const length = unsigned(this.#bytes, start)
    read(this.#bytes, start + 4, length * size, () => 0)
    return Array.from({ length }, (_, index) => of(start + 4 + index * size))
  }
}

const read = <A>(bytes: DataView, at: number, length: number, get: (at: number) => A): A => {
  if (at < 0 || length < 0 || at + length > bytes.byteLength) throw new Damaged("a schema that points out of itself")
  return get(at)
}

const unsigned = (bytes: DataView, at: number): number => read(bytes, at, 4, () => bytes.getUint32(at, true))

const longAt = (bytes: DataView, at: number): number => {
  const number = Number(read(bytes, at, 8, () => bytes.getBigInt64(at, true)))
  if (!Number.isSafeInteger(number)) throw new Damaged("a length beyond all files")
  return number
}
