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
  /** How often the records came that are equal to others. */
  readonly #times = new Map<string, number>()

  /** The key of the next record, and whether it is equal to one before. That has a key of its own, too. */
  of(record: unknown): { readonly key: string; readonly isAgain: boolean } {
    const id = contentIdOf(record)
    if (this.#seen.add(id)) return { key: id, isAgain: false }
    const times = (this.#times.get(id) ?? 1) + 1
    this.#times.set(id, times)
    return { key: `${id}#${times}`, isAgain: true }
  }
}
