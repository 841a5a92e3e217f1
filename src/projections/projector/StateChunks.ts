/** Splits a state into chunks for storage, so that entries which many states share are stored once. */

import { Option, Schema } from "effect"
import { pointerKeys, pointerToken } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { CHUNK_ENTRIES, type ChunkEntries, ChunkedRecord } from "../fold/ChunkedRecord.ts"

/**
 * A state split at its *wide* records: those with more than `CHUNK_ENTRIES` keys, such as the record of all tasks. Each
 * is taken out and divided into chunks of consecutive entries. If a record grows at its end and its older entries do
 * not change, consecutive states share nearly all chunks.
 */
export interface StateChunks {
  /** The state, with null in place of each wide record. */
  readonly skeleton: unknown
  readonly wide: ReadonlyArray<WideRecord>
}

export interface WideRecord {
  /** Its JSON Pointer (RFC 6901) in the state. */
  readonly path: string
  readonly chunks: ReadonlyArray<ChunkEntries>
}

/** Entries with their digest: the SHA-256 of the stored bytes. */
export interface StateChunk extends ChunkEntries {
  readonly digest: string
}

/** Splits a state. A `ChunkedRecord` is already divided. Records inside a list or another wide record stay in place. */
export const split = (state: unknown): StateChunks => {
  const wide: Array<WideRecord> = []
  const skeleton = splitInside(state, "", wide)
  return { skeleton, wide }
}

const splitInside = (value: unknown, path: string, wide: Array<WideRecord>): unknown => {
  if (value instanceof ChunkedRecord) {
    wide.push({ path, chunks: value.chunks })
    return null
  }
  if (!isRecord(value)) return value
  const keys = Object.keys(value)
  if (keys.length > CHUNK_ENTRIES) {
    wide.push({ path, chunks: toChunks(value, keys) })
    return null
  }
  let left = value
  for (const key of keys)
    left = SafeRecord.set(left, key, splitInside(value[key], `${path}/${pointerToken(key)}`, wide))
  return left
}

const toChunks = (record: SafeRecord.SafeRecord<unknown>, keys: ReadonlyArray<string>): ReadonlyArray<ChunkEntries> => {
  const chunks: Array<ChunkEntries> = []
  for (let start = 0; start < keys.length; start += CHUNK_ENTRIES) {
    const chunkKeys = keys.slice(start, start + CHUNK_ENTRIES)
    chunks.push({ keys: chunkKeys, values: chunkKeys.map((key) => record[key]) })
  }
  return chunks
}

/** Whether both hold identical values under the same keys. */
export const isSame = (a: ChunkEntries, b: ChunkEntries): boolean =>
  a.keys.length === b.keys.length &&
  a.keys.every((key, index) => key === b.keys[index] && a.values[index] === b.values[index])

/**
 * The JSON text of entries. Keys are a list: with an object, V8 would make and keep a hidden class for each key, both
 * when writing and when reading.
 */
export const textOf = ({ keys, values }: ChunkEntries): string => JSON.stringify({ keys, values })

export const entriesOf = (text: string): ChunkEntries => JSON.parse(text)

const Root = Schema.parseJson(
  Schema.Struct({
    skeleton: Schema.Unknown,
    wide: Schema.Array(Schema.Struct({ path: Schema.String, pages: Schema.Array(Schema.String) })),
  }),
)

/** The stored root of a state: the skeleton, and the digests of each wide record's chunks (stored as `pages`). */
export type Root = typeof Root.Type

export const rootOf: (text: string) => Option.Option<Root> = Schema.decodeOption(Root)

/** The root of one field of a state, such as a part of a combined state; none if there is no such field. */
export const fieldOf = ({ skeleton, wide }: Root, field: string): Option.Option<Root> => {
  if (!isRecord(skeleton) || !Object.hasOwn(skeleton, field)) return Option.none()
  const path = `/${pointerToken(field)}`
  return Option.some({
    skeleton: skeleton[field],
    wide: wide
      .filter((record) => record.path === path || record.path.startsWith(`${path}/`))
      .map((record) => ({ ...record, path: record.path.slice(path.length) })),
  })
}

/** Joins a skeleton and its wide records. The caller may change the records; their values may be shared. */
export const join = (
  skeleton: unknown,
  wide: Iterable<{ readonly path: string; readonly chunks: ReadonlyArray<ChunkEntries> }>,
): unknown => {
  let state = skeleton
  for (const { path, chunks } of wide) state = put(state, pointerKeys(path), recordOf(chunks))
  return state
}

const put = (value: unknown, [key, ...below]: ReadonlyArray<string>, record: unknown): unknown => {
  if (key === undefined) return record
  return isRecord(value) ? { ...value, [key]: put(value[key], below, record) } : value
}

const recordOf = (chunks: ReadonlyArray<ChunkEntries>): SafeRecord.Own<unknown> => {
  const record: SafeRecord.Own<unknown> = {}
  for (const { keys, values } of chunks) {
    for (let index = 0; index < keys.length; index++) SafeRecord.put(record, keys[index] ?? "", values[index])
  }
  return record
}

const isRecord = (value: unknown): value is SafeRecord.SafeRecord<unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
