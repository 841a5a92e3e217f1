/** Pings that may go unanswered one after the other; then the process is stuck. */
const MISSED = 2

/** How signs of life are asked for. */
export interface Beating {
  /** Time between two pings, in milliseconds. */
  readonly pingMs: number
  readonly ping: (onAnswer: () => void) => void
  /** Called once, after as many pings as may be missed, with how long that was. */
  readonly stuck: (reason: string, silentMs: number) => void
}

/**
 * Asks for a sign of life again and again, whether the process is idle or busy; answers how to stop. A plugin that works
 * for long answers all the same, as long as it gives way to its event loop. By Node's own timers: a ping that waits
 * behind what blocks this process is not missed, for two of them have to pass.
 */
export const start = ({ pingMs, ping, stuck }: Beating): (() => void) => {
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
    if (missed < MISSED) return
    clearInterval(timer)
    const silentMs = missed * pingMs
    stuck(`it answered no ping for ${silentMs} ms`, silentMs)
  }, pingMs)
  return () => clearInterval(timer)
}
