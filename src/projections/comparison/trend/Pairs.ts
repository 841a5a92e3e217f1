/** Counts the pairs of a series: descending ones, tied ones, and all. */

/** The number of pairs whose earlier value is greater than the later one. Merge sort, O(n log n). */
export const descents = (values: ArrayLike<number>): number => {
  let from = Float64Array.from(values)
  let to = new Float64Array(from.length)
  let count = 0
  for (let width = 1; width < from.length; width *= 2) {
    for (let start = 0; start < from.length; start += 2 * width) {
      const middle = Math.min(start + width, from.length)
      const end = Math.min(start + 2 * width, from.length)
      let [left, right] = [start, middle]
      for (let at = start; at < end; at++) {
        const takeLeft = right === end || (left < middle && (from[left] ?? 0) <= (from[right] ?? 0))
        to[at] = from[takeLeft ? left++ : right++] ?? 0
        // The value from the right is smaller than all values that remain on the left.
        if (!takeLeft) count += middle - left
      }
    }
    ;[from, to] = [to, from]
  }
  return count
}

/** The number of occurrences of each value. A value without ties is a group of one. */
export const tieSizes = (values: ArrayLike<number>): ReadonlyArray<number> => {
  const counts = new Map<number, number>()
  for (const value of Array.from(values)) counts.set(value + 0, (counts.get(value + 0) ?? 0) + 1)
  return [...counts.values()]
}

/** The number of pairs among `count` values. */
export const pairsOf = (count: number): number => (count * Math.max(0, count - 1)) / 2
