/** Eighths of a cell, from the bottom. */
const BARS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

/**
 * Values as a line of bars, from the least to the greatest of `range`; where there are more values than cells, each cell is
 * the mean of those it stands for.
 */
export const line = (
  values: ReadonlyArray<number>,
  cells: number,
  [least, most]: readonly [number, number] = rangeOf(values),
): string => {
  const width = Math.min(cells, values.length)
  return Array.from({ length: width }, (_, cell) => {
    const from = Math.floor((cell * values.length) / width)
    const own = values.slice(from, Math.max(from + 1, Math.floor(((cell + 1) * values.length) / width)))
    const value = own.reduce((sum, each) => sum + each, 0) / own.length
    const share = most === least ? 0.5 : (value - least) / (most - least)
    return BARS[Math.min(BARS.length - 1, Math.max(0, Math.round(share * (BARS.length - 1))))]
  }).join("")
}

/** The least and the greatest of some values. */
export const rangeOf = (values: ReadonlyArray<number>): readonly [number, number] => [
  values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
  values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY),
]
