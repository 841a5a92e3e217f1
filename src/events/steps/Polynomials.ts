/**
 * Polynomials that predict how much a number changes in a step, as the equations of a world do: of its document before the
 * step, and of the action. They are found by least squares, term by term, and contain only terms that pay for themselves.
 */

/** A variable of a polynomial: a column, in the row before or (`lag` 0) in the same row, less a centre. */
export type Variable = readonly [column: number, lag: 0 | 1, centre: number]

/** A term: a coefficient, and the exponent of each variable. */
export type Term = readonly [coefficient: number, ...exponents: ReadonlyArray<number>]

/** Maximum exponent of a variable. */
export const MAX_EXPONENT = 9

/** Maximum number of variables, and of terms. */
export const MAX_VARIABLES = 3
export const MAX_TERMS = 24

/** Returns the change that a polynomial predicts for a row, which is not the first. The order of its operations never changes. */
export const changeOf = (
  columns: ReadonlyArray<Float64Array>,
  variables: ReadonlyArray<Variable>,
  terms: ReadonlyArray<Term>,
): ((row: number) => number) => {
  const width = MAX_EXPONENT + 1
  const powers = new Float64Array(variables.length * width)
  const highest = variables.map((_, at) => Math.max(0, ...terms.map((term) => term[at + 1] ?? 0)))
  const coefficients = Float64Array.from(terms, ([coefficient]) => coefficient)
  // The place of each power that a term multiplies by; those with the exponent 0 are left out.
  const places = terms.map(([, ...exponents]) =>
    exponents.flatMap((exponent, at) => (exponent > 0 && at < variables.length ? [at * width + exponent] : [])),
  )
  return (row) => {
    for (let at = 0; at < variables.length; at++) {
      const [column, lag, centre] = variables[at] as Variable
      const value = ((columns[column] as Float64Array)[row - lag] ?? 0) - centre
      const start = at * width
      let power = 1
      for (let exponent = 1; exponent <= (highest[at] ?? 0); exponent++) {
        power *= value
        powers[start + exponent] = power
      }
    }
    let sum = 0
    for (let index = coefficients.length - 1; index >= 0; index--) {
      let product = coefficients[index] ?? 0
      const factors = places[index] as ReadonlyArray<number>
      for (let at = 0; at < factors.length; at++) product *= powers[factors[at] ?? 0] ?? 0
      sum += product
    }
    return sum
  }
}

/** A polynomial. */
export interface Polynomial {
  readonly variables: ReadonlyArray<Variable>
  readonly terms: ReadonlyArray<Term>
}

/** Columns that may be variables. */
export interface Candidates {
  /** In the row before. */
  readonly before: ReadonlyArray<number>
  /** In the same row, such as the action. */
  readonly now: ReadonlyArray<number>
}

/** Rows by which variables are chosen, and by which coefficients are. */
const CHOSEN_BY = 128
const FITTED_BY = 512

/** Finds the polynomial that best predicts a column's changes. Undefined if none predicts anything. */
export const find = (
  columns: ReadonlyArray<Float64Array>,
  own: number,
  { before, now }: Candidates,
): Polynomial | undefined => {
  let best: { readonly variables: ReadonlyArray<Variable>; readonly error: number } | undefined
  const consider = (variables: ReadonlyArray<Variable>, degree: number) => {
    const { error } = fitted(columns, own, variables, degree, CHOSEN_BY)
    if (best === undefined || error < best.error * BETTER) best = { variables, error }
  }
  const actions = now.map((column): Variable => [column, 0, centreOf(columns[column] ?? NO_COLUMN)])
  for (const first of before) {
    consider([[first, 1, 0]], CHOOSING_DEGREE)
    for (const action of actions) consider([[first, 1, 0], action], CHOOSING_DEGREE)
  }
  if (best === undefined) return undefined
  const [first, ...action] = best.variables as readonly [Variable, ...Array<Variable>]
  for (const second of before) {
    if (second !== first[0]) consider([first, [second, 1, 0], ...action], CHOOSING_DEGREE)
  }
  return refit(columns, own, best.variables)
}

/** By how much a choice must be better than one with fewer variables. */
const BETTER = 0.5

