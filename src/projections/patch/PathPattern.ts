/** JSON paths with open keys, as expressions read them: `state.tasks[id].open`. */

import * as DidYouMean from "../../values/DidYouMean.ts"
import type { Json } from "../../values/Json.ts"
import { isArray } from "./JsonPatch.ts"
import { member } from "./JsonPointer.ts"

/** A key, any key of an object or a list, or any item of a list. */
export type Step = string | { readonly any: "key" | "item" }

/** The steps from a document to one of its parts. */
export type PathPattern = ReadonlyArray<Step>

/** A path that an expression reads. */
export interface Read {
  /** The path as the expression writes it. */
  readonly text: string
  /** The variable and the steps below it. Undefined if the path starts at a computed value. */
  readonly at?: { readonly variable: string; readonly steps: PathPattern }
}

/** Whether the document has a value at the path, for at least one value of its open keys. */
export const exists = (document: Json | undefined, steps: PathPattern): boolean =>
  document !== undefined && existsFrom(document, steps, 0)

const existsFrom = (value: Json, steps: PathPattern, index: number): boolean => {
  const step = steps[index]
  if (step === undefined) return true
  if (typeof step === "string") {
    const found = member(value, step)
    return found !== undefined && existsFrom(found, steps, index + 1)
  }
  if (typeof value !== "object" || value === null || (step.any === "item" && !isArray(value))) return false
  for (const key in value) {
    const found = member(value, key)
    if (found !== undefined && existsFrom(found, steps, index + 1)) return true
  }
  return false
}

/** The keys of the path, if none is open. */
export const keysOf = (steps: PathPattern): ReadonlyArray<string> | undefined => {
  const keys = steps.filter((step) => typeof step === "string")
  return keys.length === steps.length ? keys : undefined
}

/** Maximum numbers of keys that a message lists, and with which a misspelt key is compared. */
const MAX_LISTED = 12
const MAX_COMPARED = 1_000

/**
 * Describes, as CEL does, the existing path that is nearest to a missing one: the same path with a similar key, or its
 * existing part and the keys there.
 */
export const nearest = (variable: string, document: Json, steps: PathPattern): string => {
  let length = steps.length
  while (length > 0 && !exists(document, steps.slice(0, length))) length -= 1
  const [parent, key] = [steps.slice(0, length), steps[length]]
  const keys = keysAt(document, parent)
  const similar = typeof key === "string" ? DidYouMean.similarNames(key, keys)[0] : undefined
  if (similar !== undefined) {
    const corrected = [...parent, similar]
    const whole = [...corrected, ...steps.slice(length + 1)]
    return write(variable, exists(document, whole) ? whole : corrected)
  }
  const found = write(variable, parent)
  if (keys.length === 0) return `${found}, which has no keys`
  const more = keys.length > MAX_LISTED ? `, and ${keys.length - MAX_LISTED} more` : ""
  return `${found}, which has ${keys.slice(0, MAX_LISTED).join(", ")}${more}`
}

const keysAt = (document: Json, steps: PathPattern): ReadonlyArray<string> => {
  const keys = new Set<string>()
  const visit = (value: Json, index: number): void => {
    if (typeof value !== "object" || value === null || keys.size >= MAX_COMPARED) return
    const step = steps[index]
    if (step === undefined) {
      if (!isArray(value)) for (const key of Object.keys(value)) keys.add(key)
      return
    }
    for (const key of typeof step === "string" ? [step] : Object.keys(value)) {
      const found = member(value, key)
      if (found !== undefined) visit(found, index + 1)
    }
  }
  visit(document, 0)
  return [...keys]
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Writes a path as CEL does, with `[*]` for an open key. */
export const write = (variable: string, steps: PathPattern): string =>
  steps.reduce<string>((text, step) => {
    if (typeof step !== "string") return `${text}[*]`
    return NAME.test(step) ? `${text}.${step}` : `${text}[${JSON.stringify(step)}]`
  }, variable)
