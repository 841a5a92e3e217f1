/**
 * What this process knows of a log's newest events without reading them: one follower for all who read, wait or follow. It tells
 * what was committed, by this process and by others.
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

/** How often commits of other processes are looked for while somebody listens, in milliseconds. */
const LOOK_EVERY_MS = 50

/** Most events of other processes that are told of one by one. Where there are more, who is told has to read. */
const MAX_TOLD = 1000

/** The newest events of a log, in memory. */
export interface Follower {
  /** Whom to tell of commits: of this process at once, of others within 50 ms. */
  readonly commits: CommitNotifier.CommitNotifier
  /** Ends looking for commits of other processes: the log is being closed. */
  readonly end: () => void
  /** Tells those who follow that the log is closed: they read, and find that out. */
  readonly closed: () => void
  /** See `EventLog.onCommit`: told of commits alone. */
  readonly onCommit: CommitNotifier.CommitNotifier["listen"]
  /** Takes note of rows that this process committed, before anything else is committed or read. */
  readonly committed: (batch: Sequenced) => void
  /** Tells of what `committed` took note of. */
  readonly tell: () => void
  /** Drops the events that are kept, because events were moved: from then on they are read where they are. */
  readonly moved: () => void
  /** The last position and its hash. */
  readonly head: () => Head
  /** A page of a query; undefined if it may have events that are not kept here. */
  readonly page: (query: Query, limit: number) => ReadonlyArray<Event> | undefined
  /** See `EventLog.mayHave`. */
  readonly mayHave: (query: Query) => boolean
}

/**
 * Follows the log that a connection reads, or appends to.
 *
 * Whether another connection has committed is asked once in each turn of the event loop in which somebody reads, by `PRAGMA data_version`
 * (https://sqlite.org/pragma.html#pragma_data_version: commits of the connection itself do not change it), and every 50 ms
 * while somebody listens. Only where it has, the head is read, and what is new after it. So an answer is as
 * current as a query that was made in the same turn, and while nobody else writes, nothing but that pragma is asked (about
 * 6 µs with the check that the file is still in its place). The memory is never the truth of an append: its versions are checked by the
 * writer, in the statement that inserts.
 */
export const make = (reader: Reader, isShared: boolean): Follower => {
  const { database } = reader
  const recent = RecentEvents.make(reader.upcast)
  const last = LastPositions.make()
  let verifiedIn = versionOf(database)
  let head = readHead(database)
  let lookedIn: number | undefined
  /** What is to be told of, in order. */
  const untold: Array<ReadonlyArray<Committed> | undefined> = []
  let isTelling = false
  last.startAfter(head.position)

  /** The events between two positions, which other processes committed; undefined if they are too many, or cannot be read. */
  const eventsOfOthers = (from: Head, until: number): ReadonlyArray<Committed> | undefined => {
    if (until < from.position || until > from.position + MAX_TOLD) return undefined
    try {
      // Where a copy was written over the file, other events may be at earlier positions too.
      if (from.position > 0 && !hasEvent(from)) return undefined
      const events = committedOf(reader, { after: from.position, until }, MAX_TOLD)
      return events.length === until - from.position ? events : undefined
    } catch {
      // Who is told reads, and finds out why.
      return undefined
    }
  }

  const hasEvent = ({ position, hash }: Head) =>
    database.rows(HAS_EVENT, [position, Buffer.from(hash, "hex")]).length === 1

  /** Takes note that other processes have committed, up to this position. */
  const takeOthers = (until: number) => {
    const events = eventsOfOthers(head, until)
    if (events === undefined) last.startAfter(until)
    else last.take(events)
    recent.startAfter(until)
    untold.push(events)
  }

  /** Takes note of what other connections committed, unless that was done in this turn. */
  const look = () => {
    const turn = EventLoopTurn.current()
    // A log that is closed answers nothing more from memory.
    if (!hasEnded && (lookedIn === turn || !isShared)) return
    const version = versionOf(database)
    if (version !== verifiedIn) {
      const now = readHead(database)
      if (now.position !== head.position || now.hash !== head.hash) takeOthers(now.position)
      head = now
      verifiedIn = version
    }
    lookedIn = turn
    tell()
  }

  const tell = () => {
    if (isTelling) return
    isTelling = true
    try {
      while (untold.length > 0) commits.notify(untold.shift())
    } finally {
      isTelling = false
    }
  }

  let looking: NodeJS.Timeout | undefined
  let hasEnded = false

  const endLooking = () => clearInterval(looking)

  /** Looks while somebody listens. */
  const watch = () => {
    if (!isShared || hasEnded) return () => {}
    const lookAndTell = () => {
      try {
        look()
      } catch {
        // Who is told reads, and finds out why.
        commits.notify()
      }
    }
    // What was committed before is no news.
    lookAndTell()
    looking = setInterval(lookAndTell, LOOK_EVERY_MS)
    return endLooking
  }

  const commits = CommitNotifier.make(watch)

  return {
    commits,
    tell,
    end: () => {
      hasEnded = true
      endLooking()
    },
    closed: () => commits.notify(),
    onCommit: (told) =>
      commits.listen((events) => {
        if (!hasEnded) told(events)
      }),
    committed: (batch) => {
      const [first] = batch.rows
      if (first === undefined) return
      if (first.position !== head.position + 1) takeOthers(first.position - 1)
      recent.committed(batch)
      last.take(batch.rows)
      head = batch.head
      untold.push(batch.rows)
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
        // The read that follows finds out why.
        return true
      }
    },
  }
}

const versionOf = (database: LogDatabase): unknown => database.rows("PRAGMA data_version")[0]?.[0]
