/** Runs SQLite's own integrity check. */

import { Effect } from "effect"
import type { LogDatabase } from "../../file/database.ts"
import { recovery } from "../recovery.ts"
import { type Check, type Flaw, flaw, MAX_FLAWS, readLog, type Stores } from "./Check.ts"

/**
 * Checks that every page is intact, rows satisfy types and constraints, and each index matches its table. One
 * statement, which blocks the process for more than a second per 1,000,000 events.
 */
export const pages = (stores: Stores): Check => ({
  what: "pages and indexes",
  run: Effect.map(
    readLog(stores, () => pageFaults(stores.database)),
    (flaws) => ({ told: "SQLite's integrity_check", flaws }),
  ),
})

export const pageFaults = (database: LogDatabase, what = "pages"): ReadonlyArray<Flaw> => {
  const faults = database.rows(`PRAGMA integrity_check(${MAX_FLAWS})`).map(([fault]) => String(fault))
  if (faults.length === 1 && faults[0] === "ok") return []
  return faults.map((found) =>
    flaw("pages damaged", null, {
      what,
      expected: "no findings of SQLite's integrity_check",
      found,
      advice: recovery(),
    }),
  )
}
