/** Interns names of a log: streams, tasks, types and actors are stored once, and rows refer to them by number. */

import { LogCorrupt } from "../log/EventLog.ts"
import type { LogDatabase } from "./file/database.ts"
import * as NameHashes from "./nameHashes.ts"

/**
 * The interned names of a log. Names are only added, so cached ones stay valid. Only recently used names are in memory:
 * a log has two names per task and confirmation, so loading all would take longer and longer.
 */
export interface Names {
  /** The text of an id; undefined if the file lacks it. */
  readonly text: (id: number) => string | undefined
  /** Reads the texts of uncached ids in one query. Skips values that are no ids. */
  readonly load: (ids: ReadonlyArray<unknown>) => void
  /** The id of a text; undefined if the file lacks it. */
  readonly id: (text: string) => number | undefined
  /**
   * The id of a text, added if the file lacks it. A name without events does no harm.
   *
   * @param adding runs before a name is added: a caller that begins a transaction there calls `forget` after a rollback
   */
  readonly intern: (text: string, adding?: () => void) => number
  /** Empties the cache: after a rollback, added names may not be in the file. */
  readonly forget: () => void
  /** The hashes of all names, for queries of a part. */
  readonly hashes: NameHashes.NameHashes
}

export const make = (database: LogDatabase): Names => {
  let texts = new RecentCache<number, string>()
  let ids = new RecentCache<string, number>()

  const text = (id: number) => {
    const known = texts.get(id)
    if (known !== undefined) return known
    const [row] = database.rows("SELECT text FROM names WHERE id = ?", [id])
    return row === undefined ? undefined : texts.keep(id, String(row[0]))
  }

  const load = (wanted: ReadonlyArray<unknown>) => {
    const missing = new Set<number>()
    for (const id of wanted) if (isId(id) && texts.get(id) === undefined) missing.add(id)
    // A single name is read as quickly on demand.
    if (missing.size < 2) return
    for (const [id, text] of database.rows(LOAD, [JSON.stringify([...missing])])) texts.keep(Number(id), String(text))
  }

  const corrupt = (reason: string) => new LogCorrupt({ log: database.filename, position: null, reason })

  const id = (text: string) => {
    const known = ids.get(text)
    if (known !== undefined) return known
    const [row] = database.rows("SELECT id FROM names WHERE text = ?", [text])
    if (row === undefined) return undefined
    if (!Number.isSafeInteger(row[0])) throw corrupt(`the name ${JSON.stringify(text)} has a number beyond 2^53`)
    return ids.keep(text, Number(row[0]))
  }

  const add = (text: string) => {
    const [row] = database.rows(ADD, [text])
    // No row: another process added it meanwhile.
    const added = row === undefined ? id(text) : ids.keep(text, Number(row[0]))
    if (added !== undefined) return added
    const [beyond] = database.rows("SELECT 1 FROM names WHERE id >= 9007199254740991")
    const why = beyond === undefined ? "a trigger of another program skipped it" : "another has a number beyond 2^53"
    throw corrupt(`SQLite did not store the name ${JSON.stringify(text)}: ${why}`)
  }

  return {
    text,
    load,
    id,
    intern: (text, adding) => {
      const known = id(text)
      if (known !== undefined) return known
      adding?.()
      return add(text)
    },
    forget: () => {
      texts = new RecentCache()
      ids = new RecentCache()
    },
    hashes: NameHashes.make(database),
  }
}

/** Numbers beyond 2^53 are not exact, so they are no ids. */
const isId = (value: unknown): value is number => Number.isSafeInteger(value)

const LOAD = "SELECT id, text FROM names WHERE id IN (SELECT value FROM json_each(?))"

/**
 * SQLite assigns the number after the highest. Beyond 2^53 numbers are not exact, and rows would be read with another
 * name, so none is added there.
 */
const ADD = `INSERT INTO names (text) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM names WHERE id >= 9007199254740991)
  ON CONFLICT (text) DO NOTHING RETURNING id`

/** Size of one generation of the cache, which has at most two. */
const MAX_RECENT = 16_384

/** Two generations of recently used entries. A full younger one replaces the older one. */
class RecentCache<Key, Value> {
  #younger = new Map<Key, Value>()
  #older = new Map<Key, Value>()

  get(key: Key): Value | undefined {
    const known = this.#younger.get(key)
    if (known !== undefined) return known
    const found = this.#older.get(key)
    return found === undefined ? undefined : this.keep(key, found)
  }

  keep(key: Key, value: Value): Value {
    if (this.#younger.size >= MAX_RECENT) {
      this.#older = this.#younger
      this.#younger = new Map()
    }
    this.#younger.set(key, value)
    return value
  }
}
