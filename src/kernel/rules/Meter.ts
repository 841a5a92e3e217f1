/** Counts what one evaluation of an expression costs, and ends it where it costs too much. */

/** What an expression may cost. */
export interface Budget {
  /** Steps of one evaluation. */
  readonly steps: number
  /** Steps of all evaluations together. Default: no limit. */
  readonly total?: number
}

/**
 * A step is a node of the syntax tree, an element of a list or eight characters: some 20 to 50 ns. The count depends on the
 * expression and its data alone, so that an expression that is too expensive here is so on every machine.
 */
export const BUDGET: Budget = { steps: 5_000_000 }

/** The expression would take more steps than its budget has. Its message names it. */
export class TooExpensive extends Error {
  override readonly name = "TooExpensive"
  /** The same without its name, for messages that begin with it. */
  readonly summary: string

  constructor(source: string, { steps, total }: Budget, isTotal: boolean) {
    const taken = isTotal
      ? `took more than ${amount(total)} steps in all, and was given up. Ask about fewer events or tasks, or ask at the command line`
      : `takes more than ${amount(steps)} steps for one answer, and was given up. Nest no loops over long lists, build no long texts, and match shorter ones`
    super(`\`${shortened(source)}\` ${taken}`)
    this.summary = `it ${taken}`
  }
}

/** Most characters of an expression in a message. */
const SHOWN = 200

const shortened = (source: string): string => (source.length > SHOWN ? `${source.slice(0, SHOWN)}…` : source)

const amount = (steps = Number.POSITIVE_INFINITY): string => steps.toLocaleString("en-US")

/** The steps that one expression took. An expression that swallows errors (`||`, `exists`) does not outlive its budget. */
export interface Meter {
  /** Begins an evaluation. */
  readonly begin: () => void
  /** Takes steps before the work that they stand for. Throws where they are used up. */
  readonly charge: (steps: number) => void
  /** Throws if any charge of this evaluation was refused, whatever became of its error. */
  readonly end: () => void
}

/** A meter. */
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

/** Characters that count as one step. */
const CHARACTERS = 8

/** The steps of reading a text, a list or bytes once. What is within a list is not counted. */
export const stepsOf = (value: unknown): number => {
  if (typeof value === "string") return value.length / CHARACTERS
  if (Array.isArray(value)) return value.length
  return value instanceof Uint8Array ? value.length / CHARACTERS : 0
}

/** The number of values within a value. Stops counting above a limit. */
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
