/**
 * Predicts numbers in columns from earlier rows and columns. A recorded column contains only the difference to its
 * prediction, which is mostly zero: for a count, a copy in single precision, an integrated speed.
 */

import * as Polynomials from "./Polynomials.ts"

/** Columns of numbers, all of the same length. */
export type Columns = ReadonlyArray<Float64Array>

/**
 * A rule that predicts a number of its column. `p`: the previous number. `l`: by a straight line through the previous
 * two. `c` and `f`: a copy of an earlier column's number in this row, `f` in single precision. `a`: the previous number
 * plus an earlier column's in this row. `e`: the previous number plus a multiple of another column's previous one, as
 * Euler's method integrates. `m`: the previous number plus the change in the last row with the same number in an earlier
 * column, as an action has the same effect. `g`: as `m`, and the change grows with a third column's previous number, as a
 * force does with a place. `x`: the largest magnitude so far of an earlier column, in this row too. `q`: the previous number
 * plus a polynomial. `d`: one of these values, which the column's stream names.
 */
export type Predictor =
  | readonly ["p"]
  | readonly ["l"]
  | readonly ["c" | "f" | "a" | "m" | "x", column: number]
  | readonly ["e", column: number, factor: number]
  | readonly ["g", same: number, column: number, factor: number]
  | readonly ["q", variables: ReadonlyArray<Polynomials.Variable>, terms: ReadonlyArray<Polynomials.Term>]
  | readonly ["d", ...values: ReadonlyArray<number>]

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
    case "x": {
      const other = columns[predictor[1]] ?? EMPTY
      return (row) => Math.max(previous(row), Math.abs(other[row] ?? 0))
    }
    case "q": {
      const change = Polynomials.changeOf(columns, predictor[1], predictor[2])
      return (row) => (row > 0 ? (own[row - 1] ?? 0) + change(row) : 0)
    }
    case "d":
      return () => predictor[1] ?? 0
    case "m":
      return changeBy(own, columns[predictor[1]] ?? EMPTY)
    case "g":
      return changeBy(own, columns[predictor[1]] ?? EMPTY, columns[predictor[2]] ?? EMPTY, predictor[3])
  }
}

/** The columns that a rule reads, in the row before (`before`) and in the same row (`now`). */
export const readBy = (
  predictor: Predictor,
): { readonly before: ReadonlyArray<number>; readonly now: ReadonlyArray<number> } => {
  switch (predictor[0]) {
    case "p":
    case "l":
    case "d":
      return NOTHING_READ
    case "e":
      return { before: [predictor[1]], now: [] }
    case "g":
      return { before: [predictor[2]], now: [predictor[1]] }
    case "q": {
      const of = (wanted: number) => predictor[1].flatMap(([column, lag]) => (lag === wanted ? [column] : []))
      return { before: of(1), now: of(0) }
    }
    default:
      return { before: [], now: [predictor[1]] }
  }
}

/** The rule with other numbers of the columns that it reads. Undefined if one is missing, or comes too late for `own`. */
export const renumbered = (
  predictor: Predictor,
  numberOf: (column: number) => number | undefined,
  own: number,
): Predictor | undefined => {
  const { before, now } = readBy(predictor)
  const placed = new Map<number, number>()
  for (const column of [...before, ...now]) {
    const number = numberOf(column)
    if (number === undefined) return undefined
    placed.set(column, number)
  }
  if (now.some((column) => (placed.get(column) ?? own) >= own)) return undefined
  const of = (column: number) => placed.get(column) ?? column
  switch (predictor[0]) {
    case "p":
    case "l":
    case "d":
      return predictor
    case "e":
      return ["e", of(predictor[1]), predictor[2]]
    case "g":
      return ["g", of(predictor[1]), of(predictor[2]), predictor[3]]
    case "q":
      return ["q", predictor[1].map(([column, lag, centre]) => [of(column), lag, centre] as const), predictor[2]]
    default:
      return [predictor[0], of(predictor[1])]
  }
}

const NOTHING_READ = { before: [], now: [] }

/** The columns whose numbers predict those of a column, and itself, in order. */
export const neededFor = (predictors: ReadonlyArray<Predictor>, index: number): ReadonlyArray<number> => {
  const found = new Set([index])
  for (const column of found) {
    const { before, now } = readBy(predictors[column] ?? ["p"])
    for (const other of before) found.add(other)
    for (const other of now) found.add(other)
  }
  return [...found].filter((column) => column < predictors.length).sort((a, b) => a - b)
}

