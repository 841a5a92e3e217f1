/** Keys for records without ids. */

import { IdSet, idOf } from "./EventIds.ts"
import { logJson } from "./Untrusted.ts"

/** An id from a record's content; equal records have equal ids. */
export const contentIdOf = (record: unknown): string => idOf(JSON.stringify(logJson(record).json))

/**
 * Keys records by content rather than position, so that they are recognized after their file was rotated, cut or
 * restarted.
 */
export class RecordKeys {
  readonly #seen = new IdSet()
  /** Number of occurrences of records that came more than once. */
  readonly #times = new Map<string, number>()

  /** The next record's key; a repeated record gets its own. */
  of(record: unknown): string {
    const id = contentIdOf(record)
    if (this.#seen.add(id)) return id
    const times = (this.#times.get(id) ?? 1) + 1
    this.#times.set(id, times)
    return `${id}#${times}`
  }

  /** The next record's key; undefined for a repeated record. */
  ofNew(record: unknown): string | undefined {
    const id = contentIdOf(record)
    return this.#seen.add(id) ? id : undefined
  }
}
