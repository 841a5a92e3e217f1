/** Amounts that may be unknown or incomplete, as text. An unknown amount is never 0. */
import * as TokenCount from "../../../projections/summary/TokenCount.ts"
import type { ModelTotals } from "../../wire/Task.ts"

/** `1.2 k`, `3.4 M`; whole below a thousand. */
export const short = (amount: number): string => {
  if (amount < 1_000) return String(Math.round(amount))
  if (amount < 999_500) return `${decimal(amount / 1_000)} k`
  return `${decimal(amount / 1_000_000)} M`
}

const decimal = (value: number): string => value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 1 : 0 })

/** The tokens of model calls; `≥` if those of some calls are unknown, `?` if no call's are known. */
export const tokens = ({ inputTokens, outputTokens, unmetered }: ModelTotals): string =>
  TokenCount.inTable({ known: inputTokens + outputTokens, isLowerBound: unmetered > 0 }, short)

/** The cost of model calls; `≥` if that of some calls is unknown, `?` if no call's is known. */
export const cost = ({ cost: { usd, atLeast } }: ModelTotals): string => {
  if (usd !== null) return dollars(usd)
  return atLeast === 0 ? "?" : `≥ ${dollars(atLeast)}`
}

const dollars = (usd: number): string => {
  if (usd === 0) return "$0"
  if (usd < 0.005) return "< $0.01"
  return `$${usd.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`
}
