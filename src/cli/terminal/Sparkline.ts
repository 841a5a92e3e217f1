/** Sparklines: a series of numbers as one line of bar characters. */

const BARS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

/**
 * Values as a line of at most `cells` bars, scaled to `range`. With more values than cells, a bar shows the mean of
 * several values.
 */
export const line = (
  values: ReadonlyArray<number>,
  cells: number,
  [least, most]: readonly [number, number] = rangeOf(values),
): string => {
  const width = Math.min(cells, values.length)
  return Array.from({ length: width }, (_, cell) => {
    const from = Math.floor((cell * values.length) / width)
    const group = values.slice(from, Math.max(from + 1, Math.floor(((cell + 1) * values.length) / width)))
    const value = group.reduce((sum, each) => sum + each, 0) / group.length
    const share = most === least ? 0.5 : (value - least) / (most - least)
    return BARS[Math.min(BARS.length - 1, Math.max(0, Math.round(share * (BARS.length - 1))))]
  }).join("")
}

export const rangeOf = (values: ReadonlyArray<number>): readonly [number, number] => [
  values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
  values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY),
]
