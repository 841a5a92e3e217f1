/** Keys of records that have no ids of their own. */

import { IdSet, idOf } from "./EventIds.ts"
import { logJson } from "./Untrusted.ts"

/** What a record is known by: the same for records that are equal. */
export const contentIdOf = (record: unknown): string => idOf(JSON.stringify(logJson(record).json))

/**
 * Names the records of a run by what is in them, and not by their places: so they are known again where their file was
 * rotated, or cut off and begun anew.
 */
export class RecordKeys {
  readonly #seen = new IdSet()
  /** How often the records came that are equal to others, and are kept. */
  readonly #times = new Map<string, number>()

  /** The key of the next record. One that is equal to one before has a key of its own, too. */
  of(record: unknown): string {
    const id = contentIdOf(record)
    if (this.#seen.add(id)) return id
    const times = (this.#times.get(id) ?? 1) + 1
    this.#times.set(id, times)
    return `${id}#${times}`
  }

  /** The key of the next record; undefined if it is equal to one before. */
  ofNew(record: unknown): string | undefined {
    const id = contentIdOf(record)
    return this.#seen.add(id) ? id : undefined
  }
}
