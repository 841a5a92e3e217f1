/** Times as other programs write them. */

import { isMoment } from "../values/Time.ts"

/** Whether a text ends with its zone. */
const HAS_ZONE = /(?:Z|[+-]\d{2}:?\d{2})$/i

/**
 * A time in milliseconds since 1970: from RFC 3339 text (without a zone it is taken as UTC), or from a number of
 * seconds, milliseconds, microseconds or nanoseconds since 1970. Null if it is none, or lies outside of the years 0 to
 * 9999.
 */
export const timeOf = (value: unknown): number | null => {
  const found =
    typeof value === "number"
      ? fromNumber(value)
      : typeof value === "string"
        ? /^\d{16,}$/.test(value)
          ? Number(BigInt(value) / 1_000_000n)
          : Date.parse(/T\d/.test(value) && !HAS_ZONE.test(value) ? `${value}Z` : value)
        : Number.NaN
  return Number.isFinite(found) && isMoment(Math.round(found)) ? Math.round(found) : null
}

/** A number of 1e11 and above is no number of seconds: it would be after the year 5000. */
const fromNumber = (value: number): number => {
  const size = Math.abs(value)
  if (size >= 1e17) return value / 1e6
  if (size >= 1e14) return value / 1e3
  return size >= 1e11 ? value : value * 1e3
}

/** The time from one moment to a later one, in milliseconds; 0 where one of them is unknown or the clock went back. */
export const elapsed = (from: number | null, to: number | null): number =>
  from === null || to === null ? 0 : Math.max(0, to - from)
