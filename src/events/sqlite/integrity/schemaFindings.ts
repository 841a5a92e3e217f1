/** Findings about the schema of a log's file. */

import type { Finding } from "../../log/Verification.ts"
import type { LogDatabase } from "../file/database.ts"
import { CACHE_TABLES, LOG_TABLES } from "../file/schema.ts"
import { onOneLine, quoted } from "../file/schemaCheck.ts"
import { rebuild } from "./recovery.ts"

/**
 * Compares a log's tables, triggers, indexes and view with Hindcast's. Anyone who can write the file can drop the
 * triggers that make it append-only. This check finds that; the chain finds changes made afterwards.
 *
 * @param empty an empty database in memory, for the expected schema
 */
export const schemaFindings = (database: LogDatabase, empty: LogDatabase): ReadonlyArray<Finding> => {
  for (const statement of LOG_TABLES) empty.run(statement)
  const expected = entries(empty)
  for (const statement of CACHE_TABLES) empty.run(statement)
  const known = entries(empty)
  const found = entries(database)
  return [
    ...[...expected].flatMap(([name, entry]) => compare(name, entry, found.get(name))),
    ...[...known].flatMap(([name, entry]) =>
      // Cache tables may be missing; existing ones must be Hindcast's.
      expected.has(name) || !found.has(name) ? [] : compare(name, entry, found.get(name)),
    ),
    ...[...found].flatMap(([name, entry]) => (known.has(name) ? [] : unknown(name, entry))),
  ]
}

interface Entry {
  readonly kind: string
  readonly table: string
  readonly sql: string
}

const entries = (database: LogDatabase): ReadonlyMap<string, Entry> =>
  new Map(
    database
      .rows(
        "SELECT name, type, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_stat[0-9]'",
      )
      .map(([name, kind, table, sql]) => [
        String(name),
        { kind: String(kind), table: String(table), sql: onOneLine(String(sql)) },
      ]),
  )

const ADVICE =
  "Whoever did this could change events: run `hindcast log verify`, with an anchor if there is one, or restore a copy."

const compare = (name: string, expected: Entry, found: Entry | undefined): ReadonlyArray<Finding> => {
  if (found?.sql === expected.sql && found.kind === expected.kind && found.table === expected.table) return []
  return [
    {
      severity: "damage",
      what: `${expected.kind} ${name}`,
      expected: expected.sql,
      found: found === undefined ? "none: it was dropped" : `${found.kind} of ${found.table}: ${found.sql}`,
      advice:
        found === undefined && expected.kind !== "table" ? `${ADVICE} If the chain is intact, ${rebuild()}.` : ADVICE,
    },
  ]
}

const unknown = (name: string, { kind, sql }: Entry): ReadonlyArray<Finding> => [
  {
    severity: "damage",
    what: `${kind} ${name}`,
    expected: "only entries of Hindcast",
    found: sql,
    advice:
      kind === "trigger"
        ? `A trigger can change what is written. ${ADVICE} If the chain is intact, ${rebuild()}.`
        : "Another program put it into the log's file, and nothing is appended while it is there. Let that program take it out " +
          `(DROP ${kind.toUpperCase()} ${quoted(name)}), and keep such things in a file of their own. Or ${rebuild()}.`,
  },
]
