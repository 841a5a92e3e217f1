/** Checks the large payloads in the log's file. */

import * as crypto from "node:crypto"
import { Effect } from "effect"
import { yieldToEventLoop } from "../../../../platform/yieldToEventLoop.ts"
import type { LogDatabase } from "../../file/database.ts"
import { type Check, counted, type Flaw, flaw, MAX_FLAWS, readLog, repeatWhileArchiving, type Stores } from "./Check.ts"

/**
 * Checks each blob in the log's file: its text has its digest, an event uses it, and `last_position` is the last such
 * event, with which archiving moves it. Segments check their own blobs.
 */
export const blobs = (stores: Stores): Check => ({
  what: "blobs",
  run: repeatWhileArchiving(
    stores,
    Effect.gen(function* () {
      const { database, segments } = stores
      const floor = yield* readLog(stores, () => segments.floor())
      const flaws: Array<Flaw> = [...(yield* readLog(stores, () => misplaced(database, floor)))]
      let seen = 0
      for (let after = ""; flaws.length < MAX_FLAWS; ) {
        const [row] = yield* readLog(stores, () => database.rows(NEXT, [after]))
        if (row === undefined) break
        const [digest, content] = row
        after = String(digest)
        seen += 1
        if (content instanceof Uint8Array && crypto.hash("sha256", content, "hex") === digest) continue
        flaws.push(wrong(after, "a text of this digest", "another text"))
        yield* yieldToEventLoop
      }
      return { told: counted(seen, "blob"), flaws }
    }),
  ),
})

const NEXT = "SELECT digest, CAST(content AS BLOB) FROM blobs WHERE digest > ? ORDER BY digest LIMIT 1"

/** One statement, so that no event is appended meanwhile. Blobs of archived events may remain in the file. */
const misplaced = (database: LogDatabase, floor: number): ReadonlyArray<Flaw> =>
  database.rows(MISPLACED, [floor, floor, MAX_FLAWS]).map(([digest, last, named]) => {
    if (named === null) return wrong(String(digest), "an event that has it", "none")
    return wrong(String(digest), `@${named} as the last event that has it`, `@${last}`)
  })

const MISPLACED = `WITH named AS (
    SELECT substr(payload, 7, 64) AS digest, max(position) AS last FROM events NOT INDEXED
    WHERE octet_length(payload) = 71 AND substr(payload, 1, 6) = '"blob:' AND position > ? GROUP BY 1)
  SELECT digest, last_position, named.last FROM blobs LEFT JOIN named USING (digest)
  WHERE (named.last IS NULL AND last_position > ?) OR named.last <> last_position LIMIT ?`

const wrong = (digest: string, expected: string, found: string): Flaw =>
  flaw("blob changed", null, { what: `blob ${digest}`, expected, found })
