/** A builder for wide records: a copy-on-write record that a fold mutates between two snapshots. */

import * as SafeRecord from "../../values/SafeRecord.ts"
import { CHUNK_ENTRIES, type ChunkEntries, ChunkedRecord } from "./ChunkedRecord.ts"

/**
 * A mutable record. The first change copies it, and later ones mutate the copy until `record` returns it. The receiver
 * may keep that record, because the next change copies it again.
 */
export class RecordBuilder<Value> {
  #record: SafeRecord.Own<Value> | SafeRecord.SafeRecord<Value>
  #own: boolean
  #layout: Layout | undefined

  /** With `own`, the caller hands the record over, and it is mutated without a copy. */
  constructor(record: SafeRecord.SafeRecord<Value>, own = false) {
    this.#record = record
    this.#own = own
  }

  get(key: string): Value | undefined {
    return SafeRecord.get(this.#record, key)
  }

  set(key: string, value: Value): void {
    if (Object.hasOwn(this.#record, key) && this.#record[key] === value) return
    SafeRecord.put(this.#owned(), key, value)
    this.#layout?.touch(key)
  }

  remove(key: string): void {
    if (!Object.hasOwn(this.#record, key)) return
    // Not deleted in place: V8 would keep the record as a hash table from then on, however small it is.
    this.#record = SafeRecord.remove(this.#record, key)
    this.#own = true
    // The entries after it have moved.
    this.#layout = undefined
  }

  /** Changes the value under a key, if there is one. */
  change(key: string, how: (value: Value) => Value): void {
    const value = this.get(key)
    if (value !== undefined) this.set(key, how(value))
  }

  /** The record; the identical object if nothing has changed. */
  record(): SafeRecord.SafeRecord<Value> {
    this.#own = false
    return this.#record
  }

  /** The record in chunks, if it is wide. After the first call, it costs only the changes since the last one. */
  chunked(): SafeRecord.SafeRecord<Value> | ChunkedRecord {
    this.#layout ??= new Layout(Object.keys(this.#record))
    return this.#layout.size > CHUNK_ENTRIES ? this.#layout.capture(this.#record) : this.record()
  }

  #owned(): SafeRecord.Own<Value> {
    if (this.#own) return this.#record
    const copy = SafeRecord.copy(this.#record)
    this.#record = copy
    this.#own = true
    return copy
  }
}

/** Maps each key to its chunk, and tracks the chunks that have changed since they were captured. */
class Layout {
  readonly #chunkOf = new Map<string, number>()
  readonly #keys: Array<Array<string>> = []
  readonly #captured: Array<ChunkEntries | undefined> = []

  constructor(keys: ReadonlyArray<string>) {
    for (const key of keys) this.touch(key)
  }

  get size(): number {
    return this.#chunkOf.size
  }

  /** Marks the value under a key as changed. Appends a new key. */
  touch(key: string): void {
    const chunk = this.#chunkOf.get(key) ?? this.#append(key)
    this.#captured[chunk] = undefined
  }

  #append(key: string): number {
    const chunk = Math.floor(this.#chunkOf.size / CHUNK_ENTRIES)
    this.#chunkOf.set(key, chunk)
    const keys = this.#keys[chunk]
    if (keys === undefined) this.#keys.push([key])
    else keys.push(key)
    return chunk
  }

  capture(record: SafeRecord.SafeRecord<unknown>): ChunkedRecord {
    return new ChunkedRecord(
      this.#keys.map((keys, chunk) => {
        const entries = this.#captured[chunk] ?? { keys: [...keys], values: keys.map((key) => record[key]) }
        this.#captured[chunk] = entries
        return entries
      }),
    )
  }
}
