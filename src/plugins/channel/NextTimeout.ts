/** One Node timer for the earliest of many deadlines. A timer per call would cost more than most calls do. */

/** The maximum delay of Node's timers, 24 days. With a longer delay they fire at once. */
const LONGEST_MS = 2 ** 31 - 1

/** A timer for the earliest of many deadlines. */
export interface NextTimeout {
  /** Makes the timer fire no later than `at`, by `performance.now`. */
  readonly noLaterThan: (at: number) => void
  readonly stop: () => void
}

/**
 * Makes a timer. Deadlines are not withdrawn, so it can fire when nothing is due. `onDue` handles whatever is due and
 * returns the next deadline, or `Infinity` if there is none. The timer does not keep the process alive.
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
