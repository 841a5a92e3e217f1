/** Formats numbers, durations and times for people. */

import { isMoment, iso } from "../values/Time.ts"

/** A count with thousands separators: `12,345`. */
export const count = (of: number): string => minus(Math.round(of).toLocaleString("en"))

/** A count with its noun: `1 task`, `12,345 tasks`. */
export const counted = (of: number, noun: string): string => `${count(of)} ${noun}${of === 1 ? "" : "s"}`

/** At most three decimals; the larger the number, the fewer. */
export const amount = (of: number): string => {
  const size = Math.abs(of)
  const decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3
  return minus(of.toLocaleString("en", { maximumFractionDigits: decimals }))
}

/** A number with its sign: `+0.3`, `−1.2`, `0`. */
export const signed = (of: number): string => (of > 0 ? `+${amount(of)}` : amount(of))

/** A formatter for numbers shown together: with signs, and with equally many decimals. */
export const uniformFormatter = (numbers: ReadonlyArray<number>): ((of: number) => string) => {
  const size = Math.max(...numbers.map(Math.abs), 0)
  const decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3
  const format = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return (of) => minus(`${of > 0 ? "+" : ""}${of.toLocaleString("en", format)}`)
}

/** A percentage: `62 %`. Shares close to 0 or 100 % keep a decimal, so that they do not read as none or all. */
export const percent = (share: number): string => {
  const of = share * 100
  const size = Math.abs(of)
  if (size > 0 && size < 0.1) return of > 0 ? "< 0.1 %" : "> −0.1 %"
  const exact = size < 10 || (size > 99 && size < 100)
  return `${minus(of.toLocaleString("en", { maximumFractionDigits: exact ? 1 : 0 }))} %`
}

/** A part of a whole: `310 of 500 (62 %)`. */
export const partOf = (part: number, whole: number): string =>
  whole === 0 ? "none" : `${count(part)} of ${count(whole)} (${percent(part / whole)})`

/** `0.4 ms`, `12 ms`, `3.2 s`, `4 min 5 s`, `2 h 10 min`, `3 d 4 h`. */
export const duration = (ms: number): string => {
  if (ms < 999.5) return `${amount(ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms))} ms`
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1).replace(".0", "")} s`
  const [large, small, unit] = ms < 3_599_500 ? MINUTES : ms < 86_370_000 ? HOURS : DAYS
  const inSmall = Math.round(ms / unit)
  const per = UNITS_IN[large]
  const rest = inSmall % per
  return `${count(Math.floor(inSmall / per))} ${large}${rest === 0 ? "" : ` ${rest} ${small}`}`
}

const MINUTES = ["min", "s", 1_000] as const
const HOURS = ["h", "min", 60_000] as const
const DAYS = ["d", "h", 3_600_000] as const
const UNITS_IN = { min: 60, h: 60, d: 24 } as const

/** `21 Nov 2026, 19:14 UTC`. */
export const moment = (epochMs: number): string =>
  isMoment(epochMs) ? `${day(epochMs)}, ${clock(epochMs)} UTC` : iso(epochMs)

/** `21 Nov 2026`, in UTC. */
export const day = (epochMs: number): string => {
  if (!isMoment(epochMs)) return iso(epochMs)
  const date = new Date(epochMs)
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

const clock = (epochMs: number): string => iso(epochMs).slice(11, 16)

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** A period, with the common parts of both ends written once. */
export const period = (from: number, to: number): string =>
  moment(from) === moment(to)
    ? moment(from)
    : day(from) === day(to)
      ? `${day(from)}, ${clock(from)} to ${clock(to)} UTC`
      : `${moment(from)} to ${moment(to)}`

/** The sign "−" is as wide as "+". */
const minus = (text: string): string => text.replace("-", "−")
