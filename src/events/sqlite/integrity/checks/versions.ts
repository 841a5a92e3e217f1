/** Checks the versions of streams. */

import { Effect } from "effect"
import { yieldToEventLoop } from "../../../../platform/yieldToEventLoop.ts"
import type { LogDatabase } from "../../file/database.ts"
import { type Check, counted, type Flaw, flaw, MAX_FLAWS, readLog, repeatWhileArchiving, type Stores } from "./Check.ts"

const PAGE_SIZE = 5000

/**
 * Reads each stream by its index: versions continue the archived ones without gaps, in order of position. The check of
 * segments does the same for archived events.
 */
export const versions = (stores: Stores): Check => ({
  what: "versions",
  run: repeatWhileArchiving(
    stores,
    Effect.gen(function* () {
      const { database, segments } = stores
      const flaws: Array<Flaw> = []
      const floor = yield* readLog(stores, () => segments.floor())
      let last: Row = { stream: -1, timeline: -1, version: 0, position: 0 }
      let streams = 0
      for (let size = PAGE_SIZE; size === PAGE_SIZE && flaws.length < MAX_FLAWS; ) {
        const page = yield* readLog(stores, () => {
          const rows = after(database, last)
          for (const row of rows) {
            const goesOn = row.stream === last.stream && row.timeline === last.timeline
            if (!goesOn) streams += 1
            // `strays` checks rows left at archived positions.
            if (row.position > floor) {
              const before = goesOn && last.position > floor ? last : archived(database, row, floor)
              if (row.version !== before.version + 1 || row.position <= before.position)
                flaws.push(outOfSequence(database, row, before))
            }
            last = row
          }
          return rows.length
        })
        size = page
        yield* yieldToEventLoop
      }
      return { told: counted(streams, "stream"), flaws }
    }),
  ),
})

interface Row {
  readonly stream: number
  readonly timeline: number
  readonly version: number
  readonly position: number
}

const after = (database: LogDatabase, { stream, timeline, version }: Row): ReadonlyArray<Row> =>
  database.rows(PAGE, [stream, timeline, version, PAGE_SIZE]).map((row) => ({
    stream: Number(row[0]),
    timeline: Number(row[1]),
    version: Number(row[2]),
    position: Number(row[3]),
  }))

const PAGE = `SELECT stream, timeline, version, position FROM events INDEXED BY sqlite_autoindex_events_2
  WHERE (stream, timeline, version) > (?, ?, ?) ORDER BY stream, timeline, version LIMIT ?`

const archived = (database: LogDatabase, { stream, timeline }: Row, floor: number) => {
  const [row] =
    floor === 0
      ? []
      : database.rows("SELECT version FROM archived_streams WHERE stream = ? AND timeline = ?", [stream, timeline])
  return { version: Number(row?.[0] ?? 0), position: 0 }
}

const outOfSequence = (
  database: LogDatabase,
  { stream, position, version }: Row,
  before: { readonly version: number; readonly position: number },
): Flaw => {
  const [[name] = []] = database.rows("SELECT text FROM names WHERE id = ?", [stream])
  return flaw("version changed", position, {
    what: `stream ${String(name)} at @${position}`,
    expected: `version ${before.version + 1}${before.position === 0 ? "" : ` behind @${before.position}`}`,
    found: `version ${version}`,
  })
}
