/** Reads a Parquet file of an episode whole, with limits on what its pages may become. */

import * as zlib from "node:zlib"
import {
  type AsyncBuffer,
  type Compressors,
  parquetMetadataAsync,
  parquetReadObjects,
  snappyUncompress,
} from "hyparquet"
import { type Column, Damaged } from "./Column.ts"

/** Maximum size of a page after decompression, in bytes. */
const MAX_PAGE_BYTES = 256 * 1024 * 1024

/** Maximum number of values in a column of a file: lists of equal values take no space in Parquet. */
const MAX_VALUES = 64 * 1024 * 1024

/** The columns of a file by name. Rejects with `Damaged` for anything else. */
export const columns = async (bytes: Buffer, maxRows: number): Promise<ReadonlyMap<string, Column>> => {
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
  try {
    const metadata = await parquetMetadataAsync(file)
    const rows = Number(metadata.num_rows)
    if (rows > maxRows) throw new Damaged(`${rows} rows, where an episode has at most ${maxRows}`)
    const names = new Set(metadata.schema.map(({ name }) => name))
    for (const { columns } of metadata.row_groups)
      for (const { meta_data } of columns) {
        // Nobody would await such a column, and its failure would end the process.
        if (meta_data?.path_in_schema.some((name) => !names.has(name)) === true)
          throw new Damaged("a column that its schema lacks")
        if (Number(meta_data?.num_values ?? 0) > MAX_VALUES)
          throw new Damaged(`a column of ${meta_data?.num_values} values, where ${MAX_VALUES} are the most`)
      }
    const objects = await readFrom(file, (patient) =>
      parquetReadObjects({ file: patient, metadata, compressors: COMPRESSORS, utf8: true }),
    )
    if (objects.length !== rows) throw new Damaged(`${objects.length} rows, where its metadata states ${rows}`)
    return partsOf(objects)
  } catch (cause) {
    if (cause instanceof Damaged) throw cause
    throw new Damaged(`a file that is no Parquet: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

/**
 * Reads columns once all of them are planned. If the plan fails, the columns planned before it are never read: nobody
 * would await them, and a failure of one would end the process.
 */
const readFrom = async <A>(file: ArrayBuffer, read: (patient: AsyncBuffer) => Promise<A>): Promise<A> => {
  let hasFailed = false
  const patient: AsyncBuffer = {
    byteLength: file.byteLength,
    slice: async (start, end) => {
      await new Promise(setImmediate)
      return hasFailed ? new Promise<never>(() => {}) : file.slice(start, end)
    },
  }
  try {
    return await read(patient)
  } catch (cause) {
    hasFailed = true
    throw cause
  }
}

const checked = (length: number): number => {
  if (length > MAX_PAGE_BYTES) throw new Damaged(`a page of ${length} bytes, where ${MAX_PAGE_BYTES} are the most`)
  return length
}

const COMPRESSORS: Compressors = {
  SNAPPY: (input, length) => {
    const output = new Uint8Array(checked(length))
    snappyUncompress(input, output)
    return output
  },
  GZIP: (input, length) => zlib.gunzipSync(input, { maxOutputLength: Math.max(1, checked(length)) }),
}

type Row = Readonly<Record<string, unknown>>

const partsOf = (rows: ReadonlyArray<Row>): ReadonlyMap<string, Column> => {
  const [first] = rows
  return new Map(Object.keys(first ?? {}).map((name) => [name, columnOf(rows.map((row) => row[name]))]))
}

/** A column from its values: objects make a structure. */
const columnOf = (values: ReadonlyArray<unknown>): Column => {
  const sample = values.find((value) => value !== null && value !== undefined)
  const isStructure = typeof sample === "object" && !Array.isArray(sample) && !ArrayBuffer.isView(sample)
  return {
    rows: values.length,
    parts: isStructure ? partsOf(values.map((value) => (value ?? {}) as Row)) : undefined,
    read: (from, to) => values.slice(from, to),
  }
}
