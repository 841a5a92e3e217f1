/** Checks versions and ids of archived events across all segments. */

import type { StoredRow } from "../../../integrity/TamperClassification.ts"
import type { LogDatabase } from "../../file/database.ts"
import { bytesOf } from "../../read.ts"
import { type Flaw, flaw, MAX_FLAWS } from "./Check.ts"

/** The last version of each archived stream, and all archived ids, in a temporary database on disk. */
export interface ArchivedEvents {
  /** Adds the next events, in order. Returns faults in their versions and ids. */
  readonly add: (rows: ReadonlyArray<StoredRow>, retained: LogDatabase, floor: number) => ReadonlyArray<Flaw>
  /** Streams after a given one, in a fixed order. */
  readonly streamsAfter: (last: Stream | undefined, limit: number) => ReadonlyArray<Stream>
  readonly streams: () => number
}

/** A stream, and the version of its last archived event. */
export interface Stream {
  readonly timeline: string
  readonly stream: string
  readonly version: number
}

export const archivedIn = (scratch: LogDatabase): ArchivedEvents => {
  for (const statement of TABLES) scratch.run(statement)
  return {
    add: (rows, retained, floor) => {
      scratch.run("BEGIN")
      const flaws = rows.flatMap((row) => [...versionFlaws(scratch, row), ...idFlaws(scratch, retained, floor, row)])
      scratch.run("COMMIT")
      return flaws
    },
    streamsAfter: (last, limit) =>
      scratch.rows(STREAMS, [last?.timeline ?? "", last?.stream ?? "", limit]).map((row) => ({
        timeline: String(row[0]),
        stream: String(row[1]),
        version: Number(row[2]),
      })),
    streams: () => Number(scratch.rows("SELECT count(*) FROM streams")[0]?.[0]),
  }
}

const TABLES = [
  "CREATE TEMP TABLE streams (timeline TEXT, stream TEXT, version INTEGER, PRIMARY KEY (timeline, stream)) WITHOUT ROWID",
  "CREATE TEMP TABLE ids (id TEXT PRIMARY KEY) WITHOUT ROWID",
]

const STREAMS =
  "SELECT timeline, stream, version FROM streams WHERE (timeline, stream) > (?, ?) ORDER BY timeline, stream LIMIT ?"

const versionFlaws = (scratch: LogDatabase, { link }: StoredRow): ReadonlyArray<Flaw> => {
  const { timeline, stream, version, position } = link
  const [row] = scratch.rows("SELECT version FROM streams WHERE timeline = ? AND stream = ?", [timeline, stream])
  const expected = Number(row?.[0] ?? 0) + 1
  scratch.run("INSERT OR REPLACE INTO streams VALUES (?, ?, ?)", [timeline, stream, version])
  if (version === expected) return []
  return [
    flaw("version changed", position, {
      what: `stream ${stream} at @${position}`,
      expected: `version ${expected}`,
      found: `version ${version}`,
    }),
  ]
}

const idFlaws = (
  scratch: LogDatabase,
  retained: LogDatabase,
  floor: number,
  { link }: StoredRow,
): ReadonlyArray<Flaw> => {
  const { id, position } = link
  const isNew = scratch.run("INSERT OR IGNORE INTO ids VALUES (?)", [id]) === 1
  const [other] = retained.rows("SELECT position FROM events WHERE id = ? AND position > ?", [bytesOf(id), floor])
  if (isNew && other === undefined) return []
  return [
    flaw("id repeated", position, {
      what: `id ${id}`,
      expected: "one event of this id",
      found: other === undefined ? `another archived before @${position}` : `@${position} and @${other[0]}`,
    }),
  ]
}

const PAGE_SIZE = 1000

/** Compares the log's table of archived streams with the archived events. */
export const streamFlaws = (database: LogDatabase, archived: ArchivedEvents): ReadonlyArray<Flaw> => {
  const flaws: Array<Flaw> = []
  const [[known] = []] = database.rows("SELECT count(*) FROM archived_streams")
  if (known !== archived.streams())
    flaws.push(wrong("the list of archived streams", `${archived.streams()} of them`, String(known)))
  for (let last: Stream | undefined; flaws.length < MAX_FLAWS; ) {
    const page = archived.streamsAfter(last, PAGE_SIZE)
    for (const { stream, timeline, version } of page) {
      const [row] = database.rows(KNOWN, [stream, timeline])
      if (row?.[0] !== version)
        flaws.push(
          wrong(`archived stream ${stream}`, `version ${version}`, row === undefined ? "none" : String(row[0])),
        )
    }
    last = page.at(-1)
    if (page.length < PAGE_SIZE) break
  }
  return flaws
}

const KNOWN = `SELECT version FROM archived_streams WHERE stream = (SELECT id FROM names WHERE text = ?)
  AND timeline = (SELECT id FROM names WHERE text = ?)`

const wrong = (what: string, expected: string, found: string): Flaw =>
  flaw("archive changed", null, { what, expected, found })
