/**
 * Counts what is used against what may be used in a second, and `atOnce` beyond that. Answers how many milliseconds to wait
 * after each use, so that it comes to no more than that on the average.
 */
export const make = (perSecond: number, atOnce: number): ((used: number) => number) => {
  /** What was used beyond what was allowed up to `asOf`. */
  let debt = 0
  let asOf = performance.now()
  return (used) => {
    const now = performance.now()
    debt = Math.max(0, debt - ((now - asOf) / 1000) * perSecond) + used
    asOf = now
    return debt <= atOnce ? 0 : Math.ceil(((debt - atOnce) / perSecond) * 1000)
  }
}
