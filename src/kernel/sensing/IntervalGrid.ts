/** The times at which a sensor with an interval is read. */

/** Minimum interval of a sensor, in milliseconds. Shorter ones are raised to it. */
export const MIN_INTERVAL_MS = 10

/** The multiples of an interval after a start, in milliseconds of one clock. */
export interface IntervalGrid {
  readonly startedAt: number
  readonly intervalMs: number
}

/** The grid is fixed: delays do not accumulate, and ticks during a long reading are skipped. */
export const nextAfter = ({ startedAt, intervalMs }: IntervalGrid, time: number): number => {
  const interval = Math.max(intervalMs, MIN_INTERVAL_MS)
  const passed = Math.floor((time - startedAt) / interval)
  const next = startedAt + (passed + 1) * interval
  // Rounding may put a tick exactly on `time`, or `time` just below the tick that it equals.
  return next > time ? next : next + interval
}
