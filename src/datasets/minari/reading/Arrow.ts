/**
 * Reads the first record batch of an Arrow file (https://arrow.apache.org/docs/format/Columnar.html), as far as Minari
 * writes such files: numbers, booleans, texts, bytes, lists and structures, without dictionaries and compression.
 */

import { type Column, Damaged } from "./Column.ts"
import { Table } from "./FlatBuffers.ts"

const MAGIC = "ARROW1"
const MAX_DEPTH = 16

/** The columns of a file by name. Throws `Damaged` for anything else. */
export const columns = (bytes: Buffer): ReadonlyMap<string, Column> => {
  const tail = bytes.length - 10
  if (tail < 8 || bytes.toString("latin1", 0, 6) !== MAGIC || bytes.toString("latin1", tail + 4) !== MAGIC)
    throw new Damaged("bytes that are no whole Arrow file")
  const footer = Table.root(viewOf(bytes, tail - bytes.readInt32LE(tail), tail))
  const schema = footer.table(1)
  const blocks = footer.longs(3, 3)
  const [block] = blocks
  if (schema === undefined || block === undefined) throw new Damaged("an Arrow file without a record batch")
  if (blocks.length > 1) throw new Damaged(`an Arrow file with ${blocks.length} record batches, where Minari reads one`)
  if (schema.short(0) !== 0) throw new Damaged("an Arrow file of a big-endian machine")
  const [offset = 0, lengths = 0, body = 0] = block
  // The second field is a length of 32 bits and padding.
  const metadata = lengths % 2 ** 32
  const start = bytes.length >= offset + 8 && bytes.readUInt32LE(offset) === 0xffffffff ? 8 : 4
  const message = Table.root(viewOf(bytes, offset + start, offset + metadata))
  const batch = message.table(2)
  if (message.byte(1) !== 3 || batch === undefined) throw new Damaged("a message that is no record batch")
  if (batch.table(3) !== undefined) throw new Damaged("compressed buffers, which Minari does not write")
  const content = slice(bytes, offset + metadata, body)
  const reader = new BatchReader(content, batch)
  const rows = batch.long(0)
  return new Map(schema.tables(1).map((field) => [field.text(0), reader.column(field, rows, 1)]))
}

const viewOf = (bytes: Buffer, from: number, to: number): DataView => {
  const part = slice(bytes, from, to - from)
  return new DataView(part.buffer, part.byteOffset, part.length)
}

const slice = (bytes: Buffer, from: number, length: number): Buffer => {
  if (from < 0 || length < 0 || from + length > bytes.length) throw new Damaged("an offset out of the file")
  return bytes.subarray(from, from + length)
}

/** Arrow's number of each type. */
const TYPE = {
  ...{ null: 1, int: 2, float: 3, binary: 4, text: 5, bool: 6 },
  ...{ list: 12, struct: 13, fixedList: 16, largeBinary: 19, largeText: 20, largeList: 21 },
} as const

class BatchReader {
  readonly #body: Buffer
  readonly #nodes: Iterator<ReadonlyArray<number>>
  readonly #buffers: Iterator<ReadonlyArray<number>>

  constructor(body: Buffer, batch: Table) {
    this.#body = body
    this.#nodes = batch.longs(1, 2)[Symbol.iterator]()
    this.#buffers = batch.longs(2, 2)[Symbol.iterator]()
  }

  column(field: Table, rows: number, depth: number): Column {
    if (depth > MAX_DEPTH) throw new Damaged(`a column of more than ${MAX_DEPTH} levels`)
    const node = this.#nodes.next()
    if (node.done === true || node.value[0] !== rows) throw new Damaged(`a column without ${rows} rows`)
    if (field.table(4) !== undefined) throw new Damaged("a column with a dictionary, which Minari does not write")
    const type = field.byte(2)
    if (type === TYPE.null) return valued(rows, () => null)
    const valid = this.#validity(rows)
    const about = field.table(3)
    const child = (length: number): Column => {
      const [only] = field.tables(5)
      if (only === undefined) throw new Damaged("a list without the type of its items")
      return this.column(only, length, depth + 1)
    }
    switch (type) {
      case TYPE.int:
        return this.#numbers(rows, valid, integersOf(about?.int(0) ?? 0, about?.byte(1) === 1))
      case TYPE.float:
        return this.#numbers(rows, valid, floatsOf(about?.short(0) ?? 0))
      case TYPE.bool: {
        const bits = this.#buffer(Math.ceil(rows / 8))
        return valued(rows, (row) => (valid(row) ? isSet(bits, row) : null))
      }
      case TYPE.text:
      case TYPE.largeText:
      case TYPE.binary:
      case TYPE.largeBinary:
        return this.#texts(rows, valid, type === TYPE.largeText || type === TYPE.largeBinary)
      case TYPE.list:
      case TYPE.largeList: {
        const ends = this.#offsets(rows, type === TYPE.largeList)
        const items = child(ends.at(-1) ?? 0)
        return valued(rows, (row) => (valid(row) ? items.read(ends[row] ?? 0, ends[row + 1] ?? 0) : null))
      }
      case TYPE.fixedList: {
        const size = about?.int(0) ?? 0
        if (size < 0) throw new Damaged("a list of less than no items")
        const items = child(rows * size)
        return valued(rows, (row) => (valid(row) ? items.read(row * size, (row + 1) * size) : null))
      }
      case TYPE.struct: {
        const parts = new Map(field.tables(5).map((part) => [part.text(0), this.column(part, rows, depth + 1)]))
        return { rows, parts, read: () => [] }
      }
      default:
        throw new Damaged(`a column of Arrow's type ${type}, which Minari does not write`)
    }
  }

