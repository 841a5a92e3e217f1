/** A rate limit as a pure function of time: how long a use, or the next one, has to wait. */

/** A rate limit: a long-term rate of units per second, and a burst size in units. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** The limit's state: the theoretical arrival time of the next unit, in milliseconds. */
export type Used = number

/** The state before the first use. */
export const unused: Used = Number.NEGATIVE_INFINITY

/**
 * Accounts for a use of some units at `now`. Returns the state after it, and the wait that keeps the average rate
 * within the limit: before this use, or before the next one if this use is over. Times are in milliseconds of one
 * clock. Pure. The generic cell rate algorithm, ITU-T I.371: a leaky bucket.
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