/**
 * Remembers the change of the last row with each number of another column, and what a third column was before it. Call it
 * once for each row, in order.
 */
const changeBy = (own: Float64Array, same: Float64Array, third: Float64Array = EMPTY, factor = 0): Predict => {
  const changes = new Map<number, readonly [change: number, third: number]>()
  return (row) => {
    if (row > 1) changes.set(same[row - 1] ?? 0, [(own[row - 1] ?? 0) - (own[row - 2] ?? 0), third[row - 2] ?? 0])
    if (row === 0) return 0
    const last = changes.get(same[row] ?? 0)
    if (last === undefined) return own[row - 1] ?? 0
    const [change, then] = last
    return (own[row - 1] ?? 0) + change + (factor === 0 ? 0 : factor * ((third[row - 1] ?? 0) - then))
  }
}

const EMPTY = new Float64Array(0)

/** Rows by which rules are compared. */
const COMPARED_ROWS = 48

/** Columns that a rule may refer to, so that a wide world costs little. */
const MAX_CONSIDERED = 24

/** Chooses the rule for a column that leaves the fewest bytes, apart from `q` and `d`. A column without changes keeps `p`. */
export const choose = (columns: Columns, column: number): Predictor => {
  const own = columns[column] ?? EMPTY
  const rows = Math.min(own.length, COMPARED_ROWS)
  let best = ["p"] as Predictor
  let least = costOf(own, predictorOf(columns, column, best), rows)
  const others = columns.flatMap((other, index) => (index !== column && changes(other, rows) ? [index] : []))
  const consider = (candidate: Predictor) => {
    if (least === 0) return
    const cost = costOf(own, predictorOf(columns, column, candidate), rows)
    if (cost < least) [best, least] = [candidate, cost]
  }
  consider(["l"])
  for (const other of others.slice(0, MAX_CONSIDERED)) {
    if (other < column) for (const kind of ["c", "f", "a", "m", "x"] as const) consider([kind, other])
    const factor = factorBetween(own, columns[other] ?? EMPTY)
    if (factor !== undefined) consider(["e", other, factor])
  }
  if (best[0] === "m") {
    const [, same] = best
    for (const other of others.slice(0, MAX_CONSIDERED)) {
      const factor = growthWith(own, columns[same] ?? EMPTY, columns[other] ?? EMPTY)
      if (factor !== undefined) consider(["g", same, other, factor])
    }
  }
  return best
}

/** By how much the changes of equal rows differ for each unit by which a third column differs: the line of least squares. */
const growthWith = (own: Float64Array, same: Float64Array, third: Float64Array): number | undefined => {
  const last = new Map<number, readonly [change: number, third: number]>()
  let [products, squares] = [0, 0]
  for (let row = 1; row < own.length && row < COMPARED_ROWS; row++) {
    const [change, now] = [(own[row] ?? 0) - (own[row - 1] ?? 0), third[row - 1] ?? 0]
    const before = last.get(same[row] ?? 0)
    last.set(same[row] ?? 0, [change, now])
    if (before === undefined) continue
    products += (change - before[0]) * (now - before[1])
    squares += (now - before[1]) ** 2
  }
  const factor = Number((products / squares).toPrecision(6))
  return Number.isFinite(factor) && factor !== 0 ? factor : undefined
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

/** The bytes from the first to the last bit that differs from the predictions. */
const costOf = (own: Float64Array, predict: Predict, rows: number): number => {
  let bits = 0
  for (let row = 0; row < rows; row++) {
    pair[0] = own[row] ?? 0
    const predicted = predict(row)
    pair[1] = Number.isFinite(predicted) ? predicted : 0
    const [low = 0, high = 0, otherLow = 0, otherHigh = 0] = pairWords
    bits += differing((high ^ otherHigh) >>> 0, (low ^ otherLow) >>> 0)
  }
  return bits / 8
}

const differing = (high: number, low: number): number => {
  if (high === 0) return low === 0 ? 0 : 32 - Math.clz32(low) - trailing(low)
  return 64 - Math.clz32(high) - (low === 0 ? 32 + trailing(high) : trailing(low))
}

/** Zero bits at the end of a word that is not 0. */
const trailing = (word: number): number => 31 - Math.clz32(word & -word)

/** A number and its prediction. Hindcast supports little-endian machines only. */
const pair = new Float64Array(2)
const pairWords = new Uint32Array(pair.buffer)
