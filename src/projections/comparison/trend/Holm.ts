/**
 * p-values as they are once it is taken into account that there are several: each is held against a share of what is
 * allowed, the smallest against the least (Holm, Scandinavian Journal of Statistics 6, 1979). In the order in which they came.
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
