/** Checks one segment file, block by block, against the log's record of it. */

import { Effect } from "effect"
import { yieldToEventLoop } from "../../../../platform/yieldToEventLoop.ts"
import { sha256 } from "../../../../values/Digest.ts"
import * as Verifier from "../../../integrity/Verifier.ts"
import type { LogError } from "../../../log/EventLog.ts"
import { digestIn } from "../../../payload/Blob.ts"
import type { Head } from "../../../vocabulary/Event.ts"
import { namesOf, unpack, unpackBlock } from "../../archive/Block.ts"
import { TABLES } from "../../archive/SegmentFile.ts"
import * as Database from "../../file/database.ts"
import type { ArchivedEvents } from "./archived.ts"
import { type Flaw, flaw, MAX_FLAWS, type Stores } from "./Check.ts"
import { pageFaults } from "./pages.ts"

/** The log's record of a segment. Ids are hexadecimal. */
export interface SegmentRecord {
  readonly first: number
  readonly last: number
  readonly file: string
  /** Of its last event. */
  readonly hash: string
  readonly lowestId: string
  readonly highestId: string
}

export interface SegmentToCheck {
  readonly stores: Stores
  readonly database: Database.LogDatabase
  readonly expected: SegmentRecord
  readonly from: Head
  readonly archived: ArchivedEvents
}

/** The faults of a segment. Keeps one block in memory. */
export const segmentFlaws = (segment: SegmentToCheck): Effect.Effect<ReadonlyArray<Flaw>, LogError> =>
  Effect.gen(function* () {
    const { database, expected, from } = segment
    const wrong = wrongIn(expected)
    const flaws: Array<Flaw> = []
    const step = <A>(what: string, run: () => A) => reportingFailure(segment, what, run, (found) => flaws.push(found))

    yield* step("pages", () => flaws.push(...pageFaults(database, `pages of ${expected.file}`)))
    yield* Effect.scoped(
      Effect.flatMap(Database.temporaryDatabase, (empty) =>
        step("tables", () => flaws.push(...tableFlaws(segment, empty))),
      ),
    )
    const progress: SegmentProgress = { head: from, indexed: 0, blobs: new Set(), lowest: "", highest: "" }
    for (let after = Number.NEGATIVE_INFINITY; flaws.length < MAX_FLAWS; ) {
      const block = yield* step("its blocks", () => database.rows(NEXT_BLOCK, [after])[0])
      if (block === undefined) break
      after = Number(block[0])
      yield* step(`the block at @${after}`, () => flaws.push(...blockFlaws(segment, progress, block)))
      yield* yieldToEventLoop
    }
    if (flaws.length > 0) return flaws.slice(0, MAX_FLAWS)
    if (progress.head.position !== expected.last || progress.head.hash !== expected.hash)
      flaws.push(wrong("its events", `those up to @${expected.last}`, `others, or up to @${progress.head.position}`))
    if (progress.lowest !== expected.lowestId || progress.highest !== expected.highestId)
      flaws.push(wrong("its lowest and highest ids", `${progress.lowest} and ${progress.highest}`, "others in the log"))
    yield* step("indexes", () => flaws.push(...totalFlaws(segment, progress)))
    yield* step("blobs", () => flaws.push(...blobFlaws(segment, progress)))
    return flaws
  })

interface SegmentProgress {
  head: Head
  /** Entries that the index of names must have. */
  indexed: number
  readonly blobs: Set<string>
  lowest: string
  highest: string
}

const NEXT_BLOCK = "SELECT first, last, content FROM blocks WHERE first > ? ORDER BY first LIMIT 1"

const reportingFailure = <A>(
  { stores, expected }: SegmentToCheck,
  what: string,
  run: () => A,
  report: (flaw: Flaw) => void,
): Effect.Effect<A | undefined> =>
  Effect.sync(() => {
    try {
      return run()
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      report(wrongIn(expected)(`${what}, in ${stores.database.filename}.segments`, "readable content", reason))
      return undefined
    }
  })

const wrongIn =
  ({ file }: SegmentRecord) =>
  (what: string, expected: string, found: string, position: number | null = null): Flaw =>
    flaw("archive changed", position, { what: `segment ${file}: ${what}`, expected, found })

