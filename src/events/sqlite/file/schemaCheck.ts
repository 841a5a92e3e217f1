/**
 * Checks a log's schema: before the first query, that each table is one; before each write, that the schema is exactly the one that
 * Hindcast creates.
 */

import { LogCorrupt } from "../../log/EventLog.ts"
import type { LogDatabase } from "./database.ts"
import { CACHE_TABLES, LOG_TABLES } from "./schema.ts"

/**
 * Returns a function that throws `LogCorrupt` if a log's schema differs from Hindcast's: it contains a foreign trigger,
 * index, view or table, or one of those that make the log append-only is missing or was changed. Such a difference
 * could keep an append from being stored, or change what is stored with it.
 *
 * Only writers call it, before every transaction: reads stay possible (see `unreadable`), since the chain detects changes, and `log
 * doctor` and `log verify` must read the file. It costs one `PRAGMA schema_version` (2 µs); the schema is read only if
 * that has changed.
 */
export const guard = (database: LogDatabase): (() => void) => {
  let verifiedVersion: unknown
  return () => {
    const [[version] = []] = database.rows("PRAGMA schema_version")
    if (version === verifiedVersion) return
    const [first, ...others] = flawsIn(database)
    if (first !== undefined) {
      const more = others.length === 0 ? "" : `, and ${others.length} more`
      const reason = `${first}${more}. Nothing is appended while that is so`
      throw new LogCorrupt({ log: database.filename, position: null, reason })
    }
    verifiedVersion = version
  }
}

/**
 * Why a log must not even be read: an entry with the name of a table that Hindcast reads is none, or another table. A view in its place
 * can run for ever, and a virtual table is code. Undefined where all are tables; indexes, triggers and entries with other names are
 * never run by a read.
 *
 * @param schema the rows of `sqlite_schema`: each entry's type, name and SQL
 */
export const unreadable = (
  schema: ReadonlyArray<{ readonly type: string; readonly name: string; readonly sql: string | null }>,
): string | undefined => {
  for (const { type, name, sql } of schema) {
    // Names of tables are the same in any case.
    const lower = name.toLowerCase()
    const own = LOG_ENTRIES.get(lower)
    const isRead = own?.kind === "table" || CACHE_ENTRIES.get(lower)?.kind === "table"
    if (!isRead || (type !== "table" && type !== "view")) continue
    const isTable = type === "table" && sql !== null && /^CREATE TABLE\b/i.test(sql)
    if (!isTable) return `${name} is expected to be a table, and is ${type === "view" ? "a view" : "a virtual table"}`
    if (own !== undefined && entryOf(type, sql).sql !== own.sql) return `its table ${name} was changed`
  }
  return undefined
}

/** The differences from Hindcast's schema, one phrase each. */
const flawsIn = (database: LogDatabase): ReadonlyArray<string> => {
  const found = new Map<string, SchemaEntry>()
  for (const [kind, name, sql] of database.rows("SELECT type, name, sql FROM sqlite_schema")) {
    if (!isInternal(String(kind), String(name), sql)) found.set(String(name), entryOf(String(kind), String(sql)))
  }
  return [
    ...[...LOG_ENTRIES].flatMap(([name, own]) => differences(name, own, found.get(name))),
    ...[...found].flatMap(([name, { kind }]) =>
      LOG_ENTRIES.has(name) || CACHE_ENTRIES.get(name)?.kind === kind ? [] : foreignEntry(kind, name),
    ),
  ]
}

/** An entry of a schema, with its CREATE statement. */
interface SchemaEntry {
  readonly kind: string
  readonly sql: string
}

/** SQLite stores a statement as given, except for `IF NOT EXISTS` and the spelling of its first words. */
const entryOf = (kind: string, sql: string): SchemaEntry => ({
  kind,
  sql: onOneLine(sql.replace(/^(CREATE \w+) IF NOT EXISTS /, "$1 ")),
})

/** Collapses white space outside of string literals. */
export const onOneLine = (sql: string): string =>
  sql.replaceAll(/'[^']*'|\s+/g, (part) => (part.startsWith("'") ? part : " ")).trim()

const NAMED = /^CREATE (TABLE|INDEX|TRIGGER|VIEW) (?:IF NOT EXISTS )?(\w+)/

const byName = (statements: ReadonlyArray<string>): ReadonlyMap<string, SchemaEntry> =>
  new Map(
    statements.map((statement) => {
      const [, kind = "", name = ""] = NAMED.exec(statement) ?? []
      return [name, entryOf(kind.toLowerCase(), statement)]
    }),
  )

const LOG_ENTRIES = byName(LOG_TABLES)

/** Cache tables. Other versions of Hindcast may create them differently, so that only their names are compared. */
const CACHE_ENTRIES = byName(CACHE_TABLES)

/** Entries that SQLite itself adds: the index of a `UNIQUE` constraint, and the tables of `ANALYZE`. */
const isInternal = (kind: string, name: string, sql: unknown): boolean =>
  sql === null || (kind === "table" && /^sqlite_stat\d$/.test(name))

const differences = (name: string, own: SchemaEntry, found: SchemaEntry | undefined): ReadonlyArray<string> => {
  if (found === undefined) return [`its ${own.kind} ${name} is missing`]
  return found.kind === own.kind && found.sql === own.sql ? [] : [`its ${own.kind} ${name} was changed`]
}

const foreignEntry = (kind: string, name: string): ReadonlyArray<string> => [
  `it holds the ${kind} ${JSON.stringify(name)}, which another program put there (to take it out: DROP ${kind.toUpperCase()} ${quoted(name)})`,
]

/** A name as SQL writes it. */
export const quoted = (name: string): string => (/^\w+$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`)
