/** Ranges of line numbers, as records of attributions state them. Pure. */

/** The first and the last line, from 1 on. */
export type LineRange = readonly [first: number, last: number]

/** Above any file that someone would attribute by lines. */
const MAX_LINE = 2 ** 31 - 1

/** Undefined unless both are line numbers in order. */
export const between = (first: unknown, last: unknown): LineRange | undefined =>
  isLine(first) && isLine(last) && first <= last ? [first, last] : undefined

const isLine = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MAX_LINE

/** `1,2,19-222`: undefined if it has another form. */
export const parse = (text: string): ReadonlyArray<LineRange> | undefined => {
  const ranges: Array<LineRange> = []
  for (const part of text.split(",")) {
    const [, first, last = first] = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(part) ?? []
    const range = between(Number(first), Number(last))
    if (range === undefined) return undefined
    ranges.push(range)
  }
  return ranges
}

export const format = (ranges: ReadonlyArray<LineRange>): string =>
  ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(",")

/** The ranges of lines in ascending order. */
export const ofLines = (lines: Iterable<number>): ReadonlyArray<LineRange> => {
  const ranges: Array<[number, number]> = []
  for (const line of lines) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] + 1 === line) last[1] = line
    else ranges.push([line, line])
  }
  return ranges
}
