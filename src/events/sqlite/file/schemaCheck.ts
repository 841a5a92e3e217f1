/**
 * Checks a log's schema: before the first query, that each table is a table; before each write, that the schema is
 * exactly Hindcast's.
 */

import { LogCorrupt } from "../../log/EventLog.ts"
import type { LogDatabase } from "./database.ts"
import { CACHE_TABLES, LOG_TABLES } from "./schema.ts"

/**
 * Returns a function that throws `LogCorrupt` if a log's schema differs from Hindcast's: a trigger, index, view or
 * table of another program, or a missing or changed guard of the append-only rule. Any of these could change an append
 * or drop it.
 *
 * Only writers call it, before every transaction. Reads stay possible (see `unreadable`), because the chain reveals
 * changes and `log doctor` and `log verify` must read the file. It costs one `PRAGMA schema_version` (2 µs), and reads
 * the schema only if that has changed.
 */
export const guard = (database: LogDatabase): (() => void) => {
  let verifiedVersion: unknown
  return () => {
    const [[version] = []] = database.rows("PRAGMA schema_version")
    if (version === verifiedVersion) return
    const [first, ...others] = flawsIn(database)
    if (first !== undefined) {
      const more = others.length === 0 ? "" : `, and ${others.length} more`
      const reason = `${first}${more}. Nothing is appended until this is repaired`
      throw new LogCorrupt({ log: database.filename, position: null, reason })
    }
    verifiedVersion = version
  }
}

/**
 * Says why a log must not even be read: an entry with the name of a table that Hindcast reads is no table, or another
 * one. A view in its place can run forever, and a virtual table is code. Reads never run other entries.
 *
 * @param schema type, name and SQL of the rows of `sqlite_schema`
 */
export const unreadable = (
  schema: ReadonlyArray<{ readonly type: string; readonly name: string; readonly sql: string | null }>,
): string | undefined => {
  for (const { type, name, sql } of schema) {
    // Names of tables ignore case.
    const lower = name.toLowerCase()
    const own = LOG_ENTRIES.get(lower)
    const isRead = own?.kind === "table" || CACHE_ENTRIES.get(lower)?.kind === "table"
    if (!isRead || (type !== "table" && type !== "view")) continue
    const isTable = type === "table" && sql !== null && /^CREATE TABLE\b/i.test(sql)
    if (!isTable) return `${name} should be a table, but is ${type === "view" ? "a view" : "a virtual table"}`
    if (own !== undefined && entryOf(type, sql).sql !== own.sql) return `its table ${name} was changed`
  }
  return undefined
}

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

interface SchemaEntry {
  readonly kind: string
  readonly sql: string
}

/** SQLite stores a statement as given, except for `IF NOT EXISTS` and the case of its first words. */
const entryOf = (kind: string, sql: string): SchemaEntry => ({
  kind,
  sql: onOneLine(sql.replace(/^(CREATE \w+) IF NOT EXISTS /, "$1 ")),
})

/** Collapses white space outside string literals. */
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

/** Other versions of Hindcast may create cache tables differently, so only names are compared. */
const CACHE_ENTRIES = byName(CACHE_TABLES)

/** Entries of SQLite itself: indexes of `UNIQUE` constraints, and tables of `ANALYZE`. */
const isInternal = (kind: string, name: string, sql: unknown): boolean =>
  sql === null || (kind === "table" && /^sqlite_stat\d$/.test(name))

const differences = (name: string, own: SchemaEntry, found: SchemaEntry | undefined): ReadonlyArray<string> => {
  if (found === undefined) return [`its ${own.kind} ${name} is missing`]
  return found.kind === own.kind && found.sql === own.sql ? [] : [`its ${own.kind} ${name} was changed`]
}

const foreignEntry = (kind: string, name: string): ReadonlyArray<string> => [
  `it contains the ${kind} ${JSON.stringify(name)} of another program (to remove it: DROP ${kind.toUpperCase()} ${quoted(name)})`,
]

export const quoted = (name: string): string => (/^\w+$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`)
