/** A rate limiter: a leaky bucket that drains at a constant rate and answers how long to wait. */

/**
 * A bucket that drains `perSecond` units a second and holds `atOnce` units. The function adds the units used and
 * returns the milliseconds to wait before the next use, so that the average rate stays within the limit.
 */
export const make = (perSecond: number, atOnce: number): ((used: number) => number) => {
  /** Units in the bucket at `asOf`. */
  let debt = 0
  let asOf = performance.now()
  return (used) => {
    const now = performance.now()
    debt = Math.max(0, debt - ((now - asOf) / 1000) * perSecond) + used
    asOf = now
    return debt <= atOnce ? 0 : Math.ceil(((debt - atOnce) / perSecond) * 1000)
  }
}
