/** Checks the indexes of the events table by counting. */

import { Effect } from "effect"
import { yieldToEventLoop } from "../../../../platform/yieldToEventLoop.ts"
import type { LogDatabase } from "../../file/database.ts"
import { type Check, counted, type Flaw, flaw, REINDEX, readLog, type Stores } from "./Check.ts"

/** Columns that find events, their indexes, and conditions of partial indexes. */
const INDEXES = [
  { by: "stream", column: "stream", index: "sqlite_autoindex_events_2", of: "TRUE" },
  { by: "task", column: "task", index: "events_by_task", of: "task IS NOT NULL" },
  { by: "no task", column: "task", index: "events_of_no_task", of: "task IS NULL" },
  { by: "type", column: "type", index: "events_by_type", of: "TRUE" },
] as const

/**
 * Counts events by stream, task and type, in the table and in the index that reads use. Unlike `integrity_check`, it
 * compares results of actual reads.
 */
export const counts = (stores: Stores): Check => ({
  what: "counts by stream, task and type",
  run: Effect.gen(function* () {
    const flaws: Array<Flaw> = []
    for (const each of yield* readLog(stores, () => INDEXES.filter(({ index }) => isThere(stores.database, index)))) {
      const different = yield* readLog(stores, () => differences(stores.database, each))
      if (different > 0) flaws.push(miscounted(each.by, different))
      yield* yieldToEventLoop
    }
    return {
      told: flaws.length === 0 ? "each index agrees with the table" : "an index disagrees with the table",
      flaws,
    }
  }),
})

/** A log may lack an index that can be dropped and created again. */
const isThere = (database: LogDatabase, index: string): boolean =>
  database.rows("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?", [index]).length > 0

const differences = (database: LogDatabase, { column, index, of }: (typeof INDEXES)[number]): number => {
  const [row] = database.rows(
    `SELECT count(*) FILTER (WHERE walked.events IS NOT found.events)
    FROM (SELECT ${column} AS name, count(*) AS events FROM events NOT INDEXED WHERE ${of} GROUP BY ${column}) walked
    FULL JOIN (SELECT ${column} AS name, count(*) AS events FROM events INDEXED BY ${index} WHERE ${of} GROUP BY ${column}) found
      ON found.name IS walked.name`,
  )
  return Number(row?.[0])
}

const miscounted = (by: string, different: number): Flaw =>
  flaw("index changed", null, {
    what: `index by ${by}`,
    expected: "the same number of events by the index and in the table",
    found: `other counts in ${counted(different, "group")}`,
    advice: REINDEX,
  })
