/** Announces the commits of this process and of others: one follower serves all readers of a process. */

import type { Sequenced } from "../append/Sequencer.ts"
import * as CommitNotifier from "../read/CommitNotifier.ts"
import type { Head } from "../vocabulary/Event.ts"
import { committedAfter, readHead } from "./read.ts"
import type { Database } from "./server/connection.ts"
import type { Session } from "./server/session.ts"

/** How often it looks while the server announces appends, and while it does not. In milliseconds. */
const LOOK_EVERY_MS = 1_000
const LOOK_OFTEN_MS = 50

/** With more events of other processes, listeners must read. */
const MAX_ANNOUNCED = 1_000

export interface Follower {
  readonly commits: CommitNotifier.CommitNotifier
  /** Announces a commit of this process. */
  readonly committed: (batch: Sequenced) => void
  /** Stops, because the log is closing. */
  readonly end: () => void
  /** Wakes followers after the log has closed: their reads fail. */
  readonly closed: () => void
}

/**
 * Follows a log while somebody listens. A notification only wakes it: it reads the positions after the last, in order,
 * and looks every second in case a notification was lost. While the session is not connected, it looks 20 times a
 * second.
 */
export const make = (database: Database, session: Session): Follower => {
  /** The last announced head; undefined while nobody listens. */
  let head: Head | undefined
  let watching = 0
  let hasEnded = false
  let isLooking = false
  let isStale = false
  /** Ends the looks; undefined while nobody listens. */
  let stop: (() => void) | undefined

  const look = () => {
    isStale = true
    if (isLooking) return
    isLooking = true
    void lookUntilCurrent()
  }

  const lookUntilCurrent = async () => {
    while (isStale && stop !== undefined) {
      isStale = false
      const watch = watching
      try {
        await lookOnce(watch)
      } catch {
        // Listeners will read, and learn why. The next look comes with the timer.
        if (watching === watch) commits.notify()
      }
    }
    isLooking = false
  }

  const lookOnce = async (watch: number) => {
    if (head === undefined) {
      const now = await readHead({ query: database.queryOnce })
      if (watching !== watch) return
      head ??= now
      // Commits since the first listener came are unknown.
      commits.notify()
      return
    }
    const page = await committedAfter(database, head.position, MAX_ANNOUNCED)
    if (watching !== watch || head === undefined) return
    const { position } = head
    // This process may have announced some meanwhile.
    const events = page.events.filter((event) => event.position > position)
    const [first] = events
    if (first === undefined || page.head === undefined) return
    const isWhole = first.position === position + 1 && page.events.length < MAX_ANNOUNCED
    head = page.events.length < MAX_ANNOUNCED ? page.head : await readHead({ query: database.queryOnce })
    if (watching === watch) commits.notify(isWhole ? events : undefined)
  }

  const watch = () => {
    if (hasEnded) return () => {}
    watching += 1
    head = undefined
    const unlisten = session.listen(look)
    let timer: NodeJS.Timeout
    const lookAgain = () => {
      look()
      timer = setTimeout(lookAgain, session.isListening() ? LOOK_EVERY_MS : LOOK_OFTEN_MS)
    }
    const end = () => {
      stop = undefined
      watching += 1
      head = undefined
      clearTimeout(timer)
      unlisten()
    }
    stop = end
    lookAgain()
    return () => stop?.()
  }

  const commits = CommitNotifier.make(watch)

  return {
    commits,
    committed: (batch) => {
      const [first] = batch.rows
      if (first === undefined || hasEnded) return
      if (head !== undefined && first.position === head.position + 1) {
        head = batch.head
        commits.notify(batch.rows)
      } else if (head === undefined) commits.notify()
      // Others' events come first.
      else look()
    },
    end: () => {
      hasEnded = true
      stop?.()
    },
    closed: () => commits.notify(),
  }
}
