/** The values of a mapping's records, as what they stand for. */

import { parsed } from "../runs/Untrusted.ts"
import type { Reader } from "./Expressions.ts"

/** The readers of a mapping, or of one meaning, by the names of their fields; those of calls are `calls.id` and so on. */
export type Readers = { readonly [name: string]: Reader }

/** Text that is not empty; a number is the text of it. */
export const textFrom = (value: unknown): string | undefined => {
  if (typeof value === "number" && Number.isFinite(value)) return String(value)
  return typeof value === "string" && value !== "" ? value : undefined
}

/** Whether a value is `true`. */
export const isTrue = (value: unknown): boolean => value === true

/** Arguments that are JSON in text are that JSON. */
export const jsonIn = (value: unknown): unknown =>
  typeof value === "string" && /^\s*[[{]/.test(value) ? (parsed(value) ?? value) : value
