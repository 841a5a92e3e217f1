/** A rate limit as a pure function of time: how long to wait for something to be allowed, or before the next. */

/** A rate limit: a long-term rate of units per second, and a burst size in units. */
export interface Rate {
  readonly perSecond: number
  readonly atOnce: number
}

/** The limit's state: the theoretical arrival time of the next unit, in milliseconds. */
export type Used = number

/** The state before the first use. */
export const unused: Used = Number.NEGATIVE_INFINITY

/**
 * How long a use of some units at `now` must wait, or whoever learns of it afterwards, so that the average rate stays
 * within the limit; and the state after it. Times in milliseconds of one clock. Pure. The generic cell rate algorithm,
 * ITU-T I.371: a leaky bucket.
 */
export const next = (
  { perSecond, atOnce }: Rate,
  used: Used,
  now: number,
  units = 1,
): { readonly waitMs: number; readonly used: Used } => {
  const every = 1000 / perSecond
  return {
    waitMs: Math.max(0, Math.max(0, used - now) - (atOnce - units) * every),
    used: Math.max(used, now) + units * every,
  }
}
