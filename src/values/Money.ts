/** Amounts of money as text for people. */

/** A cost of which a part may be unknown. */
export interface Cost {
  /** In US dollars; null where a part is unknown. */
  readonly usd: number | null
  /** The known part, in US dollars. */
  readonly atLeast: number
}

/** Below the first amount and from the second one on, amounts are written with a power of ten. */
const [TINY, HUGE] = [1e-9, 1e9]

/** Below this amount, it is written with three significant digits. */
const SMALL = 0.01

/** An amount in US dollars: `$0`, `$0.000123`, `$0.1234`, `$12.35`, `$1.50e+12`. */
export const dollars = (usd: number): string => {
  if (usd === 0) return "$0"
  if (usd < TINY || usd >= HUGE) return `$${usd.toExponential(2)}`
  if (usd >= 1) return `$${usd.toFixed(2)}`
  if (usd >= SMALL) return `$${usd.toFixed(4)}`
  return `$${Number(usd.toPrecision(3)).toFixed(DECIMALS).replace(/0+$/, "")}`
}

/** Decimals of the smallest costs. */
const DECIMALS = 12

/** A cost: `$0.1234`; `at least $0.1234` where a part is unknown; `unknown` where nothing is known. */
export const cost = (of: Cost): string => costWith("at least ", of)

/** The same in a table: `≥ $0.1234` where a part is unknown. */
export const costInTable = (of: Cost): string => costWith("≥ ", of)

const costWith = (bound: string, { usd, atLeast }: Cost): string => {
  if (usd !== null) return dollars(usd)
  return atLeast === 0 ? "unknown" : bound + dollars(atLeast)
}
