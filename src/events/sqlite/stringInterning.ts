import { LogCorrupt } from "../log/EventLog.ts"
import type { LogDatabase } from "./file/database.ts"

/**
 * The interned names of a log. They are only ever added, so that what was read once stays true: those in use are kept in
 * memory, and the file is asked for the others as they are met. A log has two of each task and of each question to people,
 * so to load them all would take longer the longer it has been in use.
 */
export interface Names {
  /** The text of an id; undefined where the file does not know it. */
  readonly text: (id: number) => string | undefined
  /** The id of a text; undefined where the file does not have it. */
  readonly id: (text: string) => number | undefined
  /** The id of a text, which is added where the file does not have it. A name without an event does no harm. */
  readonly intern: (text: string) => number
}

export const make = (database: LogDatabase): Names => {
  const texts = new Recent<number, string>()
  const ids = new Recent<string, number>()

  const text = (id: number) => {
    const known = texts.get(id)
    if (known !== undefined) return known
    const [row] = database.rows("SELECT text FROM names WHERE id = ?", [id])
    return row === undefined ? undefined : texts.keep(id, String(row[0]))
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
    // There is no row where another process has added it in between.
    const added = row === undefined ? id(text) : ids.keep(text, Number(row[0]))
    if (added !== undefined) return added
    const [beyond] = database.rows("SELECT 1 FROM names WHERE id >= 9007199254740991")
    const why =
      beyond === undefined ? "a trigger that is not Hindcast's left it out" : "another has a number beyond 2^53"
    throw corrupt(`SQLite did not store the name ${JSON.stringify(text)}: ${why}`)
  }

  return { text, id, intern: (text) => id(text) ?? add(text) }
}

/**
 * SQLite gives a name the number after the highest. None is added where that would be one that JavaScript does not tell from the next:
 * rows that use it would be read as others.
 */
const ADD = `INSERT INTO names (text) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM names WHERE id >= 9007199254740991)
  ON CONFLICT (text) DO NOTHING RETURNING id`

/** Most names that were used lately and are kept for sure; at most twice as many are kept. */
const MAX_RECENT = 16_384

/** What was used lately. When there is too much of it, what was not used since the last time goes. */
class Recent<Key, Value> {
  #recent = new Map<Key, Value>()
  #before = new Map<Key, Value>()

  get(key: Key): Value | undefined {
    const known = this.#recent.get(key)
    if (known !== undefined) return known
    const older = this.#before.get(key)
    return older === undefined ? undefined : this.keep(key, older)
  }

  keep(key: Key, value: Value): Value {
    if (this.#recent.size >= MAX_RECENT) {
      this.#before = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, value)
    return value
  }
}