/** Finds the terms for given variables. */
export const refit = (
  columns: ReadonlyArray<Float64Array>,
  own: number,
  variables: ReadonlyArray<Variable>,
): Polynomial | undefined => {
  const { terms } = fitted(columns, own, variables, DEGREE, FITTED_BY)
  return terms.length === 0 ? undefined : { variables, terms }
}

/** The total degree in the variables of the row before. */
const DEGREE = 7
const CHOOSING_DEGREE = 4
/** The degree in a variable of the same row. */
const DEGREE_NOW = 2

const NO_COLUMN = new Float64Array(0)

/** The middle of a column of few values, around which equations are often symmetric; 0 for others. */
const centreOf = (column: Float64Array): number => {
  const values = new Set(column.subarray(0, CHOSEN_BY))
  return values.size <= 8 ? (Math.min(...values) + Math.max(...values)) / 2 : 0
}

/** The exponents of all terms that may be used. */
const exponentsOf = (variables: ReadonlyArray<Variable>, degree: number, discrete: boolean) => {
  let all: ReadonlyArray<ReadonlyArray<number>> = [[]]
  for (const [, lag] of variables) {
    all = all.flatMap((exponents) => {
      const used = exponents.reduce((sum, exponent) => sum + exponent, 0)
      const most = lag === 1 ? degree - used : discrete ? 1 : DEGREE_NOW
      return Array.from({ length: most + 1 }, (_, exponent) => [...exponents, exponent])
    })
  }
  return all
}

/** Terms in the order in which they help most, and the mean square that they leave. */
const fitted = (
  columns: ReadonlyArray<Float64Array>,
  own: number,
  variables: ReadonlyArray<Variable>,
  degree: number,
  most: number,
): { readonly terms: ReadonlyArray<Term>; readonly error: number } => {
  const column = columns[own] ?? NO_COLUMN
  const rows = Math.min(most, column.length - 1)
  const wanted = Float64Array.from({ length: rows }, (_, row) => (column[row + 1] ?? 0) - (column[row] ?? 0))
  const values = variables.map(([index, lag, centre]) =>
    Float64Array.from({ length: rows }, (_, row) => (columns[index]?.[row + 1 - lag] ?? 0) - centre),
  )
  const discrete = variables.some(([, lag], at) => lag === 0 && new Set(values[at]).size === 2)
  const scales = values.map((list) => list.reduce((largest, x) => Math.max(largest, Math.abs(x)), 0))
  const exponents = exponentsOf(variables, degree, discrete)
  const basis = basisOf(exponents, values, scales, rows)
  const { chosen, error } = select(basis, wanted)
  const solved = solve(
    chosen.map((index) => basis[index] ?? NO_COLUMN),
    wanted,
  )
  const finest = largestOf(column, rows + 1) * ROUNDING
  const terms = chosen.map((index, place): Term => {
    const exponent = exponents[index] ?? []
    const scale = exponent.reduce((product, power, at) => product * (scales[at] || 1) ** power, 1)
    return [short((solved[place] ?? 0) / scale, Math.abs(solved[place] ?? 0) / finest), ...exponent]
  })
  return { terms: terms.every(([coefficient]) => Number.isFinite(coefficient)) ? terms : [], error }
}

/** The values of products of powers, of variables of a magnitude of at most 1. */
const basisOf = (
  exponents: ReadonlyArray<ReadonlyArray<number>>,
  values: ReadonlyArray<Float64Array>,
  scales: ReadonlyArray<number>,
  rows: number,
): ReadonlyArray<Float64Array> =>
  exponents.map((exponent) => {
    const product = new Float64Array(rows).fill(1)
    for (const [at, power] of exponent.entries()) {
      const list = values[at] ?? NO_COLUMN
      const scale = 1 / (scales[at] || 1)
      for (let round = 0; round < power; round++) {
        for (let row = 0; row < rows; row++) product[row] = (product[row] ?? 0) * ((list[row] ?? 0) * scale)
      }
    }
    return product
  })

/** A part of the last place of a number. */
const ROUNDING = 2 ** -55

/** A coefficient in as few digits as change no prediction. */
const short = (coefficient: number, weight: number): number =>
  Number(coefficient.toPrecision(Math.min(17, Math.max(2, Math.ceil(Math.log10(Math.max(1, weight))) + 1))))

