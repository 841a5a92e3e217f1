/** The index of words in a log's database: `tsvector`s by position, which searches extend and nobody needs. */

import { Effect } from "effect"
import type { LogError } from "../../log/EventLog.ts"
import type { IndexedWords, IndexReach, WantedWords, WordIndex } from "../../words/WordIndex.ts"
import { attempt, attemptRead, type Database, type Query } from "../server/connection.ts"
import { queryOf, queryOfOne, vectorsOf } from "./vectors.ts"

/** @param version of the words: an index of an earlier one is replaced, and one of a later one is left alone */
export const make = (database: Database, version: number): WordIndex => {
  const { address, query } = database
  const reading = <A>(read: () => Promise<A>): Effect.Effect<A, LogError> => attemptRead(address, read)
  return {
    reach: reading(async (): Promise<IndexReach> => {
      const [row] = await query(REACH)
      const [found, position, hash, isWritable] = row ?? [0, 0, "", false]
      const isOwn = Number(found) === version
      return {
        position: isOwn ? Number(position) : 0,
        hash: isOwn ? String(hash) : "",
        mayExtend: isWritable === true && Number(found) <= version,
      }
    }),
    add: (after, rows, reached) =>
      attempt(address, () =>
        changing(database, async (query, { position, isOwn }) => {
          if ((isOwn ? position : 0) !== after) return false
          if (after === 0) await query("TRUNCATE words")
          for (const part of statementsOf(rows)) await query(ADD, columnsOf(part))
          await query(EXTEND, [version, reached.position, reached.hash])
          return true
        }),
      ),
    clear: (seen) =>
      Effect.asVoid(
        attempt(address, () =>
          changing(database, async (query, { position, isOwn }) => {
            if (!isOwn || position !== seen) return false
            await query("TRUNCATE words")
            await query(EXTEND, [version, 0, ""])
            return true
          }),
        ),
      ),
    positions: (wanted, before, limit) => reading(() => positionsIn(query, wanted, before, limit)),
    personal: (before, limit) =>
      reading(async () => (await query(PERSONAL, [before, limit])).map(([position]) => Number(position))),
  }

  /** Changes the index in one transaction, one process at a time. It need not survive a crash, because it can be built again. */
  function changing(
    { transaction }: Database,
    body: (query: Query, found: { readonly position: number; readonly isOwn: boolean }) => Promise<boolean>,
  ): Promise<boolean> {
    return transaction("BEGIN", async (query) => {
      await query("SET LOCAL synchronous_commit = off")
      const [row] = await query(`SELECT version, ${REACHED} FROM words_reach FOR UPDATE`)
      const found = Number(row?.[0] ?? 0)
      // A later version's.
      if (row === undefined || found > version) return false
      return body(query, { position: Number(row[1]), isOwn: found === version })
    })
  }
}

/** An emptied table holds nothing of the events that it was said to reach. */
const REACHED = "CASE WHEN EXISTS (SELECT FROM words) THEN position ELSE 0 END"

const REACH = `SELECT version, ${REACHED}, hash, has_table_privilege('words', 'INSERT') AND current_setting('transaction_read_only') = 'off'
  AND NOT pg_is_in_recovery() FROM words_reach`

const EXTEND = "UPDATE words_reach SET version = $1, position = $2, hash = $3"

const PERSONAL = "SELECT position FROM words WHERE words IS NULL AND position < $1 ORDER BY position DESC LIMIT $2"

/** Rows of the table: several for an event whose words exceed a vector. */
interface Stored {
  readonly row: IndexedWords
  readonly part: number
  readonly whole: boolean
  readonly vector: string | null
}

const ADD = `INSERT INTO words (position, part, task_id, kinds, whole, words)
  SELECT position, part, task, string_to_array(kinds, ' '), whole, words::tsvector
  FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::boolean[], $6::text[]) AS a(position, part, task, kinds, whole, words)`

const columnsOf = (stored: ReadonlyArray<Stored>): ReadonlyArray<unknown> => [
  stored.map(({ row }) => row.position),
  stored.map(({ part }) => part),
  stored.map(({ row }) => row.taskId),
  stored.map(({ row }) => row.kinds.join(" ")),
  stored.map(({ whole }) => whole),
  stored.map(({ vector }) => vector),
]

/** In characters: the server handles a statement in well under a second. */
const MAX_STATEMENT = 2_000_000

/** Divides rows so that each statement stays small. */
const statementsOf = function* (rows: ReadonlyArray<IndexedWords>): Generator<ReadonlyArray<Stored>> {
  let held: Array<Stored> = []
  let size = 0
  for (const row of rows) {
    const { whole, texts } = row.words === null ? { whole: true, texts: [null] } : vectorsOf(row.words)
    for (const [part, vector] of texts.entries()) {
      held.push({ row, part, whole, vector })
      size += (vector?.length ?? 0) + 100
      if (size < MAX_STATEMENT) continue
      yield held
      held = []
      size = 0
    }
  }
  if (held.length > 0) yield held
}

/**
 * How many of the newest positions to look at: first few, then more. A frequent word fills a page from the first ones
 * without a scan of all; a rare one has few rows everywhere.
 */
const WINDOWS: ReadonlyArray<number> = [4_096, 131_072, Number.POSITIVE_INFINITY]

const positionsIn = async (
  query: Query,
  { query: { terms }, taskId, kinds = [] }: WantedWords,
  before: number,
  limit: number,
): Promise<ReadonlyArray<number>> => {
  const asked = [queryOf(terms), queryOfOne(terms), taskId ?? null, kinds.length === 0 ? null : kinds]
  const found: Array<number> = []
  let end = before
  for (const window of WINDOWS) {
    if (end <= 1) break
    const first = Math.max(1, before - window)
    const rows = await query(POSITIONS, [...asked, first, end, limit - found.length])
    for (const [position] of rows) found.push(Number(position))
    if (found.length >= limit) break
    end = first
  }
  return found
}

const POSITIONS = `SELECT DISTINCT position FROM words
  WHERE (words @@ $1::tsquery AND whole OR words @@ $2::tsquery AND NOT whole)
    AND ($3::text IS NULL OR task_id = $3) AND ($4::text[] IS NULL OR kinds && $4) AND position >= $5 AND position < $6
  ORDER BY position DESC LIMIT $7`
