/** Pings a plugin process to detect a blocked event loop. */

/** Consecutive unanswered pings that make a process stuck. */
const MAX_MISSED = 2

/** The pings, and the consequence of missing them. */
export interface HeartbeatInput {
  /** Interval in milliseconds. */
  readonly pingMs: number
  readonly ping: (onAnswer: () => void) => void
  /** Called once, with the time that the unanswered pings took. */
  readonly stuck: (reason: string, silentMs: number) => void
}

/**
 * Pings a process, idle or busy, and returns how to stop. A plugin in a long call still answers if it yields to its
 * event loop.
 *
 * Node's timers make this safe when the host's own event loop is blocked: two intervals have to pass before a ping
 * counts as missed.
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
