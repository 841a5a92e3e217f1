/** Checks the segments of a log. */

import * as fs from "node:fs"
import { Effect } from "effect"
import { yieldToEventLoop } from "../../../../platform/yieldToEventLoop.ts"
import * as Chain from "../../../integrity/Chain.ts"
import { SegmentUnavailable } from "../../../log/EventLog.ts"
import type { Head } from "../../../vocabulary/Event.ts"
import { fileOf } from "../../archive/Segments.ts"
import * as Database from "../../file/database.ts"
import { type ArchivedEvents, archivedIn, streamFlaws } from "./archived.ts"
import { type Check, counted, type Flaw, flaw, readLog, repeatWhileArchiving, type Stores } from "./Check.ts"
import { type SegmentRecord, segmentFlaws } from "./segmentFlaws.ts"

/**
 * Checks that the list of segments has no gaps and describes them correctly; that each file is an intact database with
 * only its events, which its indexes find by name and id; that no id occurs twice in any file; and that the log knows
 * the last version of each archived stream.
 */
export const segmentFiles = (stores: Stores): Check => ({
  what: "segments",
  run: repeatWhileArchiving(
    stores,
    Effect.gen(function* () {
      const list = yield* readLog(stores, () => stores.database.rows(LIST).map(expectedOf))
      const flaws: Array<Flaw> = []
      const archived = archivedIn(yield* Database.temporaryDatabase)
      let end: Head = { position: 0, hash: Chain.GENESIS }
      for (const segment of list) {
        if (segment.first !== end.position + 1) flaws.push(gap(end, segment))
        flaws.push(...(yield* checkSegment(stores, segment, end, archived)))
        end = { position: segment.last, hash: segment.hash }
        yield* yieldToEventLoop
      }
      flaws.push(...(yield* readLog(stores, () => streamFlaws(stores.database, archived))))
      const told = list.length === 0 ? "none" : `${counted(list.length, "file")} up to @${end.position}`
      return { told, flaws }
    }).pipe(Effect.scoped),
  ),
})

const checkSegment = (stores: Stores, expected: SegmentRecord, from: Head, archived: ArchivedEvents) =>
  Effect.acquireUseRelease(
    readLog(stores, () => connect(stores.database.filename, expected)),
    (database) => segmentFlaws({ stores, database, expected, from, archived }),
    (database) => Effect.sync(() => database.close()),
  )

const connect = (log: string, { first, last, file }: SegmentRecord) => {
  const filename = fileOf(log, file)
  const unavailable = (reason: string) => new SegmentUnavailable({ log, first, last, file: filename, reason })
  if (!fs.existsSync(filename)) throw unavailable("the file is not there")
  try {
    return Database.connect(filename, { readonly: true })
  } catch (cause) {
    throw unavailable(`it cannot be read (${String(cause)})`)
  }
}

const LIST = `SELECT first, last, file, lower(hex(hash)), lower(hex(lowest_id)), lower(hex(highest_id)) FROM segments
  ORDER BY first`

const expectedOf = ([first, last, file, hash, lowestId, highestId]: ReadonlyArray<unknown>): SegmentRecord => ({
  first: Number(first),
  last: Number(last),
  file: String(file),
  hash: String(hash),
  lowestId: String(lowestId),
  highestId: String(highestId),
})

const gap = ({ position }: Head, { first, file }: SegmentRecord): Flaw =>
  flaw("archive changed", null, {
    what: `segment ${file}`,
    expected: `segments without a gap: this one from @${position + 1}`,
    found: `from @${first}`,
  })
