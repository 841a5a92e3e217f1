/** A rate limit as a pure function of time: the generic cell rate algorithm (ITU-T I.371), a leaky bucket. */

/** A long-term rate in units per second, and a burst in units. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** The theoretical arrival time of the next unit, in milliseconds. */
export type Used = number

/** The state before the first use. */
export const unused: Used = Number.NEGATIVE_INFINITY

/**
 * Records a use at `now` and returns the wait that keeps the average rate within the limit: before this use, or before
 * the next one if this use is already over. Times are milliseconds of one clock.
 */
export const next = (
  { perSecond, burst }: Rate,
  used: Used,
  now: number,
  units = 1,
): { readonly waitMs: number; readonly used: Used } => {
  const every = 1000 / perSecond
  return {
    waitMs: Math.max(0, Math.max(0, used - now) - (burst - units) * every),
    used: Math.max(used, now) + units * every,
  }
}
