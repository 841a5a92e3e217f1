/** Counts the cost of an expression's evaluation, and ends it beyond the budget. */

export interface Budget {
  /** Per evaluation. */
  readonly steps: number
  /** Over all evaluations. Default: no limit. */
  readonly total?: number
}

/**
 * A step is a syntax node, a list element or eight characters: some 20 to 50 ns. It depends only on the expression and
 * its data: the limit is the same on every machine.
 */
export const BUDGET: Budget = { steps: 5_000_000 }

/** The expression exceeds its budget. The message names it. */
export class TooExpensive extends Error {
  override readonly name = "TooExpensive"
  /** The message without the expression. */
  readonly summary: string

  constructor(source: string, { steps, total }: Budget, isTotal: boolean) {
    const taken = isTotal
      ? `took more than ${amount(total)} steps in all and was stopped. Query fewer events or tasks, or use the command line`
      : `takes more than ${amount(steps)} steps for one result and was stopped. Avoid nested loops over long lists, long texts, and matches on long texts`
    super(`\`${shortened(source)}\` ${taken}`)
    this.summary = `it ${taken}`
  }
}

const SHOWN = 200

const shortened = (source: string): string => (source.length > SHOWN ? `${source.slice(0, SHOWN)}…` : source)

const amount = (steps = Number.POSITIVE_INFINITY): string => steps.toLocaleString("en-US")

/** Counts one expression's steps. An expression that swallows errors (`||`, `exists`) cannot outlive its budget. */
export interface Meter {
  readonly begin: () => void
  /** Charges steps before the work. Throws beyond the budget. */
  readonly charge: (steps: number) => void
  /** Throws beyond the budget, even if something swallowed the error. */
  readonly end: () => void
}

export const make = (source: string, budget: Budget): Meter => {
  const { steps, total = Number.POSITIVE_INFINITY } = budget
  let left = steps
  let totalLeft = total
  let begunWith = steps
  const refuse = () => new TooExpensive(source, budget, begunWith < steps)
  return {
    begin: () => {
      begunWith = Math.min(steps, totalLeft)
      left = begunWith
    },
    charge: (cost) => {
      left -= cost
      if (left < 0) throw refuse()
    },
    end: () => {
      totalLeft -= begunWith - left
      if (left < 0) throw refuse()
    },
  }
}

/** Characters per step. */
const CHARACTERS = 8

/** The steps of reading a text, a list or bytes once, without a list's contents. */
export const stepsOf = (value: unknown): number => {
  if (typeof value === "string") return value.length / CHARACTERS
  if (Array.isArray(value)) return value.length
  return value instanceof Uint8Array ? value.length / CHARACTERS : 0
}

/** The number of values within a value, counted up to a limit. */
export const sizeWithin = (value: unknown, limit: number): number => {
  let size = 0
  const open: Array<unknown> = [value]
  while (open.length > 0 && size <= limit) {
    const next = open.pop()
    size += 1
    if (typeof next !== "object" || next === null) continue
    const children = Array.isArray(next) ? next : Object.values(next)
    for (const child of children) {
      if (open.length > limit) return limit + 1
      open.push(child)
    }
  }
  return size
}
