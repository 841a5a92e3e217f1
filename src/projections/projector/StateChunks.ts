import { type Option, Schema } from "effect"
import { pointerKeys, pointerToken } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { CHUNK_ENTRIES, type ChunkEntries, ChunkedRecord } from "../fold/ChunkedRecord.ts"

/**
 * States are stored in pieces, so that what many of them have in common is stored once. A state is cut at its *wide*
 * records, those of many keys, such as the record of all tasks: each is taken out and dealt into *pages* of successive
 * entries. Where a record grows at its end and its older entries rest, nearly all pages of one state are pages of the next.
 */
export interface StateChunks {
  /** The state with null where a wide record was. */
  readonly skeleton: unknown
  readonly wide: ReadonlyArray<Wide>
}

/** A record that was taken out of a state. */
export interface Wide {
  /** Where it stood: a JSON Pointer (RFC 6901). */
  readonly path: string
  readonly pages: ReadonlyArray<ChunkEntries>
}

/** Entries that have a name: the SHA-256 of what is stored of them. */
export interface StateChunk extends ChunkEntries {
  readonly digest: string
}

/**
 * Takes a state's wide records out of it; those that a fold gives as `ChunkedRecord` are dealt already. Those inside a list or
 * inside another wide record stay where they are.
 */
export const split = (state: unknown): StateChunks => {
  const wide: Array<Wide> = []
  const skeleton = cutInside(state, "", wide)
  return { skeleton, wide }
}

const cutInside = (value: unknown, path: string, wide: Array<Wide>): unknown => {
  if (value instanceof ChunkedRecord) {
    wide.push({ path, pages: value.pages })
    return null
  }
  if (!isRecord(value)) return value
  const keys = Object.keys(value)
  if (keys.length > CHUNK_ENTRIES) {
    wide.push({ path, pages: dealt(value, keys) })
    return null
  }
  let left = value
  for (const key of keys) left = SafeRecord.set(left, key, cutInside(value[key], `${path}/${pointerToken(key)}`, wide))
  return left
}

const dealt = (record: SafeRecord.SafeRecord<unknown>, keys: ReadonlyArray<string>): ReadonlyArray<ChunkEntries> => {
  const pages: Array<ChunkEntries> = []
  for (let start = 0; start < keys.length; start += CHUNK_ENTRIES) {
    const own = keys.slice(start, start + CHUNK_ENTRIES)
    pages.push({ keys: own, values: own.map((key) => record[key]) })
  }
  return pages
}

/** Whether both hold the very same values under the same keys. */
export const isSame = (a: ChunkEntries, b: ChunkEntries): boolean =>
  a.keys.length === b.keys.length &&
  a.keys.every((key, index) => key === b.keys[index] && a.values[index] === b.values[index])

/**
 * The text of entries: JSON. Keys are a list in it, as an object would have V8 make a hidden class for each of them, both
 * in writing and in reading, and keep them all.
 */
export const textOf = ({ keys, values }: ChunkEntries): string => JSON.stringify({ keys, values })

/** The entries of a text, which this module has written. */
export const entriesOf = (text: string): ChunkEntries => JSON.parse(text)

const Root = Schema.parseJson(
  Schema.Struct({
    skeleton: Schema.Unknown,
    wide: Schema.Array(Schema.Struct({ path: Schema.String, pages: Schema.Array(Schema.String) })),
  }),
)

/** What stands for a whole state: the skeleton, and for each wide record the digests of its pages. */
export type Root = typeof Root.Type

/** The root of a text. */
export const rootOf: (text: string) => Option.Option<Root> = Schema.decodeOption(Root)

/** The state of a skeleton, with its wide records put back. They are the caller's own; what is in them may be shared. */
export const join = (
  skeleton: unknown,
  wide: Iterable<{ readonly path: string; readonly pages: ReadonlyArray<ChunkEntries> }>,
): unknown => {
  let state = skeleton
  for (const { path, pages } of wide) state = put(state, pointerKeys(path), recordOf(pages))
  return state
}

const put = (value: unknown, [key, ...below]: ReadonlyArray<string>, record: unknown): unknown => {
  if (key === undefined) return record
  return isRecord(value) ? { ...value, [key]: put(value[key], below, record) } : value
}

/** A record of the caller's own. */
const recordOf = (pages: ReadonlyArray<ChunkEntries>): SafeRecord.Own<unknown> => {
  const record: SafeRecord.Own<unknown> = {}
  for (const { keys, values } of pages) {
    for (let index = 0; index < keys.length; index++) SafeRecord.put(record, keys[index] ?? "", values[index])
  }
  return record
}

const isRecord = (value: unknown): value is SafeRecord.SafeRecord<unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
