/** The longest that Node's timers wait, 24 days; they would fire at once for more. */
const LONGEST_MS = 2 ** 31 - 1

/** One timer for whatever is due at some time: a timer for each would cost more than most calls do. */
export interface NextTimeout {
  /** Has it ring at this time of `performance.now`, or before. */
  readonly by: (at: number) => void
  readonly stop: () => void
}

/**
 * Makes an alarm. What it was set for may be done when it rings, for nothing is taken back: `ring` does what is due now, and
 * answers when the next is, `Infinity` where nothing is. It keeps no process alive: whoever is waited for does.
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
