import { LogCorrupt } from "../../log/EventLog.ts"
import type { LogDatabase } from "./database.ts"
import { CACHE_TABLES, LOG_TABLES } from "./schema.ts"

/**
 * Answers with a check that throws `LogCorrupt` once a log's schema is another than the one that Hindcast makes: a trigger, an index,
 * a view or a table is in the file that is not Hindcast's, or one of those that hold the log append-only is missing or was changed.
 * What another program put there could keep an append from being stored, or change what is stored with it.
 *
 * A log is not read the less for it: its chain says what was changed, and `log doctor` and `log verify` have to look into it. So the
 * check is for who writes, and comes before each transaction. It costs a question for the schema's version (2 µs); the schema is
 * looked at only where it changed since.
 */
export const guard = (database: LogDatabase): (() => void) => {
  let trusted: unknown
  return () => {
    const [[version] = []] = database.rows("PRAGMA schema_version")
    if (version === trusted) return
    const [first, ...others] = flawsIn(database)
    if (first !== undefined) {
      const more = others.length === 0 ? "" : `, and ${others.length} more`
      const reason = `${first}${more}. Nothing is appended while that is so`
      throw new LogCorrupt({ log: database.filename, position: null, reason })
    }
    trusted = version
  }
}

/** Where a log's schema is another than Hindcast's, a phrase each. */
const flawsIn = (database: LogDatabase): ReadonlyArray<string> => {
  const found = new Map<string, Made>()
  for (const [kind, name, sql] of database.rows("SELECT type, name, sql FROM sqlite_schema")) {
    if (!isSqlites(String(kind), String(name), sql)) found.set(String(name), made(String(kind), String(sql)))
  }
  return [
    ...[...OWN].flatMap(([name, own]) => differs(name, own, found.get(name))),
    ...[...found].flatMap(([name, { kind }]) =>
      OWN.has(name) || DISPOSABLE.get(name)?.kind === kind ? [] : stranger(kind, name),
    ),
  ]
}

/** Something in a schema, and the statement that made it. */
interface Made {
  readonly kind: string
  readonly sql: string
}

/** SQLite keeps a statement as it was given, but for these words and for how its first ones are written. */
const made = (kind: string, sql: string): Made => ({
  kind,
  sql: onOneLine(sql.replace(/^(CREATE \w+) IF NOT EXISTS /, "$1 ")),
})

/** A statement with one blank wherever there are some: they count in its literals alone. */
export const onOneLine = (sql: string): string =>
  sql.replaceAll(/'[^']*'|\s+/g, (part) => (part.startsWith("'") ? part : " ")).trim()

const NAMED = /^CREATE (TABLE|INDEX|TRIGGER|VIEW) (?:IF NOT EXISTS )?(\w+)/

const byName = (statements: ReadonlyArray<string>): ReadonlyMap<string, Made> =>
  new Map(
    statements.map((statement) => {
      const [, kind = "", name = ""] = NAMED.exec(statement) ?? []
      return [name, made(kind.toLowerCase(), statement)]
    }),
  )

const OWN = byName(LOG_TABLES)

/** Of these, another version of Hindcast may have made others: they hold nothing of the record, and only their names are looked at. */
const DISPOSABLE = byName(CACHE_TABLES)

/** The index of a `UNIQUE`, and what `ANALYZE` counts for the planner. */
const isSqlites = (kind: string, name: string, sql: unknown): boolean =>
  sql === null || (kind === "table" && /^sqlite_stat\d$/.test(name))

const differs = (name: string, own: Made, found: Made | undefined): ReadonlyArray<string> => {
  if (found === undefined) return [`its ${own.kind} ${name} is missing`]
  return found.kind === own.kind && found.sql === own.sql ? [] : [`its ${own.kind} ${name} was changed`]
}

const stranger = (kind: string, name: string): ReadonlyArray<string> => [
  `it holds the ${kind} ${JSON.stringify(name)}, which another program put there (to take it out: DROP ${kind.toUpperCase()} ${quoted(name)})`,
]

const quoted = (name: string): string => (/^\w+$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`)
