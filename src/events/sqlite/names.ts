import type { LogDatabase } from "./database.ts"

/**
 * The interned names of a log, kept in memory: names are only ever added, so what was loaded stays true, and what is
 * missing is loaded when it is first met.
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
  const texts = new Map<number, string>()
  const ids = new Map<string, number>()
  let newest = 0

  /** Loads what was added since, by whichever process. */
  const refresh = () => {
    for (const [id, text] of database.rows("SELECT id, text FROM names WHERE id > ? ORDER BY id", [newest])) {
      texts.set(Number(id), String(text))
      ids.set(String(text), Number(id))
      newest = Number(id)
    }
  }
  refresh()

  const id = (text: string) => {
    if (!ids.has(text)) refresh()
    return ids.get(text)
  }
  return {
    text: (id) => {
      if (!texts.has(id)) refresh()
      return texts.get(id)
    },
    id,
    intern: (text) => {
      const known = id(text)
      if (known !== undefined) return known
      database.run("INSERT INTO names (text) VALUES (?) ON CONFLICT (text) DO NOTHING", [text])
      const added = id(text)
      if (added === undefined) throw new Error(`the name ${JSON.stringify(text)} was not stored`)
      return added
    },
  }
}
