/** Checks the tables, indexes, triggers and the view of the log's file. */

import { Effect } from "effect"
import * as Database from "../../file/database.ts"
import { schemaFindings } from "../schemaFindings.ts"
import { type Check, readLog, type Stores } from "./Check.ts"

/** Checks that the schema is Hindcast's, without foreign entries that could change anything. */
export const schema = (stores: Stores): Check => ({
  what: "tables and triggers",
  run: Effect.gen(function* () {
    const empty = yield* Database.temporaryDatabase
    const findings = yield* readLog(stores, () => schemaFindings(stores.database, empty))
    const flaws = findings
      .filter(({ severity }) => severity === "damage")
      .map((finding) => ({
        position: null,
        kind: "schema changed" as const,
        finding,
        reason: `${finding.what}: expected ${finding.expected}, found ${finding.found}`,
      }))
    return {
      told: "those of Hindcast",
      flaws,
      notes: findings.filter(({ severity }) => severity !== "damage"),
    }
  }).pipe(Effect.scoped),
})
