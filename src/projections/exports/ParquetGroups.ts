/**
 * Row groups of Parquet files. Each is encoded by itself, wherever it will be in a file, so that threads can do so at once; a file is
 * put together of them. What lies between them, and where each begins, is the file's.
 */

import * as zlib from "node:zlib"
import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from "hyparquet-writer"
import type { Encoder } from "./Encoder.ts"

/** The columns of a file, below its root. */
export type Schema = Array<SchemaElement>

/** A file's key-value metadata. */
export type About = Readonly<Record<string, string>>

/** An encoded row group: plain data that `structuredClone` copies. */
export interface Group {
  readonly bytes: Uint8Array
  readonly rows: bigint
  /** What the file's footer says of it. Places count from `ORIGIN`, at the group's first byte. */
  readonly described: ParquetWriter["row_groups"]
  /** The pages of each column. Its chunks are those of `described`. */
  readonly indexes: ParquetWriter["pendingIndexes"]
}

/** A file begins with four bytes that name the format; a group is encoded as if it were a file's first. */
const ORIGIN = 4

/**
 * The fastest level; files are 8 % larger than at the default level. GZIP uses native zlib, while Snappy would run in
 * JavaScript, and slower.
 */
const COMPRESSION_LEVEL = 1

const writerOf = (writer: ByteWriter, schema: Schema, about: About = {}) =>
  new ParquetWriter({
    writer,
    schema,
    codec: "GZIP",
    compressors: { GZIP: (input) => zlib.gzipSync(input, { level: COMPRESSION_LEVEL }) },
    kvMetadata: Object.entries(about).map(([key, value]) => ({ key, value })),
    createdBy: "hindcast",
  })

/** Encodes the values of columns, all of the same number, as a row group. */
export const encoder = (schema: Schema): ((columnData: Array<ColumnSource>) => Group) => {
  // One buffer for all: V8 collects those outside its heap late.
  const bytes = new ByteWriter()
  return (columnData) => {
    bytes.index = 0
    bytes.offset = 0
    const writer = writerOf(bytes, schema)
    writer.write({ columnData, rowGroupSize: columnData[0]?.data.length ?? 0 })
    return {
      bytes: bytes.getBytes().slice(ORIGIN),
      rows: writer.num_rows,
      described: writer.row_groups,
      indexes: writer.pendingIndexes,
    }
  }
}

/** Puts a file together of row groups, in their order. */
export interface GroupFile extends Encoder<Group> {
  readonly add: (groups: ReadonlyArray<Group>) => Uint8Array
  readonly end: () => Uint8Array
}

export const file = (schema: Schema, about: About): GroupFile => {
  const bytes = new ByteWriter()
  const writer = writerOf(bytes, schema, about)

  /** The bytes written since the last call, copied because the writer reuses its buffer. */
  const takeBytes = () => {
    const chunk = bytes.getBytes().slice()
    bytes.index = 0
    return chunk
  }
  return {
    add: (groups) => {
      for (const group of groups) {
        moveBy(group, BigInt(bytes.offset - ORIGIN))
        bytes.appendBytes(group.bytes)
        writer.row_groups.push(...group.described)
        writer.pendingIndexes.push(...group.indexes)
        writer.num_rows += group.rows
      }
      return takeBytes()
    },
    end: () => {
      writer.finish()
      return takeBytes()
    },
  }
}

/** Moves every place that is said of a group. */
const moveBy = ({ indexes }: Group, by: bigint): void => {
  for (const { chunk, offsetIndex } of indexes) {
    chunk.file_offset += by
    const { meta_data } = chunk
    if (meta_data !== undefined) {
      meta_data.data_page_offset += by
      if (meta_data.dictionary_page_offset !== undefined) meta_data.dictionary_page_offset += by
    }
    for (const page of offsetIndex?.page_locations ?? []) page.offset += by
  }
}
