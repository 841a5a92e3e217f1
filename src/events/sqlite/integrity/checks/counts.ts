import { Effect } from "effect"
import { yieldToEventLoop } from "../../../../platform/yieldToEventLoop.ts"
import type { LogDatabase } from "../../file/database.ts"
import { type CheckContext, counted, type Flaw, flaw, REINDEX, reading, type Stores } from "./Check.ts"

/** What events are looked up by, in which index, and which of them stand in it. */
const INDEXES = [
  { by: "stream", column: "stream", index: "sqlite_autoindex_events_2", of: "TRUE" },
  { by: "task", column: "task", index: "events_by_task", of: "task IS NOT NULL" },
  { by: "no task", column: "task", index: "events_of_no_task", of: "task IS NULL" },
  { by: "type", column: "type", index: "events_by_type", of: "TRUE" },
] as const

/**
 * Counts events by their stream, task and type, once over the table and once by the index that reads of them use. It does not
 * ask SQLite whether they agree, but for the very answers.
 */
export const counts = (stores: Stores): CheckContext => ({
  what: "counts by stream, task and type",
  look: Effect.gen(function* () {
    const flaws: Array<Flaw> = []
    for (const each of yield* reading(stores, () => INDEXES.filter(({ index }) => isThere(stores.database, index)))) {
      const different = yield* reading(stores, () => differences(stores.database, each))
      if (different > 0) flaws.push(miscounted(each.by, different))
      yield* yieldToEventLoop
    }
    return { told: flaws.length === 0 ? "the same by each index" : "others by an index", flaws }
  }),
})

/** Not every log has all of them: one may be dropped, and made anew, at any time. */
const isThere = (database: LogDatabase, index: string): boolean =>
  database.rows("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?", [index]).length > 0

/** Groups that have other counts by the index. */
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
    expected: "as many events by the index as in the table",
    found: `other counts in ${counted(different, "group")}`,
    advice: REINDEX,
  })
