/** Pings a plugin process at intervals, to detect a blocked event loop. */

/** Number of consecutive unanswered pings after which the process counts as stuck. */
const MAX_MISSED = 2

/** The inputs of a heartbeat. */
export interface HeartbeatInput {
  /** Time between two pings, in milliseconds. */
  readonly pingMs: number
  readonly ping: (onAnswer: () => void) => void
  /** Called once, when too many pings in a row were unanswered, with the time that they took. */
  readonly stuck: (reason: string, silentMs: number) => void
}

/**
 * Pings a process at intervals, idle or busy, and returns how to stop. A plugin with a long call still answers pings if
 * it yields to its event loop.
 *
 * It uses Node's timers. If the host's own event loop is blocked, no ping is wrongly counted as missed, because two
 * intervals have to pass.
 */
export const start = ({ pingMs, ping, stuck }: HeartbeatInput): (() => void) => {
  let unanswered = false
  let missed = 0
  const timer = setInterval(() => {
    if (!unanswered) {
      unanswered = true
      missed = 0
      ping(() => {
        unanswered = false
      })
      return
    }
    missed++
    if (missed < MAX_MISSED) return
    clearInterval(timer)
    const silentMs = missed * pingMs
    stuck(`it answered no ping for ${silentMs} ms`, silentMs)
  }, pingMs)
  return () => clearInterval(timer)
}
