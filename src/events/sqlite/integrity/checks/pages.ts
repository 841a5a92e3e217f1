import { Effect } from "effect"
import type { LogDatabase } from "../../file/database.ts"
import { RECOVERY } from "../fileFindings.ts"
import { type CheckContext, type Flaw, flaw, MAX_FLAWS, reading, type Stores } from "./Check.ts"

/**
 * SQLite's own check: that every page is sound, that rows hold to their types and constraints, and that each index has the rows
 * of its table and no others. One statement, which keeps the process for more than a second per 1,000,000 events.
 */
export const pages = (stores: Stores): CheckContext => ({
  what: "pages and indexes",
  look: Effect.map(
    reading(stores, () => pageFaults(stores.database)),
    (flaws) => ({ told: "SQLite's integrity_check", flaws }),
  ),
})

/** What SQLite finds wrong in a file. */
export const pageFaults = (database: LogDatabase, what = "pages"): ReadonlyArray<Flaw> => {
  const faults = database.rows(`PRAGMA integrity_check(${MAX_FLAWS})`).map(([fault]) => String(fault))
  if (faults.length === 1 && faults[0] === "ok") return []
  return faults.map((found) =>
    flaw("pages damaged", null, {
      ...{ what, expected: "nothing amiss by SQLite's integrity_check", found, advice: RECOVERY },
    }),
  )
}
