/** The Parquet encoder for table rows, one row group at a time. */

import * as zlib from "node:zlib"
import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from "hyparquet-writer"
import type { Encoder } from "./Encoder.ts"

type Values<Item> =
  | { readonly holds: "integer"; readonly of: (item: Item) => number | null }
  | { readonly holds: "number"; readonly of: (item: Item) => number | null }
  /** Milliseconds since the Unix epoch, written as a UTC timestamp. */
  | { readonly holds: "moment"; readonly of: (item: Item) => number | null }
  | { readonly holds: "boolean"; readonly of: (item: Item) => boolean | null }
  | { readonly holds: "text"; readonly of: (item: Item) => string | null }

export type Column<Item> = Values<Item> & {
  readonly name: string
  /** Whether values may be null. Default: false. */
  readonly optional?: boolean
  /**
   * The encoding: `few` distinct values use a dictionary, `rising` ones are written as differences (delta). Default:
   * `any`.
   */
  readonly values?: "any" | "few" | "rising"
  /** Whether each row group states the column's minimum and maximum, so that readers can skip it. Default: true. */
  readonly bounds?: boolean
}

export interface ParquetOptions<Item> {
  readonly columns: ReadonlyArray<Column<Item>>
  /** The approximate size of an item in bytes, if some are large. Default: 0. */
  readonly weigh?: (item: Item) => number
}

/** A row group stays in memory until it is written, at this number of rows or this weight in bytes. */
const ROWS_PER_GROUP = 32_768
const WEIGHT_PER_GROUP = 8 * 1024 * 1024

/**
 * The fastest level, whose files are 8 % larger than the default level's. GZIP uses native zlib; Snappy would run in
 * JavaScript, and slower.
 */
const COMPRESSION_LEVEL = 1

/**
 * Encodes items as rows of a Parquet file (https://parquet.apache.org/docs/file-format), one row group after another.
 *
 * @param about the file's key-value metadata
 */
export const encoder = <Item>(
  { columns, weigh = () => 0 }: ParquetOptions<Item>,
  about: Readonly<Record<string, string>> = {},
): Encoder<Item> => {
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [{ name: "root", num_children: columns.length }, ...columns.map(elementOf)],
    codec: "GZIP",
    compressors: { GZIP: (input) => zlib.gzipSync(input, { level: COMPRESSION_LEVEL }) },
    kvMetadata: Object.entries(about).map(([key, value]) => ({ key, value })),
    createdBy: "hindcast",
  })
  const collectors = columns.map((column) => collectorOf(column))
  let rows = 0
  let weight = 0

  /** The bytes written since the last call, copied because the writer reuses its buffer. */
  const takeBytes = () => {
    const chunk = bytes.getBytes().slice()
    bytes.index = 0
    return chunk
  }
  const writeGroup = () => {
    const columnData = columns.map((column, index) => sourceOf(column, collectors[index]?.take() ?? []))
    writer.write({ columnData, rowGroupSize: rows })
    rows = 0
    weight = 0
  }
  return {
    add: (page) => {
      for (const item of page) {
        for (const column of collectors) column.add(item)
        rows += 1
        weight += weigh(item)
        if (rows >= ROWS_PER_GROUP || weight >= WEIGHT_PER_GROUP) writeGroup()
      }
      return takeBytes()
    },
    end: () => {
      if (rows > 0) writeGroup()
      writer.finish()
      return takeBytes()
    },
  }
}

const elementOf = <Item>({ name, holds, optional = false }: Column<Item>): SchemaElement => ({
  name,
  repetition_type: optional ? "OPTIONAL" : "REQUIRED",
  ...ELEMENTS[holds],
})

const ELEMENTS = {
  integer: { type: "INT64" },
  number: { type: "DOUBLE" },
  boolean: { type: "BOOLEAN" },
  text: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  moment: { type: "INT64", logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" } },
} as const satisfies Record<string, Partial<SchemaElement>>

const sourceOf = <Item>(column: Column<Item>, data: Array<unknown>): ColumnSource => ({
  name: column.name,
  data,
  statistics: column.bounds ?? true,
  ...(column.values === "few" ? { encoding: "RLE_DICTIONARY" } : {}),
  ...(column.values === "rising" ? { encoding: "DELTA_BINARY_PACKED" } : {}),
  ...(isLongText(column) ? { encoding: "PLAIN" } : {}),
})

interface ColumnCollector<Item> {
  readonly add: (item: Item) => void
  /** The collected values, valid until the next `add`. */
  readonly take: () => Array<unknown>
}

const collectorOf = <Item>(column: Column<Item>): ColumnCollector<Item> => {
  if (isLongText(column)) return textCollector(column)
  let values: Array<unknown> = []
  const take = () => {
    const taken = values
    values = []
    return taken
  }
  if (column.holds !== "integer" && column.holds !== "moment") {
    return { add: (item) => values.push(column.of(item)), take }
  }
  const add = (item: Item) => {
    const value = column.of(item)
    values.push(value === null ? null : BigInt(value))
  }
  return { add, take }
}

type LongText<Item> = Column<Item> & { readonly holds: "text" }

/** Whether a text column has neither a dictionary nor bounds. */
const isLongText = <Item>(column: Column<Item>): column is LongText<Item> =>
  column.holds === "text" && column.values === undefined && column.bounds === false

/**
 * Encodes each text at once into a buffer that all row groups reuse. Keeping the strings and encoding them separately
 * takes twice the time and three times the memory.
 */
const textCollector = <Item>(column: LongText<Item>): ColumnCollector<Item> => {
  let memory = Buffer.allocUnsafe(TEXT_BYTES)
  let length = 0
  /** The end offset of each text; `NONE` for null. */
  let ends: Array<number> = []
  return {
    add: (item) => {
      const text = column.of(item)
      if (text === null) return ends.push(NONE)
      // A UTF-16 code unit takes at most three bytes in UTF-8.
      const most = length + 3 * text.length
      if (most > memory.length) {
        const larger = Buffer.allocUnsafe(Math.max(most, 2 * memory.length))
        memory.copy(larger, 0, 0, length)
        memory = larger
      }
      length += memory.write(text, length)
      return ends.push(length)
    },
    take: () => {
      let start = 0
      const taken = ends.map((end) => {
        if (end === NONE) return null
        const text = memory.subarray(start, end)
        start = end
        return text
      })
      ends = []
      length = 0
      return taken
    },
  }
}

const NONE = -1

/** Initial buffer size of a text column, in bytes. */
const TEXT_BYTES = 1024 * 1024
