/** The back-off between requests to a model. */

import type { Failure } from "./Failure.ts"

export const DEFAULT_RETRIES = 4

/** Wait before the first retry, in milliseconds, without jitter. */
export const FIRST_WAIT_MS = 1000

/** Longest wait of the exponential back-off, in milliseconds. */
export const LONGEST_WAIT_MS = 60_000

/** Longest wait that a provider may ask for, in milliseconds: 10 minutes. */
export const LONGEST_GRANTED_MS = 600_000

/**
 * The wait before a retry, in milliseconds. It doubles from retry to retry, with equal jitter (half to all of it). A
 * provider's request for a wait wins, up to `LONGEST_GRANTED_MS`.
 *
 * @param attempt the number of the retry, from 0
 * @param random a number from 0 to 1
 */
export const backoffMs = (attempt: number, { retryAfterMs }: Pick<Failure, "retryAfterMs">, random: number): number => {
  if (retryAfterMs !== undefined) return Math.min(retryAfterMs, LONGEST_GRANTED_MS)
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, attempt))
  return Math.round(longest * (0.5 + 0.5 * random))
}
