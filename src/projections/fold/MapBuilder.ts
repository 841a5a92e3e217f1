import * as SafeRecord from "../../values/SafeRecord.ts"

/**
 * A small record under way whose keys come and go, such as commands by their ids. What it holds is kept in a map and
 * becomes a record where it is given out: V8 makes a hidden class for each key that an object has ever had and keeps it,
 * which over 100,000 commands was more memory than the state they were in.
 */
export class MapBuilder<Value> {
  #record: SafeRecord.SafeRecord<Value>
  /** Present where it has changed since the record was given out. */
  #changed: Map<string, Value> | undefined

  constructor(record: SafeRecord.SafeRecord<Value>) {
    this.#record = record
  }

  /** The value under a key, or `undefined`. */
  get(key: string): Value | undefined {
    return this.#changed === undefined ? SafeRecord.get(this.#record, key) : this.#changed.get(key)
  }

  /** Puts a value under a key. */
  set(key: string, value: Value): void {
    if (this.get(key) !== value) this.#change().set(key, value)
  }

  /** Takes a key out. */
  remove(key: string): void {
    if (this.get(key) !== undefined) this.#change().delete(key)
  }

  /** The record: the very same one as before where nothing has changed it. */
  record(): SafeRecord.SafeRecord<Value> {
    if (this.#changed !== undefined) {
      const record: SafeRecord.Own<Value> = {}
      for (const [key, value] of this.#changed) SafeRecord.put(record, key, value)
      this.#record = record
      this.#changed = undefined
    }
    return this.#record
  }

  #change(): Map<string, Value> {
    this.#changed ??= new Map(Object.entries(this.#record))
    return this.#changed
  }
}
