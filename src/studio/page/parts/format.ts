/** Formats numbers, times and values for the page. */
import type { Json } from "../../../values/Json.ts"
import { oneLine } from "../../../values/PlainText.ts"

export const number = (value: number): string => String(Math.round(value * 1000) / 1000).replace("-", "−")

export const signed = (value: number): string => (value > 0 ? `+${number(value)}` : number(value))

export const count = (of: number, noun: string): string => `${of.toLocaleString("en")} ${of === 1 ? noun : `${noun}s`}`

export const duration = (ms: number): string => {
  if (ms > 0 && ms < 0.5) return "< 1 ms"
  if (ms < 1_000) return `${number(Math.round(ms))} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`
  return `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} min`
}

/** The zone of all times on the page, such as `Europe/Berlin`. */
export const zone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || "local time"

/** A moment in the reader's zone, to the millisecond. */
export const time = (epochMs: number): string => `${dayOf(epochMs)} ${clock(epochMs)}`

export const dayOf = (epochMs: number): string => {
  const date = new Date(epochMs)
  const two = (value: number) => String(value).padStart(2, "0")
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

export const clock = (epochMs: number): string => {
  const date = new Date(epochMs)
  const two = (value: number) => String(value).padStart(2, "0")
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`
}

/** A value on one line, cut to a length. */
export const inline = (value: Json | undefined, length = 120): string => {
  if (value === undefined) return "nothing"
  // Do not serialize large values only to cut them.
  const text =
    typeof value === "string" ? JSON.stringify(value.slice(0, length)) : JSON.stringify(value, shortened(length))
  const line = oneLine(text)
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}

const shortened = (length: number) => {
  let members = 0
  return (_key: string, value: unknown): unknown => {
    members += 1
    if (members > length) return undefined
    return typeof value === "string" ? value.slice(0, length) : value
  }
}

export const nameOf = (agent: string): string => agent.replace(/@[^@]*$/, "")

/** The minimum and maximum of at least one value. `Math.min(...)` would exceed the argument limit of a call. */
export const extentOf = (values: ReadonlyArray<number>): readonly [low: number, high: number] => [
  values.reduce((a, b) => Math.min(a, b)),
  values.reduce((a, b) => Math.max(a, b)),
]
