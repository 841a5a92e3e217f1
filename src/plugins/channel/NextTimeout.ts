/** One Node timer for the earliest of many deadlines. A timer per call would cost more than most calls do. */

/** The maximum delay of Node's timers, 24 days. With a longer delay they fire at once. */
const LONGEST_MS = 2 ** 31 - 1

/** A timer for the earliest of many deadlines. */
export interface NextTimeout {
  /** Makes the timer fire no later than `at`, by `performance.now`. */
  readonly by: (at: number) => void
  readonly stop: () => void
}

/**
 * Makes a timer. Deadlines are not withdrawn, so it can fire when nothing is due. `ring` handles whatever is due and
 * returns the next deadline, or `Infinity` if there is none. The timer does not keep the process alive.
 */
export const make = (ring: () => number): NextTimeout => {
  let timer: NodeJS.Timeout | undefined
  let setFor = Number.POSITIVE_INFINITY
  const rings = () => {
    setFor = Number.POSITIVE_INFINITY
    by(ring())
  }
  const by = (at: number) => {
    if (at >= setFor) return
    setFor = at
    clearTimeout(timer)
    const inMs = Math.max(Math.ceil(at - performance.now()), 1)
    timer = setTimeout(rings, Math.min(inMs, LONGEST_MS)).unref()
  }
  return { by, stop: () => clearTimeout(timer) }
}
