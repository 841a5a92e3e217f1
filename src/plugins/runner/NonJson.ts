/** Finds parts of a value that JSON cannot represent, before sending it. */

import { stringify } from "./Captured.ts"

/** Maximum nesting; the protocol's `ANSWER_DEPTH`. */
const MAX_DEPTH = 150

/** Describes the first such part. Undefined if there is none. */
export const findNonJson = (value: unknown, depth: number): string | undefined => {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? undefined : "text with a lone surrogate"
    case "number":
      return Number.isFinite(value) ? undefined : String(value)
    case "boolean":
      return undefined
    case "undefined":
      return "undefined (return null where there is nothing to say)"
    case "object":
      return value === null ? undefined : findNonJsonInside(value, depth)
    default:
      return `a ${typeof value}`
  }
}

const findNonJsonInside = (value: object, depth: number): string | undefined => {
  if (depth >= MAX_DEPTH) return `a cycle or more than ${MAX_DEPTH} levels`
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) {
    return `an instance of ${(value as { readonly constructor?: { readonly name?: string } }).constructor?.name ?? "a class"}`
  }
  for (const [key, inner] of Array.isArray(value)
    ? Array.from(value, (v, i) => [String(i), v])
    : Object.entries(value)) {
    const bad = findNonJson(inner, depth + 1)
    if (bad !== undefined) return `${bad} at ${stringify(key)}`
  }
  return undefined
}
