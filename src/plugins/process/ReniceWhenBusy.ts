/**
 * Lowers the scheduling priority of a plugin process while it blocks its event loop, so that it does not delay other
 * plugins.
 */

/** How often a process with open calls is pinged, in milliseconds, to detect a blocked event loop. */
const PING_INTERVAL_MS = 250

/** The highest niceness, which is the smallest share of the processor. */
export const MAX_NICENESS = 19

/** The inputs of `watch`. */
export interface WatchInput {
  /** Whether calls are open. Idle processes are not pinged. */
  readonly isBusy: () => boolean
  readonly ping: (onAnswer: () => void) => void
  /** The niceness of the process when its event loop is not blocked. */
  readonly niceness: number
  readonly setNiceness: (niceness: number) => "done" | "too often"
}

/**
 * Sets a process's niceness to 19 while its event loop is blocked, and restores it afterwards. Returns how to stop.
 *
 * Without this, other plugins of the same niceness wait for whole scheduler time slices. With four busy plugins on two
 * cores, a call was measured at 3.9 ms instead of 0.2 ms. Not every user may lower a niceness again; for such a user
 * the process keeps 19.
 */
export const watch = ({ isBusy, ping, niceness, setNiceness }: WatchInput): (() => void) => {
  let isPinged = false
  let isReniced = false
  const timer = setInterval(() => {
    // A process that has ended has no open calls. Its pid may already belong to another process.
    if (!isBusy()) return
    if (isPinged && !isReniced) isReniced = setNiceness(Math.max(niceness, MAX_NICENESS)) === "done"
    if (isPinged) return
    isPinged = true
    ping(() => {
      isPinged = false
      if (!isReniced) return
      isReniced = false
      setNiceness(niceness)
    })
  }, PING_INTERVAL_MS).unref()
  return () => clearInterval(timer)
}
