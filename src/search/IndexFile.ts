/**
 * The full-text index of a log, a file in the user's store (`search/`). It contains words and positions, but no texts:
 * searches read every hit from the log. For events with personal fields, it contains only positions, so that the file
 * has no personal data, whoever has the keys.
 *
 * Several processes may use one file. A file that is damaged, or belongs to another log or version, is replaced.
 */

import * as fs from "node:fs"
import * as path from "node:path"
import { type Connection, IN_MEMORY } from "../events/sqlite/driver/Driver.ts"
import * as OwnerOnly from "../platform/OwnerOnly.ts"
import * as UserStore from "../platform/user/UserStore.ts"
import { sha256 } from "../values/Digest.ts"
import * as IndexDatabase from "./IndexDatabase.ts"
import type { Kind } from "./words/EventText.ts"
import type { WordQuery } from "./words/WordQuery.ts"

/** An event for the index. */
export interface Row {
  readonly position: number
  readonly taskId: string | null
  /** Several for a compact event. */
  readonly kinds: ReadonlyArray<Kind>
  /** Folded words, separated by spaces (`Words.wordText`); null for an event with personal fields. */
  readonly words: string | null
}

/** The hits to look for. */
export interface Wanted {
  readonly query: WordQuery
  readonly taskId?: string | undefined
  readonly kinds?: ReadonlyArray<Kind> | undefined
}

/** Raise it when words or texts change: older indexes are then built again. */
export const WORDS_VERSION = 2

/** "HCsx" in ASCII. */
const APPLICATION_ID = 0x48437378

/**
 * This tokenizer separates words, which are already folded, at spaces. Without `columnsize`, the index is a fifth
 * smaller.
 */
const TABLES = `
  CREATE VIRTUAL TABLE IF NOT EXISTS event USING
    fts5(words, about, content = '', columnsize = 0, tokenize = 'ascii');
  CREATE TABLE IF NOT EXISTS personal (position INTEGER PRIMARY KEY);
`

/** Settings of FTS5: larger pieces in memory before it writes a segment. */
const HASH_BYTES = 16 * 1024 * 1024

const KIND_OF_INDEX: IndexDatabase.IndexKind = {
  applicationId: APPLICATION_ID,
  version: WORDS_VERSION,
  tables: `${TABLES} INSERT INTO event (event, rank) VALUES ('hashsize', ${HASH_BYTES});`,
}

export class IndexFile {
  readonly #database: Connection
  readonly file: string

  /**
   * Opens or creates the index of a log's file. Throws if the user's store cannot be used, and `SqliteError` if the
   * index cannot.
   *
   * @param log the path of the log
   */
  static open(log: string): IndexFile {
    const directory = UserStore.open("search", { readonly: false })
    removeAbandoned(directory)
    const name = nameOf(log)
    noteLog(directory, name, log)
    return connect(newest(directory, name), log)
  }

  /** The file that `open` opens. */
  static fileOf(log: string): string {
    return newest(UserStore.open("search", { readonly: false }), nameOf(log))
  }

  /** Replaces a damaged or foreign index of the log. Other processes keep the old file until they see the new one. */
  static replace(old: string, log: string): IndexFile {
    const directory = UserStore.open("search", { readonly: false })
    const name = nameOf(log)
    const before = [...numbersOf(directory, name)]
    const latest = Math.max(0, ...before)
    const number = old === newest(directory, name) ? latest + 1 : Math.max(1, latest)
    const made = connect(path.join(directory, `${name}.${number}.db`), log)
    for (const one of before) if (one < number) IndexDatabase.remove(path.join(directory, `${name}.${one}.db`))
    return made
  }

  /** An index in memory, which ends with the process. */
  static inMemory(): IndexFile {
    return connect(IN_MEMORY, "")
  }

  constructor(database: Connection, file: string) {
    this.#database = database
    this.file = file
  }

