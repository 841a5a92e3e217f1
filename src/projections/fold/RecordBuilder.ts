import * as SafeRecord from "../../values/SafeRecord.ts"
import { CHUNK_ENTRIES, type ChunkEntries, ChunkedRecord } from "./ChunkedRecord.ts"

/**
 * A record under way: copied at its first change and from then on changed in place, until it is given out. Whoever gets it
 * may keep it, for the next change is made to a copy again.
 */
export class RecordBuilder<Value> {
  #record: SafeRecord.Own<Value> | SafeRecord.SafeRecord<Value>
  #own: boolean
  #layout: Layout | undefined

  /** `own` says that nobody else has the record, so that it can be changed as it is. */
  constructor(record: SafeRecord.SafeRecord<Value>, own = false) {
    this.#record = record
    this.#own = own
  }

  /** The value under a key, or `undefined`. */
  get(key: string): Value | undefined {
    return SafeRecord.get(this.#record, key)
  }

  /** Puts a value under a key. */
  set(key: string, value: Value): void {
    if (Object.hasOwn(this.#record, key) && this.#record[key] === value) return
    SafeRecord.put(this.#owned(), key, value)
    this.#layout?.touch(key)
  }

  /** Takes a key out. */
  remove(key: string): void {
    if (!Object.hasOwn(this.#record, key)) return
    // Not deleted in place: V8 would keep the record as a hash table from then on, however small it is.
    this.#record = SafeRecord.remove(this.#record, key)
    this.#own = true
    // What came after it is in other places now.
    this.#layout = undefined
  }

  /** Changes the value under a key, where there is one. */
  change(key: string, how: (value: Value) => Value): void {
    const value = this.get(key)
    if (value !== undefined) this.set(key, how(value))
  }

  /** The record: the very same one as before where nothing has changed it. */
  record(): SafeRecord.SafeRecord<Value> {
    this.#own = false
    return this.#record
  }

  /** The same in pages, where it is wide. After the first time, that costs what has changed since. */
  paged(): SafeRecord.SafeRecord<Value> | ChunkedRecord {
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

/** Which entry is on which page, and which pages have changed since they were captured. */
class Layout {
  readonly #pageOf = new Map<string, number>()
  readonly #keys: Array<Array<string>> = []
  readonly #captured: Array<ChunkEntries | undefined> = []

  constructor(keys: ReadonlyArray<string>) {
    for (const key of keys) this.touch(key)
  }

  get size(): number {
    return this.#pageOf.size
  }

  /** Notes that the value under a key is another one; a key that is new gets the next place. */
  touch(key: string): void {
    const page = this.#pageOf.get(key) ?? this.#place(key)
    this.#captured[page] = undefined
  }

  #place(key: string): number {
    const page = Math.floor(this.#pageOf.size / CHUNK_ENTRIES)
    this.#pageOf.set(key, page)
    const keys = this.#keys[page]
    if (keys === undefined) this.#keys.push([key])
    else keys.push(key)
    return page
  }

  capture(record: SafeRecord.SafeRecord<unknown>): ChunkedRecord {
    return new ChunkedRecord(
      this.#keys.map((keys, page) => {
        const entries = this.#captured[page] ?? { keys: [...keys], values: keys.map((key) => record[key]) }
        this.#captured[page] = entries
        return entries
      }),
    )
  }
}
