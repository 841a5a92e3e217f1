/** Holm's correction for multiple tests. */

/**
 * The p-values after correction for their number: the smallest is compared with the strictest threshold (Holm,
 * Scandinavian Journal of Statistics 6, 1979). In the order of the input.
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