/** The segment has only its own tables, and describes itself as the log does. */
const tableFlaws = ({ database, expected, from }: SegmentToCheck, empty: Database.LogDatabase): ReadonlyArray<Flaw> => {
  const wrong = wrongIn(expected)
  for (const statement of TABLES) empty.run(statement)
  const [made, found] = [empty, database].map((each) =>
    each.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").map((row) => row.join(" ")),
  )
  const own = { ...expected, previous: from.hash }
  const [row, ...others] = database.rows("SELECT first, last, previous_hash, hash FROM segment")
  const says = [own.first, own.last, own.previous, own.hash]
  return [
    ...(JSON.stringify(made) === JSON.stringify(found) ? [] : [wrong("its tables", "those of a segment", "others")]),
    ...(others.length === 0 && JSON.stringify(row) === JSON.stringify(says)
      ? []
      : [wrong("its description of itself", says.join(", "), row?.join(", ") ?? "nothing")]),
  ]
}

/** A block's events continue the chain, have the block's positions, and are in the indexes of names and ids. */
const blockFlaws = (
  segment: SegmentToCheck,
  progress: SegmentProgress,
  [first, last, content]: ReadonlyArray<unknown>,
): ReadonlyArray<Flaw> => {
  const { database, expected, archived, stores } = segment
  const wrong = wrongIn(expected)
  const rows = unpackBlock(content)
  const from = progress.head
  progress.head = Verifier.walk(from, rows)
  const at = progress.head.position
  if (first !== from.position + 1 || last !== at || at !== from.position + rows.length)
    return [wrong("its events", `those that follow @${from.position}, and no others`, "others", at + 1)]
  for (const { payload, link } of rows) {
    const digest = digestIn(payload)
    if (digest !== undefined) progress.blobs.add(digest)
    const id = link.id.replaceAll("-", "")
    if (progress.lowest === "" || id < progress.lowest) progress.lowest = id
    if (id > progress.highest) progress.highest = id
  }
  const names = new Set(rows.flatMap(namesOf))
  progress.indexed += names.size
  const unnamed = [...names].filter((name) => database.rows(BLOCK_OF, [first, name]).length === 0)
  return [
    ...unnamed.map((name) => wrong(`its index of names, for ${name}`, `the block at @${first}`, "none")),
    ...rows.flatMap(({ link }) => {
      const [[position] = []] = database.rows("SELECT position FROM ids WHERE id = ?", [link.id])
      if (position === link.position) return []
      return [wrong(`its index of ids, for ${link.id}`, `@${link.position}`, String(position ?? "none"), link.position)]
    }),
    ...archived.add(rows, stores.database, stores.segments.floor()),
  ]
}

const BLOCK_OF = "SELECT 1 FROM block_names WHERE block = ? AND name = (SELECT id FROM names WHERE text = ?)"

/** Every required entry was found, so equal numbers prove that the indexes have no others. */
const totalFlaws = ({ database, expected }: SegmentToCheck, { indexed }: SegmentProgress): ReadonlyArray<Flaw> => {
  const wrong = wrongIn(expected)
  const [[names, ids] = []] = database.rows("SELECT (SELECT count(*) FROM block_names), (SELECT count(*) FROM ids)")
  const events = expected.last - expected.first + 1
  return [
    ...(names === indexed ? [] : [wrong("its index of names", `${indexed} entries`, String(names))]),
    ...(ids === events ? [] : [wrong("its index of ids", `${events} entries`, String(ids))]),
  ]
}

/** Each named blob exists with its digest, and there are no others. */
const blobFlaws = ({ database, expected }: SegmentToCheck, { blobs }: SegmentProgress): ReadonlyArray<Flaw> => {
  const wrong = wrongIn(expected)
  const [[count] = []] = database.rows("SELECT count(*) FROM blobs")
  return [
    ...(count === blobs.size ? [] : [wrong("its blobs", `${blobs.size} of them`, String(count))]),
    ...[...blobs].flatMap((digest) => {
      const [row] = database.rows("SELECT content FROM blobs WHERE digest = ?", [digest])
      if (row !== undefined && sha256(unpack(row[0])) === digest) return []
      return [wrong(`blob ${digest}`, "a text of this digest", row === undefined ? "none" : "another text")]
    }),
  ]
}
