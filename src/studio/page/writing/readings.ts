/** The readings of an agent, and their replacements in a fork. */
import { type Json, type JsonObject, valueAt } from "../../../values/Json.ts"
import type { CourseMoment } from "../model/CourseHistory.ts"

/** The last reading of each sensor of a task, by `plugin/sensor`. */
export const readingsOf = (frame: CourseMoment | null, task: string): JsonObject => {
  const found = frame === null ? undefined : valueAt(frame.after, ["tasks", task, "readings"])
  return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as JsonObject) : {}
}

export interface TypedReading {
  readonly sensor: string
  readonly text: string
}

/** The problem of a typed reading; null if it is valid JSON. */
export const flawOf = ({ text }: TypedReading): string | null => {
  try {
    JSON.parse(text)
    return null
  } catch (cause) {
    return `Expected JSON, such as {"celsius": 90}, found ${text.trim() === "" ? "nothing" : cause instanceof Error ? cause.message : "another text"}.`
  }
}

export const valuesOf = (typed: ReadonlyArray<TypedReading>): { readonly [sensor: string]: Json } =>
  Object.fromEntries(typed.map(({ sensor, text }) => [sensor, JSON.parse(text) as Json]))
