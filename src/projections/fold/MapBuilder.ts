/** Builds small records whose keys come and go, without their cost in V8. */

import * as SafeRecord from "../../values/SafeRecord.ts"

/**
 * A small record under construction, such as commands by their ids. Its entries are in a map, and become a record only
 * in `record`: V8 keeps a hidden class for each key that an object has ever had, which over 100,000 commands took more
 * memory than the state.
 */
export class MapBuilder<Value> {
  #record: SafeRecord.SafeRecord<Value>
  /** Present if it has changed since the last `record`. */
  #changed: Map<string, Value> | undefined

  constructor(record: SafeRecord.SafeRecord<Value>) {
    this.#record = record
  }

  get(key: string): Value | undefined {
    return this.#changed === undefined ? SafeRecord.get(this.#record, key) : this.#changed.get(key)
  }

  set(key: string, value: Value): void {
    if (this.get(key) !== value) this.#change().set(key, value)
  }

  remove(key: string): void {
    if (this.get(key) !== undefined) this.#change().delete(key)
  }

  /** The record; the identical object if nothing has changed. */
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
