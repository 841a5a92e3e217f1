/** Reads times as other programs write them. */

import { isMoment } from "../../values/Time.ts"
import { between } from "../../values/time/OwnTime.ts"

/**
 * Epoch milliseconds from RFC 3339 text (UTC if it has no zone), or from epoch seconds, milliseconds, microseconds or
 * nanoseconds. Null for anything else and outside the years 0 to 9999.
 */
export const timeOf = (value: unknown): number | null => {
  const found = typeof value === "number" ? fromNumber(value) : typeof value === "string" ? fromText(value) : Number.NaN
  return Number.isFinite(found) && isMoment(Math.round(found)) ? Math.round(found) : null
}

/** Numbers, and ISO 8601 with a `T` or a space. */
const fromText = (text: string): number => {
  if (/^\d{1,19}(?:\.\d{1,9})?$/.test(text)) return fromNumber(Number(text))
  const [, day, clock = "00:00", sign = "", hours = "00", minutes = "00"] = ISO.exec(text) ?? []
  return day === undefined
    ? Number.NaN
    : Date.parse(`${day}T${clock.replace(",", ".")}${sign === "" ? "Z" : `${sign}${hours}:${minutes}`}`)
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?) ?(?:Z|([+-])(\d\d):?(\d\d)?)?)?$/i

/** From 1e11 on, a number cannot be seconds: that is after the year 5000. */
const fromNumber = (value: number): number => {
  const size = Math.abs(value)
  if (size >= 1e17) return value / 1e6
  if (size >= 1e14) return value / 1e3
  return size >= 1e11 ? value : value * 1e3
}

/** Milliseconds between two times: 0 if the clock went back, undefined if a time is unknown. */
export const elapsed = (from: number | null, to: number | null): number | undefined =>
  from === null || to === null ? undefined : between(from, to)
