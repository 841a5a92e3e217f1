/** Chooses how each column of a run is encoded, and remembers what fitted for the next run of the same columns. */

import { MAX_VALUES, type Streams, writeDistances, writeValues } from "./ColumnStreams.ts"
import * as Polynomials from "./Polynomials.ts"
import { type Columns, choose, type Predictor, predictorOf, renumbered } from "./Predictors.ts"

/** Knowledge about a column from earlier runs. */
interface Known {
  /** The best rule that is no polynomial. */
  simple: Predictor | undefined
  polynomial: Polynomials.Polynomial | undefined
  /** Runs since a polynomial was sought, and before one is sought again. */
  runs: number
  wait: number
}

/** A run to write. */
interface Run {
  readonly columns: Columns
  readonly rows: number
  /** The rule of each column, before polynomials are sought. */
  readonly rules: ReadonlyArray<Predictor>
  /** Columns for which a polynomial was sought. */
  sought: number
  /** Terms that further polynomials may have. */
  terms: number
}

/** Writes runs of columns. */
export class ColumnWriter {
  /** By the name of the column, with the names of the run in which it was learnt. */
  readonly #known = new Map<string, { readonly known: Known; readonly names: ReadonlyArray<string> }>()

  /** Writes columns. A column has the same name in each run. The polynomials of all have at most so many terms. */
  write(names: ReadonlyArray<string>, columns: Columns, rows: number, terms: number): Streams {
    const places = new Map(names.map((name, index) => [name, index]))
    const known = names.map((name, index) => this.#recall(name, index, places))
    const values = columns.map((column) => valuesIn(column, rows))
    const rules = columns.map((_, index): Predictor => {
      const few = values[index]
      const found = known[index] ?? unknown()
      if (few?.length === 1) return ["d", few[0] ?? 0]
      if (few !== undefined && (found.simple?.[0] ?? "d") === "d" && rows >= FEW * few.length) return ["d", ...few]
      if (found.simple === undefined || found.simple[0] === "d") found.simple = choose(columns, index)
      return found.simple
    })
    const predictors: Array<Predictor> = []
    const streams: Array<Uint8Array> = []
    const run = { columns, rows, rules, sought: 0, terms }
    for (let index = 0; index < columns.length; index++) {
      const found = known[index] ?? unknown()
      const written =
        rules[index]?.[0] === "d" ? few(run, index, found, values[index] ?? []) : predicted(run, index, found)
      if (written.rule[0] === "q") run.terms -= written.rule[2].length
      predictors.push(written.rule)
      streams.push(written.stream)
    }
    // A short run says little about which rules fit.
    if (rows >= FEW_ROWS) this.#remember(names, known)
    return { predictors, sizes: streams.map(({ length }) => length), streams: Buffer.concat(streams) }
  }

  /** Knowledge about a column, in terms of the columns of this run. */
  #recall(name: string, index: number, places: ReadonlyMap<string, number>): Known {
    const found = this.#known.get(name)
    if (found === undefined) return unknown()
    const { known, names } = found
    const placeOf = (column: number) => places.get(names[column] ?? "")
    const simple = known.simple && renumbered(known.simple, placeOf, index)
    const own = known.polynomial && renumbered(ruleOf(known.polynomial), placeOf, index)
    const polynomial = own?.[0] === "q" ? { variables: own[1], terms: own[2] } : undefined
    return { ...known, simple, polynomial }
  }

  #remember(names: ReadonlyArray<string>, known: ReadonlyArray<Known>): void {
    if (this.#known.size > MAX_KNOWN) this.#known.clear()
    for (const [index, name] of names.entries()) this.#known.set(name, { known: known[index] ?? unknown(), names })
  }
}

/** Writes a column of a few values, unless a rule predicts it. */
const few = ({ columns, rows }: Run, index: number, known: Known, values: ReadonlyArray<number>): Written => {
  const rule = ["d", ...values] as const
  const stream = writeValues(columns[index] ?? EMPTY, values, rows)
  if (values.length < 2 || known.simple !== undefined) return { rule, stream, bits: 0 }
  const simple = choose(columns, index)
  const written = distances(columns, index, simple, rows)
  const isPredicted = written.stream.length <= stream.length
  known.simple = isPredicted ? simple : rule
  return isPredicted ? written : { rule, stream, bits: 0 }
}

