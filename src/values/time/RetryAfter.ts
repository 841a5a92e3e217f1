/** Reads the HTTP header `Retry-After` (RFC 9110 §10.2.3). */

/**
 * The wait that a server asks for, in milliseconds: as seconds, or until a date. 0 for a date that has passed, undefined
 * for anything else.
 *
 * @param now epoch milliseconds
 */
export const retryAfterMs = (header: string, now: number): number | undefined => {
  const seconds = header.trim() === "" ? Number.NaN : Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  // `Date.parse` takes numbers such as `1-2` for dates.
  const until = /^[\d.\s-]*$/.test(header) ? Number.NaN : Date.parse(header)
  return Number.isFinite(until) ? Math.max(0, until - now) : undefined
}
