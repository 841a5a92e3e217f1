/** The lines that an edit removes and adds. */

export interface Line {
  readonly kind: "same" | "removed" | "added"
  readonly text: string
}

/** Maximum number of comparisons. Beyond, everything between the common ends counts as replaced. */
const MOST = 1_000_000

/** Lines of context around a change. */
const CONTEXT = 3

/** All lines of both texts, those in common once. */
export const lineDiff = (before: string, after: string): ReadonlyArray<Line> => {
  const [a, b] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  const middle = left.length * right.length > MOST ? replaced(left, right) : aligned(left, right)
  const same = (text: string): Line => ({ kind: "same", text })
  return [...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)]
}

/** The changed lines with those around them; null for each gap. */
export const withContext = (lines: ReadonlyArray<Line>): ReadonlyArray<Line | null> => {
  const near = new Set<number>()
  for (const [at, { kind }] of lines.entries())
    if (kind !== "same") for (let by = -CONTEXT; by <= CONTEXT; by++) near.add(at + by)
  const shown: Array<Line | null> = []
  for (const [at, line] of lines.entries()) {
    if (near.has(at)) shown.push(line)
    else if (shown.at(-1) !== null) shown.push(null)
  }
  return shown
}

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split("\n"))

const replaced = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): ReadonlyArray<Line> => [
  ...left.map((text): Line => ({ kind: "removed", text })),
  ...right.map((text): Line => ({ kind: "added", text })),
]

/** By a longest common subsequence. */
const aligned = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): ReadonlyArray<Line> => {
  const width = right.length + 1
  /** The length of the longest common subsequence after a pair of lines. */
  const common = new Uint32Array((left.length + 1) * width)
  const of = (a: number, b: number): number => common[a * width + b] ?? 0
  for (let a = left.length - 1; a >= 0; a--)
    for (let b = right.length - 1; b >= 0; b--)
      common[a * width + b] = left[a] === right[b] ? of(a + 1, b + 1) + 1 : Math.max(of(a + 1, b), of(a, b + 1))
  const lines: Array<Line> = []
  let [a, b] = [0, 0]
  while (a < left.length || b < right.length) {
    if (a < left.length && b < right.length && left[a] === right[b]) {
      lines.push({ kind: "same", text: left[a] ?? "" })
      a += 1
      b += 1
    } else if (a < left.length && (b === right.length || of(a + 1, b) >= of(a, b + 1))) {
      lines.push({ kind: "removed", text: left[a] ?? "" })
      a += 1
    } else {
      lines.push({ kind: "added", text: right[b] ?? "" })
      b += 1
    }
  }
  return lines
}
