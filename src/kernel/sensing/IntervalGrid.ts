/** Shortest interval at which a sensor is read on its own, in milliseconds; a shorter one counts as this. */
export const SHORTEST_MS = 10

/** When something is due that repeats: at each multiple of an interval after a start. Times in milliseconds of one clock. */
export interface IntervalGrid {
  readonly startedAt: number
  readonly intervalMs: number
}

/**
 * The first tick after a moment. Ticks lie on a grid, so that no delay adds up; those that passed while something took
 * longer come to nothing but the next one. Pure.
 */
export const nextAfter = ({ startedAt, intervalMs }: IntervalGrid, moment: number): number => {
  const interval = Math.max(intervalMs, SHORTEST_MS)
  const passed = Math.floor((moment - startedAt) / interval)
  const next = startedAt + (passed + 1) * interval
  // Rounding may put a tick exactly on the moment, or the moment just below the tick that it is.
  return next > moment ? next : next + interval
}
