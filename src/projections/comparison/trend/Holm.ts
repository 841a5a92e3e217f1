/** Holm's correction for multiple tests. */

/**
 * Corrects p-values for their number, comparing the smallest with the strictest threshold (Holm, Scandinavian Journal
 * of Statistics 6, 1979). Keeps the order.
 */
export const holm = (ps: ReadonlyArray<number>): ReadonlyArray<number> => {
  const adjusted = ps.map(() => 1)
  let largest = 0
  ps.map((p, index) => ({ p, index }))
    .sort((a, b) => a.p - b.p)
    .forEach(({ p, index }, rank) => {
      largest = Math.max(largest, Math.min(1, p * (ps.length - rank)))
      adjusted[index] = largest
    })
  return adjusted
}
