/** Formats amounts of money for people. */

/** A cost, possibly unknown in part. */
export interface Cost {
  /** In US dollars; null if a part is unknown. */
  readonly usd: number | null
  /** The known part, in US dollars. */
  readonly atLeast: number
}

/** Amounts outside this range are written with a power of ten. */
const [TINY, HUGE] = [1e-9, 1e9]

/** Smaller amounts are written with three significant digits. */
const SMALL = 0.01

/** Formats US dollars: `$0`, `$0.000123`, `$0.1234`, `$12.35`, `$1.50e+12`. */
export const dollars = (usd: number): string => {
  if (usd === 0) return "$0"
  if (usd < TINY || usd >= HUGE) return `$${usd.toExponential(2)}`
  if (usd >= 1) return `$${usd.toFixed(2)}`
  if (usd >= SMALL) return `$${usd.toFixed(4)}`
  return `$${Number(usd.toPrecision(3)).toFixed(DECIMALS).replace(/0+$/, "")}`
}

/** Enough for three digits of the smallest amount. */
const DECIMALS = 12

/** `$0.1234`; `at least $0.1234` if a part is unknown; `unknown` if all of it is. */
export const cost = (of: Cost): string => costWith("at least ", of)

/** Like `cost`, for a table: `≥ $0.1234`. */
export const costInTable = (of: Cost): string => costWith("≥ ", of)

/** What caches saved, as text: a part of it may be unknown. */
export interface Saving {
  /** In US dollars; null if a part is unknown. */
  readonly usd: number | null
  /** The known part, in US dollars; negative for an extra cost. */
  readonly known: number
  /** Number of calls of which it is unknown. */
  readonly unknown: number
}

/**
 * `caching saved $0.1234`, `caching cost $0.0010 more`, or such a known part of it. Undefined if nothing is known, as
 * in logs without the prices of what their calls read from caches.
 */
export const saving = ({ known, unknown }: Saving): string | undefined => {
  const calls = unknown === 1 ? "1 call" : `${unknown} calls`
  const amount = known < 0 ? `caching cost ${dollars(-known)} more` : `caching saved ${dollars(known)}`
  if (unknown === 0) return amount
  return known === 0 ? undefined : `${amount}, and an unknown amount in ${calls}`
}

const costWith = (bound: string, { usd, atLeast }: Cost): string => {
  if (usd !== null) return dollars(usd)
  return atLeast === 0 ? "unknown" : bound + dollars(atLeast)
}