  get reached(): IndexDatabase.Reached {
    return IndexDatabase.reachedIn(this.#database)
  }

  /**
   * Adds the rows of all events after `after`, up to `reached`, in one transaction. Returns false, and adds nothing, if
   * another process has extended the index in the meantime.
   */
  add(after: number, rows: ReadonlyArray<Row>, reached: IndexDatabase.Reached): boolean {
    return IndexDatabase.extend(this.#database, after, reached, () => {
      const word = this.#database.prepare("INSERT INTO event (rowid, words, about) VALUES (?, ?, ?)")
      const personal = this.#database.prepare("INSERT INTO personal VALUES (?)")
      for (const { position, taskId, kinds, words } of rows) {
        if (words === null) personal.run([position])
        else {
          const about = kinds.map((kind) => `${KIND}${kind}`)
          word.run([position, words, [...about, ...(taskId === null ? [] : [taskWord(taskId)])].join(" ")])
        }
      }
    })
  }

  /** Positions of events that match, before a position, the newest first. */
  positions(wanted: Wanted, before: number, limit: number): ReadonlyArray<number> {
    const sql = "SELECT rowid FROM event WHERE event MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?"
    return this.#rows(sql, [expression(wanted), before, limit]).map(([position]) => Number(position))
  }

  /** Positions of events with personal fields, before a position, the newest first. */
  personal(before: number, limit: number): ReadonlyArray<number> {
    const sql = "SELECT position FROM personal WHERE position < ? ORDER BY position DESC LIMIT ?"
    return this.#rows(sql, [before, limit]).map(([position]) => Number(position))
  }

  close(): void {
    this.#database.close()
  }

  #rows(sql: string, parameters: ReadonlyArray<unknown>) {
    return this.#database.prepare(sql).rows(parameters)
  }
}

/** Marks words of the second column, which texts cannot match, because they are in another column. */
const KIND = "k"

const taskWord = (taskId: string): string => `t${sha256(taskId).slice(0, 32)}`

/** An expression of FTS5. Folded words hold neither quotes nor operators. */
const expression = ({ query, taskId, kinds }: Wanted): string => {
  const terms = query.terms.map(({ words, isPrefix }) => `"${words.join(" ")}"${isPrefix ? " *" : ""}`)
  const about = [
    ...(taskId === undefined ? [] : [`"${taskWord(taskId)}"`]),
    ...(kinds === undefined || kinds.length === 0 ? [] : [`(${kinds.map((kind) => `"${KIND}${kind}"`).join(" OR ")})`]),
  ]
  return [`words : (${terms.join(" AND ")})`, ...about.map((one) => `about : (${one})`)].join(" AND ")
}

const nameOf = (log: string): string => sha256(log).slice(0, 32)

const newest = (directory: string, name: string): string =>
  path.join(directory, `${name}.${Math.max(1, ...numbersOf(directory, name))}.db`)

const numbersOf = (directory: string, name: string): ReadonlyArray<number> =>
  fs.readdirSync(directory).flatMap((entry) => {
    const number = entry.startsWith(`${name}.`) ? /^\.(\d{1,9})\.db$/.exec(entry.slice(name.length))?.[1] : undefined
    return number === undefined ? [] : [Number(number)]
  })

const connect = (file: string, log: string): IndexFile =>
  new IndexFile(IndexDatabase.open(file, KIND_OF_INDEX, log), file)

/** Notes which log an index belongs to, next to it. */
const noteLog = (directory: string, name: string, log: string): void => {
  const file = path.join(directory, `${name}.log`)
  if (OwnerOnly.makeFile(file)) fs.writeFileSync(file, log)
}

/** Removes the indexes of logs that no longer exist: their words must not outlive them. */
const removeAbandoned = (directory: string): void => {
  for (const entry of fs.readdirSync(directory)) {
    if (!entry.endsWith(".log")) continue
    const known = path.join(directory, entry)
    const log = fs.readFileSync(known, "utf8")
    if (fs.existsSync(log)) continue
    const name = entry.slice(0, -".log".length)
    for (const number of numbersOf(directory, name)) IndexDatabase.remove(path.join(directory, `${name}.${number}.db`))
    fs.rmSync(known, { force: true })
  }
}
