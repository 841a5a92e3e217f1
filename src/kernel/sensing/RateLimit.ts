/** A rate limit as a pure function of time. */

/** A rate limit: a long-term rate per second, and a burst size. */
export interface Rate {
  readonly perSecond: number
  readonly atOnce: number
}

/** The limit's state: the theoretical arrival time of the next event, in milliseconds. */
export type Used = number

/** The state before the first event. */
export const unused: Used = Number.NEGATIVE_INFINITY

/**
 * How long an event that arrives at `now` must wait, and the state after it. Times in milliseconds of one clock.
 * Pure. The generic cell rate algorithm, ITU-T I.371.
 */
export const next = (
  { perSecond, atOnce }: Rate,
  used: Used,
  now: number,
): { readonly waitMs: number; readonly used: Used } => {
  const every = 1000 / perSecond
  const waitMs = Math.max(0, used - (atOnce - 1) * every - now)
  return { waitMs, used: Math.max(used, now + waitMs) + every }
}
