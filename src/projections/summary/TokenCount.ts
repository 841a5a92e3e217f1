/** Counts of tokens that may be lower bounds, as text. An unknown count is never 0. Pure, also for browsers. */

/** The known tokens of some requests. */
export interface TokenCount {
  readonly known: number
  /** Whether the tokens of a request are unknown, so that the known ones are a lower bound. */
  readonly isLowerBound: boolean
}

/** `220`; `≥ 220` if those of some requests are unknown, and `?` if no request's are known. */
export const inTable = ({ known, isLowerBound }: TokenCount, format: (count: number) => string = String): string => {
  if (!isLowerBound) return format(known)
  return known === 0 ? "?" : `≥ ${format(known)}`
}