/** Writes a column by its rule, or by a polynomial if that saves much. */
const predicted = (run: Run, index: number, known: Known): Written => {
  const { columns, rows, rules } = run
  const { polynomial, simple = ["p"] } = known
  const mayFit = rows >= FITTED_ROWS && (polynomial?.terms.length ?? 0) <= run.terms
  const written = distances(columns, index, polynomial === undefined || !mayFit ? simple : ruleOf(polynomial), rows)
  if (!mayFit || written.bits < WORTHWHILE * rows) return written
  known.runs += 1
  if (known.runs < known.wait || run.sought >= MAX_SOUGHT) return written
  run.sought += 1
  known.runs = 0
  known.wait *= WAIT_GROWTH
  const found =
    polynomial === undefined
      ? Polynomials.find(columns, index, candidatesIn(columns, index, rules))
      : Polynomials.refit(columns, index, polynomial.variables)
  if (found === undefined || found.terms.length > run.terms) return written
  const other = distances(columns, index, ruleOf(found), rows)
  const price = polynomial === undefined ? found.terms.length * TERM_BITS : 0
  if (other.bits + price >= written.bits) return written
  known.polynomial = found
  return other
}

interface Written {
  readonly rule: Predictor
  readonly stream: Uint8Array
  readonly bits: number
}

const unknown = (): Known => ({ simple: undefined, polynomial: undefined, runs: 0, wait: 1 })

const ruleOf = ({ variables, terms }: Polynomials.Polynomial): Predictor => ["q", variables, terms]

const distances = (columns: Columns, index: number, rule: Predictor, rows: number): Written => ({
  rule,
  ...writeDistances(columns[index] ?? EMPTY, predictorOf(columns, index, rule), rows),
})

const EMPTY = new Float64Array(0)

/** Names that a writer remembers at most. A world whose documents have ever other parts has no more. */
const MAX_KNOWN = 4096

/** Rows from which on a run says which rules fit, and from which on polynomials are sought. */
const FEW_ROWS = 16
const FITTED_ROWS = 64

/** Rows for each of a few values. */
const FEW = 4

/** Bits of a row from which on a polynomial is sought, and again after so many times as many runs as before. */
const WORTHWHILE = 6
const WAIT_GROWTH = 4
/** Columns of a run for which one is sought, because that takes some milliseconds. */
const MAX_SOUGHT = 4
const TERM_BITS = 72

/** The values in a column, in order, if they are few. */
const valuesIn = (column: Float64Array, rows: number): ReadonlyArray<number> | undefined => {
  const values: Array<number> = []
  let last: number | undefined
  for (let row = 0; row < rows; row++) {
    const value = column[row] ?? 0
    if (value === last) continue
    last = value
    if (values.includes(value)) continue
    if (values.length === MAX_VALUES) return undefined
    values.push(value)
  }
  return values
}

/** The columns by which a polynomial may predict another one: no copies, and none that stays the same. */
const candidatesIn = (columns: Columns, own: number, rules: ReadonlyArray<Predictor>): Polynomials.Candidates => {
  const [before, now]: [Array<number>, Array<number>] = [[], []]
  for (let index = 0; index < columns.length; index++) {
    const rule = rules[index] ?? ["p"]
    if (COPIES.has(rule[0]) || (rule[0] === "d" && rule.length < 3)) continue
    if (index < own && now.length < MAX_NOW) now.push(index)
    if (rule[0] !== "d" && before.length < MAX_BEFORE) before.push(index)
  }
  return { before, now }
}

const COPIES: ReadonlySet<string> = new Set(["c", "f", "x"])

/** Candidates of each kind, so that a wide world costs little. */
const MAX_NOW = 2
const MAX_BEFORE = 8
