/**
 * What this process knows of the newest events of a log on a server. One read at a time brings it up to date, and all who
 * ask meanwhile share the next one.
 */

import type { Sequenced } from "../append/Sequencer.ts"
import type { Committed, Glance } from "../log/EventLog.ts"
import * as LastPositions from "../read/LastPositions.ts"
import type { Head } from "../vocabulary/Event.ts"
import { COMMITTED_COLUMNS } from "./pageQuery.ts"
import { EMPTY, readHead, textOrNull } from "./read.ts"
import type { Database, Row } from "./server/connection.ts"
import { tailLost } from "./server/errors.ts"

/** With more events of other processes, listeners must read. */
const MAX_ANNOUNCED = 1_000

export interface Newest {
  /**
   * Looks, in a read that begins after the call. Announces what others have committed. Rejects if the head of the look
   * before is gone from the log.
   */
  readonly look: () => Promise<Glance>
  /** Notes a commit of this process. False if others have committed before it, and somebody must look. */
  readonly committed: (batch: Sequenced) => boolean
  /** Whether a position was already seen. */
  readonly has: (position: number) => boolean
}

/**
 * @param keyOfSnapshots a statement for the epoch of snapshots, without rights to which nothing can be read; undefined
 *   if this process has no keys
 * @param announce receives the events of others in order, or nothing if they are unknown
 */
export const make = (
  database: Database,
  keyOfSnapshots: () => Promise<string | undefined>,
  announce: (events?: ReadonlyArray<Committed>) => void,
): Newest => {
  const last = LastPositions.make()
  /** Undefined until the first look, and after a failed one. */
  let head: Head | undefined
  let epoch = ""
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<Glance> | undefined

  const startAt = (now: Head) => {
    head = now
    last.startAfter(now.position)
    announce()
  }

  const lookOnce = async (): Promise<Glance> => {
    const keys = await keyOfSnapshots()
    const known = head
    const rows = await database.queryOnce(keys === undefined ? COMMITTED : committedWith(keys), [
      known?.position ?? Number.MAX_SAFE_INTEGER,
      MAX_ANNOUNCED + 1,
    ])
    epoch = String(rows[0]?.[0] ?? "")
    const events = rows.filter(([, position]) => position !== null)
    const now = head
    // Whoever read the lost events must not go on as if they were there.
    if (known !== undefined && !begins(events, known)) throw tailLost(database.address, known)
    if (known === undefined || now === undefined || events.length > MAX_ANNOUNCED)
      startAt(await readHead({ query: database.queryOnce }))
    else {
      // This process may have committed some meanwhile.
      const later = events.filter((row) => Number(row[1]) > now.position)
      const end = later.at(-1)
      if (end !== undefined) {
        const committed = later.map(committedOf)
        last.take(committed)
        head = { position: Number(end[1]), hash: String(end[8]) }
        announce(committed)
      }
    }
    return { head: head ?? EMPTY, epoch, mayHave: last.mayHave }
  }

  return {
    look: () => {
      next ??= running
        .catch(() => {})
        .then(() => {
          const own = lookOnce()
          next = undefined
          running = own
          return own
        })
      return next
    },
    committed: (batch) => {
      const [first] = batch.rows
      if (first === undefined) return true
      if (head === undefined || first.position !== head.position + 1) return false
      last.take(batch.rows)
      head = batch.head
      return true
    },
    has: (position) => head !== undefined && position <= head.position,
  }
}

/** Whether the known head is still in the log. */
const begins = (events: ReadonlyArray<Row>, { position, hash }: Head): boolean =>
  position === 0 || (Number(events[0]?.[1]) === position && events[0]?.[8] === hash)

const committedOf = ([, position, timeline, stream, version, type, taskId, occurredAt]: Row): Committed => ({
  position: Number(position),
  timeline: String(timeline),
  stream: String(stream),
  version: Number(version),
  type: String(type),
  taskId: textOrNull(taskId),
  occurredAt: Number(occurredAt),
})

/** One row at least, for the epoch. The first event is the known head. */
const committedWith = (epoch: string) => `SELECT k.epoch, ${COMMITTED_COLUMNS}, encode(hash, 'hex')
  FROM (SELECT (${epoch}) AS epoch) AS k LEFT JOIN LATERAL
    (SELECT * FROM events WHERE position >= $1 ORDER BY position LIMIT $2) AS e ON true ORDER BY position`

const COMMITTED = committedWith("SELECT ''")
