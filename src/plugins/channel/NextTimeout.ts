/** One Node timer for the earliest of many deadlines. A timer per call would cost more than most calls. */

/** Maximum delay of Node's timers, 24 days. Longer ones fire at once. */
const LONGEST_MS = 2 ** 31 - 1

/** A timer for the earliest deadline. */
export interface NextTimeout {
  /** Ensures that the timer fires by `at` (`performance.now`). */
  readonly noLaterThan: (at: number) => void
  readonly stop: () => void
}

/**
 * Deadlines are never withdrawn, so the timer can fire when nothing is due. `onDue` returns the next deadline, or
 * `Infinity` for none. The timer does not keep the process alive.
 */
export const make = (onDue: () => number): NextTimeout => {
  let timer: NodeJS.Timeout | undefined
  let scheduledFor = Number.POSITIVE_INFINITY
  const fire = () => {
    scheduledFor = Number.POSITIVE_INFINITY
    noLaterThan(onDue())
  }
  const noLaterThan = (at: number) => {
    if (at >= scheduledFor) return
    scheduledFor = at
    clearTimeout(timer)
    const inMs = Math.max(Math.ceil(at - performance.now()), 1)
    timer = setTimeout(fire, Math.min(inMs, LONGEST_MS)).unref()
  }
  return { noLaterThan, stop: () => clearTimeout(timer) }
}
