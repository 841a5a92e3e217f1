/** Announces the commits of this process and of others: one follower serves all readers of a process. */

import type { Sequenced } from "../append/Sequencer.ts"
import type { Glance } from "../log/EventLog.ts"
import * as CommitNotifier from "../read/CommitNotifier.ts"
import * as Newest from "./newest.ts"
import type { Database } from "./server/connection.ts"
import type { Session } from "./server/session.ts"

/** How often it looks while the server announces appends, and while it does not. In milliseconds. */
const LOOK_EVERY_MS = 1_000
const LOOK_OFTEN_MS = 50

export interface Follower {
  readonly commits: CommitNotifier.CommitNotifier
  /** Announces a commit of this process. */
  readonly committed: (batch: Sequenced) => void
  /** Looks at the log as it is now. */
  readonly glance: () => Promise<Glance>
  /** Stops, because the log is closing. */
  readonly end: () => void
  /** Wakes followers after the log has closed: their reads fail. */
  readonly closed: () => void
}

/**
 * Follows a log while somebody listens. A notification only wakes it: it reads the positions after the last, in order,
 * and looks every second in case a notification was lost. While the session is not connected, it looks 20 times a
 * second.
 *
 * @param keyOfSnapshots see `Newest.make`
 */
export const make = (
  database: Database,
  session: Session,
  keyOfSnapshots: () => Promise<string | undefined>,
): Follower => {
  let hasEnded = false
  /** Ends the looks; undefined while nobody listens. */
  let stop: (() => void) | undefined

  const newest = Newest.make(database, keyOfSnapshots, (events) => {
    if (!hasEnded) commits.notify(events)
  })

  const look = () => {
    // Listeners will read, and learn why. The next look comes with the timer.
    newest.look().catch(() => {
      if (stop !== undefined) commits.notify()
    })
  }

  const watch = () => {
    if (hasEnded) return () => {}
    // Most commits are this process's own, and known before the server announces them.
    const unlisten = session.listen((position) => {
      if (position === undefined || !newest.has(position)) look()
    })
    let timer: NodeJS.Timeout
    const lookAgain = () => {
      look()
      timer = setTimeout(lookAgain, session.isListening() ? LOOK_EVERY_MS : LOOK_OFTEN_MS)
    }
    const end = () => {
      stop = undefined
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
      if (batch.rows.length === 0 || hasEnded) return
      if (newest.committed(batch)) commits.notify(batch.rows)
      // Others' events come first.
      else if (stop !== undefined) look()
    },
    glance: newest.look,
    end: () => {
      hasEnded = true
      stop?.()
    },
    closed: () => commits.notify(),
  }
}
