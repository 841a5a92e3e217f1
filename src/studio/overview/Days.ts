/** The hours, days, months and years in which tasks were opened, by the clock of a zone. Pure. */

import type { Days, States } from "../wire/Overview.ts"

/** Whether this machine knows the zone, such as `Europe/Berlin`. */
export const isZone = (zone: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }) !== undefined
  } catch {
    return false
  }
}

/** The hour of a moment by the clock of a zone: `2026-11-21T20`. */
export const hourIn = (zone: string): ((epochMs: number) => string) => {
  const format = new Intl.DateTimeFormat("en-US", {
    ...({ timeZone: zone, hourCycle: "h23", calendar: "iso8601", numberingSystem: "latn" } as const),
    ...({ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit" } as const),
  })
  const known = new Map<number, string>()
  return (epochMs) => {
    // No zone changes its offset within a quarter of an hour.
    const quarter = Math.floor(epochMs / QUARTER_MS)
    const found = known.get(quarter)
    if (found !== undefined) return found
    const parts = new Map(format.formatToParts(quarter * QUARTER_MS).map(({ type, value }) => [type, value]))
    const part = (type: Intl.DateTimeFormatPartTypes, length: number) => (parts.get(type) ?? "").padStart(length, "0")
    const hour = `${part("year", 4)}-${part("month", 2)}-${part("day", 2)}T${part("hour", 2)}`
    known.set(quarter, hour)
    return hour
  }
}

const QUARTER_MS = 900_000

/** Maximum number of slots. */
const MAX_SLOTS = 60

/** The units, and how many characters of `YYYY-MM-DDTHH` name a slot of each. */
const UNITS = [
  ["hour", 13],
  ["day", 10],
  ["month", 7],
  ["year", 4],
] as const

/** Counts tasks by slot, in the shortest unit with few enough slots. Slots without tasks are empty. */
export const of = (opened: ReadonlyArray<{ readonly hour: string; readonly state: string }>, zone: string): Days => {
  const hours = opened.map(({ hour }) => hour).sort()
  const [first, last] = [hours[0], hours.at(-1)]
  if (first === undefined || last === undefined) return { unit: "day", zone, slots: [] }
  for (const [unit, length] of UNITS) {
    const names = slotsBetween(unit, first.slice(0, length), last.slice(0, length))
    if (names === undefined) continue
    const slots = new Map(names.map((day): [string, { [state: string]: number }] => [day, {}]))
    for (const { hour, state } of opened) {
      const states = slots.get(hour.slice(0, length))
      if (states !== undefined) states[state] = (states[state] ?? 0) + 1
    }
    return { unit, zone, slots: [...slots].map(([day, states]): { day: string; states: States } => ({ day, states })) }
  }
  return { unit: "year", zone, slots: [] }
}

/** All slots from the first to the last; undefined if there are too many. Years may be as many as they are. */
const slotsBetween = (unit: Days["unit"], first: string, last: string): ReadonlyArray<string> | undefined => {
  const names = [first]
  while (names.at(-1) !== last) {
    if (names.length === MAX_SLOTS) return unit === "year" ? [first, last] : undefined
    names.push(after(unit, names.at(-1) ?? last))
  }
  return names
}

const after = (unit: Days["unit"], slot: string): string => {
  const [year = 0, month = 1, day = 1, hour = 0] = slot.split(/[-T]/).map(Number)
  const next = new Date(
    Date.UTC(
      year + (unit === "year" ? 1 : 0),
      month - 1 + (unit === "month" ? 1 : 0),
      day + (unit === "day" ? 1 : 0),
      hour + (unit === "hour" ? 1 : 0),
    ),
  )
  return next.toISOString().slice(0, slot.length)
}
