/**
 * Predicts numbers in columns from earlier rows and columns. A recorded column contains only the difference to its
 * prediction, which is mostly zero: for a count, a copy in single precision, an integrated speed.
 */

/** Columns of numbers, all of the same length. */
export type Columns = ReadonlyArray<Float64Array>

/**
 * A rule that predicts a number of its column. `p`: the previous number. `l`: by a straight line through the previous
 * two. `c` and `f`: a copy of an earlier column's number in this row, `f` in single precision. `a`: the previous number
 * plus an earlier column's in this row. `e`: the previous number plus a multiple of another column's previous one, as
 * Euler's method integrates. `m`: the previous number plus the change in the last row with the same number in an earlier
 * column, as an action has the same effect.
 */
export type Predictor =
  | readonly ["p"]
  | readonly ["l"]
  | readonly ["c" | "f" | "a" | "m", column: number]
  | readonly ["e", column: number, factor: number]

/** Predicts the number of a column in a row. Earlier rows are complete, and so are earlier columns of this row. */
export type Predict = (row: number) => number

/** The rule as a function of the row. The result is finite for finite columns, or NaN or infinite, which fits nothing. */
export const predictorOf = (columns: Columns, column: number, predictor: Predictor): Predict => {
  const own = columns[column] ?? EMPTY
  const previous = (row: number) => (row > 0 ? (own[row - 1] ?? 0) : 0)
  switch (predictor[0]) {
    case "p":
      return previous
    case "l":
      return (row) => (row > 1 ? 2 * (own[row - 1] ?? 0) - (own[row - 2] ?? 0) : previous(row))
    case "c": {
      const other = columns[predictor[1]] ?? EMPTY
      return (row) => other[row] ?? 0
    }
    case "f": {
      const other = columns[predictor[1]] ?? EMPTY
      return (row) => Math.fround(other[row] ?? 0)
    }
    case "a": {
      const other = columns[predictor[1]] ?? EMPTY
      return (row) => previous(row) + (other[row] ?? 0)
    }
    case "e": {
      const other = columns[predictor[1]] ?? EMPTY
      const [, , factor] = predictor
      return (row) => (row > 0 ? (own[row - 1] ?? 0) + factor * (other[row - 1] ?? 0) : 0)
    }
    case "m":
      return changeBy(own, columns[predictor[1]] ?? EMPTY)
  }
}

/** Remembers the change of the last row with each number of another column. Call it once for each row, in order. */
const changeBy = (own: Float64Array, other: Float64Array): Predict => {
  const changes = new Map<number, number>()
  return (row) => {
    if (row > 1) changes.set(other[row - 1] ?? 0, (own[row - 1] ?? 0) - (own[row - 2] ?? 0))
    return row > 0 ? (own[row - 1] ?? 0) + (changes.get(other[row] ?? 0) ?? 0) : 0
  }
}

const EMPTY = new Float64Array(0)

/** Rows by which rules are compared. */
const COMPARED_ROWS = 48

/** Columns that a rule may refer to, so that a wide world costs little. */
const MAX_CONSIDERED = 24

/** Chooses the rule for a column that leaves the fewest bytes. A column without changes keeps `p`. */
export const choose = (columns: Columns, column: number): Predictor => {
  const own = columns[column] ?? EMPTY
  const rows = Math.min(own.length, COMPARED_ROWS)
  let best: Predictor = ["p"]
  let least = costOf(own, predictorOf(columns, column, best), rows)
  const others = columns.flatMap((other, index) => (index !== column && changes(other, rows) ? [index] : []))
  const consider = (candidate: Predictor) => {
    if (least === 0) return
    const cost = costOf(own, predictorOf(columns, column, candidate), rows)
    if (cost < least) [best, least] = [candidate, cost]
  }
  consider(["l"])
  for (const other of others.slice(0, MAX_CONSIDERED)) {
    if (other < column) for (const kind of ["c", "f", "a", "m"] as const) consider([kind, other])
    const factor = factorBetween(own, columns[other] ?? EMPTY)
    if (factor !== undefined) consider(["e", other, factor])
  }
  return best
}

const changes = (column: Float64Array, rows: number): boolean => {
  for (let row = 1; row < rows; row++) if (column[row] !== column[row - 1]) return true
  return false
}

/** The multiple of the other column that a column grows by, rounded to a short decimal: a step of time. */
const factorBetween = (own: Float64Array, other: Float64Array): number | undefined => {
  for (let row = 1; row < own.length && row < COMPARED_ROWS; row++) {
    const base = other[row - 1] ?? 0
    if (Math.abs(base) < 1e-3) continue
    const factor = Number((((own[row] ?? 0) - (own[row - 1] ?? 0)) / base).toPrecision(6))
    return Number.isFinite(factor) && factor !== 0 ? factor : undefined
  }
  return undefined
}

/** The approximate number of bytes that differ from the predictions. */
const costOf = (own: Float64Array, predict: Predict, rows: number): number => {
  let cost = 0
  for (let row = 0; row < rows; row++) {
    const [value, predicted] = [own[row] ?? 0, predict(row)]
    if (Object.is(value, predicted)) continue
    const error = Math.abs(value - predicted) / (Math.abs(value) || 1)
    cost += Number.isFinite(error) ? Math.max(0.5, 8 + Math.log2(Math.max(error, 2 ** -52)) / 8) : 9
  }
  return cost
}