const largestOf = (column: Float64Array, rows: number): number => {
  let largest = 0
  for (let row = 0; row < rows; row++) largest = Math.max(largest, Math.abs(column[row] ?? 0))
  return largest
}

/** Bits that a term costs in the header. */
const TERM_BITS = 72

/** Terms that may follow before one pays for all of them. */
const TRIED_IN_VAIN = 3

/** Chooses columns of a basis one by one, each time the one that leaves the least, as long as it saves more than it costs. */
const select = (basis: ReadonlyArray<Float64Array>, wanted: Float64Array) => {
  const rows = wanted.length
  const work = basis.map((column) => column.slice())
  const left = wanted.slice()
  const chosen: Array<number> = []
  const isChosen = new Uint8Array(basis.length)
  const squares = work.map((column) => dot(column, column))
  let square = dot(left, left)
  let least = { terms: 0, bits: 0, square }
  const whole = square
  while (chosen.length < MAX_TERMS && square > 0 && chosen.length < least.terms + TRIED_IN_VAIN) {
    let [best, gain] = [-1, 0]
    for (let index = 0; index < work.length; index++) {
      const column = work[index] as Float64Array
      if (isChosen[index] === 1) continue
      const own = squares[index] ?? 0
      if (own < 1e-20) continue
      const found = dot(column, left) ** 2 / own
      if (found > gain) [best, gain] = [index, found]
    }
    if (best < 0) break
    chosen.push(best)
    isChosen[best] = 1
    const unit = scaled(work[best] as Float64Array)
    for (let index = 0; index < work.length; index++) {
      if (isChosen[index] === 0)
        squares[index] = (squares[index] ?? 0) - subtract(work[index] as Float64Array, unit) ** 2
    }
    subtract(left, unit)
    subtract(left, unit)
    square = dot(left, left)
    const bits = chosen.length * TERM_BITS + (rows / 2) * Math.log2(Math.max(square, whole * 1e-40) / whole)
    if (bits < least.bits) least = { terms: chosen.length, bits, square }
  }
  return { chosen: chosen.slice(0, least.terms), error: least.square / Math.max(1, rows) }
}

/** Least squares by Gram-Schmidt, twice for each column, and refined twice. */
const solve = (basis: ReadonlyArray<Float64Array>, wanted: Float64Array): ReadonlyArray<number> => {
  const units: Array<Float64Array> = []
  const triangle: Array<Array<number>> = []
  for (const column of basis) {
    const work = column.slice()
    const parts = units.map(() => 0)
    for (let pass = 0; pass < 2; pass++) {
      for (const [index, unit] of units.entries()) parts[index] = (parts[index] ?? 0) + subtract(work, unit)
    }
    triangle.push([...parts, Math.sqrt(dot(work, work))])
    units.push(scaled(work))
  }
  const solution = basis.map(() => 0)
  const left = wanted.slice()
  for (let round = 0; round < 3; round++) {
    const parts = units.map((unit) => dot(unit, left))
    for (let index = basis.length - 1; index >= 0; index--) {
      const found = (parts[index] ?? 0) / (triangle[index]?.[index] ?? 1)
      for (let above = 0; above < index; above++) {
        parts[above] = (parts[above] ?? 0) - found * (triangle[index]?.[above] ?? 0)
      }
      solution[index] = (solution[index] ?? 0) + found
    }
    for (let row = 0; row < left.length; row++) {
      let sum = wanted[row] ?? 0
      for (let index = 0; index < basis.length; index++) sum -= (solution[index] ?? 0) * (basis[index]?.[row] ?? 0)
      left[row] = sum
    }
  }
  return solution
}

const dot = (a: Float64Array, b: Float64Array): number => {
  let sum = 0
  for (let row = 0; row < a.length; row++) sum += (a[row] ?? 0) * (b[row] ?? 0)
  return sum
}

const scaled = (column: Float64Array): Float64Array => {
  const length = Math.sqrt(dot(column, column))
  return column.map((value) => value / length)
}

/** Takes a unit's part out of a column. Returns how much that was. */
const subtract = (column: Float64Array, unit: Float64Array): number => {
  const part = dot(column, unit)
  for (let row = 0; row < column.length; row++) column[row] = (column[row] ?? 0) - part * (unit[row] ?? 0)
  return part
}
