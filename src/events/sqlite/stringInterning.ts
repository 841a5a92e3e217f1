/** Interns the names of a log: streams, tasks, types and actors are stored once, and rows refer to them by number. */

import { LogCorrupt } from "../log/EventLog.ts"
import type { LogDatabase } from "./file/database.ts"

/**
 * The interned names of a log. Names are only added, so that cached ones stay valid. Recently used names are kept in
 * memory, others are read when needed: a log has two names for each task and each confirmation, so that loading all of
 * them would take longer and longer.
 */
export interface Names {
  /** The text of an id; undefined if the file does not have the id. */
  readonly text: (id: number) => string | undefined
  /** Reads the texts of those ids that are not in memory, all of them by one query. What is no id is passed over. */
  readonly load: (ids: ReadonlyArray<unknown>) => void
  /** The id of a text; undefined if the file does not have the text. */
  readonly id: (text: string) => number | undefined
  /**
   * The id of a text, which is added if the file does not have it. A name without events does no harm.
   *
   * @param adding called before a name is added: whoever begins a transaction calls `forget` if it is rolled back
   */
  readonly intern: (text: string, adding?: () => void) => number
  /** Reads all names anew: some that were added may not be in the file, because their transaction was rolled back. */
  readonly forget: () => void
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
    // One is read as quickly when it is asked for.
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
    const why =
      beyond === undefined ? "a trigger that is not Hindcast's left it out" : "another has a number beyond 2^53"
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
  }
}

/** Numbers beyond 2^53 are not exact, and are no ids. */
const isId = (value: unknown): value is number => Number.isSafeInteger(value)

const LOAD = "SELECT id, text FROM names WHERE id IN (SELECT value FROM json_each(?))"

/**
 * SQLite assigns the number after the highest. None is added beyond 2^53, where numbers are not exact: rows with such a
 * name would be read as having another.
 */
const ADD = `INSERT INTO names (text) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM names WHERE id >= 9007199254740991)
  ON CONFLICT (text) DO NOTHING RETURNING id`

/** Size of one generation of the cache. The cache holds at most two. */
const MAX_RECENT = 16_384

/** A cache of recently used entries, in two generations. When the younger one is full, the older one is dropped. */
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