  /** The next buffer, which must have at least this many bytes. */
  #buffer(least: number): Buffer {
    const next = this.#buffers.next()
    if (next.done === true) throw new Damaged("a column without its buffer")
    const [offset = 0, length = 0] = next.value
    if (length < least) throw new Damaged(`a buffer of ${length} bytes, where its rows need ${least}`)
    return slice(this.#body, offset, length)
  }

  #validity(rows: number): (row: number) => boolean {
    const bits = this.#buffer(0)
    if (bits.length === 0) return () => true
    if (bits.length < Math.ceil(rows / 8)) throw new Damaged("a column whose validity is cut off")
    return (row) => isSet(bits, row)
  }

  #numbers(rows: number, valid: (row: number) => boolean, { size, at }: Numbers): Column {
    const bytes = this.#buffer(rows * size)
    return valued(rows, (row) => (valid(row) ? at(bytes, row * size) : null))
  }

  #offsets(rows: number, isLarge: boolean): ReadonlyArray<number> {
    const size = isLarge ? 8 : 4
    const bytes = this.#buffer(rows === 0 ? 0 : (rows + 1) * size)
    let before = 0
    return Array.from({ length: bytes.length === 0 ? 1 : rows + 1 }, (_, row) => {
      if (bytes.length === 0) return 0
      const end = isLarge ? Number(bytes.readBigInt64LE(row * size)) : bytes.readInt32LE(row * size)
      if (end < before) throw new Damaged("offsets that go back")
      before = end
      return end
    })
  }

  #texts(rows: number, valid: (row: number) => boolean, isLarge: boolean): Column {
    const ends = this.#offsets(rows, isLarge)
    const bytes = this.#buffer(ends.at(-1) ?? 0)
    return valued(rows, (row) => (valid(row) ? bytes.toString("utf8", ends[row] ?? 0, ends[row + 1] ?? 0) : null))
  }
}

const isSet = (bits: Buffer, row: number): boolean => (((bits[row >> 3] ?? 0) >> (row & 7)) & 1) === 1

const valued = (rows: number, at: (row: number) => unknown): Column => ({
  rows,
  parts: undefined,
  read: (from, to) => Array.from({ length: to - from }, (_, index) => at(from + index)),
})

interface Numbers {
  readonly size: number
  readonly at: (bytes: Buffer, offset: number) => number | bigint
}

const integersOf = (bits: number, isSigned: boolean): Numbers => {
  const size = bits / 8
  switch (bits) {
    case 8:
      return { size, at: (bytes, at) => (isSigned ? bytes.readInt8(at) : bytes.readUInt8(at)) }
    case 16:
      return { size, at: (bytes, at) => (isSigned ? bytes.readInt16LE(at) : bytes.readUInt16LE(at)) }
    case 32:
      return { size, at: (bytes, at) => (isSigned ? bytes.readInt32LE(at) : bytes.readUInt32LE(at)) }
    case 64:
      return { size, at: (bytes, at) => (isSigned ? bytes.readBigInt64LE(at) : bytes.readBigUInt64LE(at)) }
    default:
      throw new Damaged(`integers of ${bits} bits`)
  }
}

/** By Arrow's precision: half, single or double. */
const floatsOf = (precision: number): Numbers => {
  if (precision === 2) return { size: 8, at: (bytes, at) => bytes.readDoubleLE(at) }
  if (precision === 1) return { size: 4, at: (bytes, at) => bytes.readFloatLE(at) }
  return { size: 2, at: (bytes, at) => halfOf(bytes.readUInt16LE(at)) }
}

/** A number of half precision (IEEE 754 binary16). */
const halfOf = (bits: number): number => {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023]
  const magnitude =
    exponent === 31
      ? fraction === 0
        ? Number.POSITIVE_INFINITY
        : Number.NaN
      : exponent === 0
        ? fraction * 2 ** -24
        : (1 + fraction / 1024) * 2 ** (exponent - 15)
  return bits >> 15 === 1 ? -magnitude : magnitude
}
