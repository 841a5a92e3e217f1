/** Converts values that a mapping reads. */

import { parsed } from "../runs/Untrusted.ts"
import type { Reader } from "./Expressions.ts"

/** Readers by field name; those of calls are `calls.id` and so on. */
export type Readers = { readonly [name: string]: Reader }

/** A non-empty text, or a number as text. */
export const textFrom = (value: unknown): string | undefined => {
  if (typeof value === "number" && Number.isFinite(value)) return String(value)
  return typeof value === "string" && value !== "" ? value : undefined
}

export const isTrue = (value: unknown): boolean => value === true

/** Parses arguments that are JSON in text. */
export const jsonIn = (value: unknown): unknown =>
  typeof value === "string" && /^\s*[[{]/.test(value) ? (parsed(value) ?? value) : value
