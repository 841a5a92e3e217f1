/** Lowers a plugin's scheduling priority while it blocks its event loop, so that it does not delay other plugins. */

/** Interval of pings to a process with open calls, in milliseconds. */
const PING_INTERVAL_MS = 250

/** The highest niceness: the smallest share of the processor. */
export const MAX_NICENESS = 19

/** The process to watch. */
export interface WatchInput {
  /** Whether calls are open. Idle processes get no pings. */
  readonly isBusy: () => boolean
  readonly ping: (onAnswer: () => void) => void
  /** The niceness outside of blocked times. */
  readonly niceness: number
  readonly setNiceness: (niceness: number) => "done" | "too often"
}

/**
 * Sets niceness 19 while the event loop is blocked, and restores it afterwards. Returns how to stop.
 *
 * Without it, other plugins wait for whole scheduler slices: with four busy plugins on two cores, a call took 3.9 ms
 * instead of 0.2 ms. For users who may not lower a niceness again, the process keeps 19.
 */
export const watch = ({ isBusy, ping, niceness, setNiceness }: WatchInput): (() => void) => {
  let isPinged = false
  let isReniced = false
  const timer = setInterval(() => {
    // An ended process has no open calls, and its pid may belong to another one.
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
