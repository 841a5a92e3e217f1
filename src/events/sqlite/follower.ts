/**
 * Knows a log's newest events without reads: one follower serves all readers, waiters and followers of this process. It
 * announces commits of this process and of others.
 */

import * as EventLoopTurn from "../../platform/EventLoopTurn.ts"
import type { Sequenced } from "../append/Sequencer.ts"
import type { Committed, Query } from "../log/EventLog.ts"
import * as CommitNotifier from "../read/CommitNotifier.ts"
import * as LastPositions from "../read/LastPositions.ts"
import type { Event, Head } from "../vocabulary/Event.ts"
import type { LogDatabase } from "./file/database.ts"
import { committedOf, type Reader, readHead } from "./read.ts"
import * as RecentEvents from "./recentEvents.ts"
import { HAS_EVENT } from "./writeRows.ts"

/** In milliseconds. */
const LOOK_EVERY_MS = 50

/** With more events of other processes, listeners must read. */
const MAX_ANNOUNCED = 1000

export interface Follower {
  /** Announces commits: those of this process at once, others within 50 ms. */
  readonly commits: CommitNotifier.CommitNotifier
  /** Stops looking for other processes' commits, because the log is closing. */
  readonly end: () => void
  /** Wakes followers after the log has closed: their reads fail. */
  readonly closed: () => void
  /** See `EventLog.onCommit`. Announces only commits. */
  readonly onCommit: CommitNotifier.CommitNotifier["listen"]
  /** Notes rows that this process committed, before any other commit or read. */
  readonly committed: (batch: Sequenced) => void
  /** Announces the rows that `committed` noted. */
  readonly announce: () => void
  /** Drops cached events after archiving moved some; later reads find them where they are. */
  readonly moved: () => void
  /** The last position and its hash. */
  readonly head: () => Head
  /** A page of a query; undefined if the cache may lack some of its events. */
  readonly page: (query: Query, limit: number) => ReadonlyArray<Event> | undefined
  /** See `EventLog.mayHave`. */
  readonly mayHave: (query: Query) => boolean
}

/**
 * Follows the log of a connection.
 *
 * Once per turn of the event loop with a read, and every 50 ms while somebody listens, `PRAGMA data_version`
 * (https://sqlite.org/pragma.html#pragma_data_version) shows whether another connection has committed. Only then does
 * it read the head and the new events. So a result is as current as a query in the same turn, and costs about 6 µs,
 * with the check of the file, while nobody else writes. Appends never rely on this memory: the writer checks versions
 * in the statement that inserts.
 */
export const make = (reader: Reader, isShared: boolean): Follower => {
  const { database } = reader
  const recent = RecentEvents.make(reader.upcast)
  const last = LastPositions.make()
  let verifiedIn = versionOf(database)
  let head = readHead(database)
  let lookedIn: number | undefined
  /** To announce, in order. */
  const unannounced: Array<ReadonlyArray<Committed> | undefined> = []
  let isAnnouncing = false
  last.startAfter(head.position)

  /** Events of other processes between two positions; undefined if they are too many or unreadable. */
  const eventsOfOthers = (from: Head, until: number): ReadonlyArray<Committed> | undefined => {
    if (until < from.position || until > from.position + MAX_ANNOUNCED) return undefined
    try {
      // If a copy overwrote the file, earlier positions may have other events too.
      if (from.position > 0 && !hasEvent(from)) return undefined
      const events = committedOf(reader, { after: from.position, until }, MAX_ANNOUNCED)
      return events.length === until - from.position ? events : undefined
    } catch {
      // Listeners will read, and learn why.
      return undefined
    }
  }

  const hasEvent = ({ position, hash }: Head) =>
    database.rows(HAS_EVENT, [position, Buffer.from(hash, "hex")]).length === 1

  /** Notes that other processes have committed up to this position. */
  const takeOthers = (until: number) => {
    const events = eventsOfOthers(head, until)
    if (events === undefined) last.startAfter(until)
    else last.take(events)
    recent.startAfter(until)
    unannounced.push(events)
  }

  /** Looks for other connections' commits, once per turn. */
  const look = () => {
    const turn = EventLoopTurn.current()
    // A closed log returns nothing from memory.
    if (!hasEnded && (lookedIn === turn || !isShared)) return
    const version = versionOf(database)
    if (version !== verifiedIn) {
      const now = readHead(database)
      if (now.position !== head.position || now.hash !== head.hash) takeOthers(now.position)
      head = now
      verifiedIn = version
    }
    lookedIn = turn
    announce()
  }

  const announce = () => {
    if (isAnnouncing) return
    isAnnouncing = true
    try {
      while (unannounced.length > 0) commits.notify(unannounced.shift())
    } finally {
      isAnnouncing = false
    }
  }

  let looking: NodeJS.Timeout | undefined
  let hasEnded = false

  const endLooking = () => clearInterval(looking)

  const watch = () => {
    if (!isShared || hasEnded) return () => {}
    const lookAndAnnounce = () => {
      try {
        look()
      } catch {
        // Listeners will read, and learn why.
        commits.notify()
      }
    }
    lookAndAnnounce()
    looking = setInterval(lookAndAnnounce, LOOK_EVERY_MS)
    return endLooking
  }

  const commits = CommitNotifier.make(watch)

  return {
    commits,
    announce,
    end: () => {
      hasEnded = true
      endLooking()
    },
    closed: () => commits.notify(),
    onCommit: (listener) =>
      commits.listen((events) => {
        if (!hasEnded) listener(events)
      }),
    committed: (batch) => {
      const [first] = batch.rows
      if (first === undefined) return
      if (first.position !== head.position + 1) takeOthers(first.position - 1)
      recent.committed(batch)
      last.take(batch.rows)
      head = batch.head
      unannounced.push(batch.rows)
    },
    moved: () => recent.startAfter(head.position),
    head: () => {
      look()
      return head
    },
    page: (query, limit) => {
      if (!recent.has(query)) return undefined
      look()
      return recent.page(query, limit)
    },
    mayHave: (query) => {
      try {
        look()
        return last.mayHave(query)
      } catch {
        // The following read will fail and say why.
        return true
      }
    },
  }
}

const versionOf = (database: LogDatabase): unknown => database.rows("PRAGMA data_version")[0]?.[0]
