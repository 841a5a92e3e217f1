/** What JSON makes of a value of a program: what is recorded of arguments. */

import { findNonJson, type Json, plainText, wellFormed } from "../values/Json.ts"
import { messageOf } from "./Thrown.ts"

/**
 * Copies a value as JSON. What JSON cannot hold becomes what `JSON.stringify` makes of it, or a text that names it; half of a
 * character (a lone surrogate) a replacement character.
 */
export const of = (value: unknown): Json => {
  if (value === undefined) return null
  try {
    if (findNonJson(value) === undefined) return structuredClone(value) as Json
    const text = JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part))
    const json = text === undefined ? `[${typeof value}]` : wellFormed(JSON.parse(text))
    return json ?? "[no JSON: nested too deeply]"
  } catch (error) {
    // A circle, or a getter that throws.
    return `[no JSON: ${plainText(messageOf(error).split("\n", 1)[0] ?? "")}]`
  }
}

/** The arguments of a call as one object: an object that is the only argument, or `{ args: [...] }`. */
export const argsOf = (args: ReadonlyArray<unknown>): { readonly [name: string]: Json } => {
  const [only] = args
  const isAlone = args.length === 1 && typeof only === "object" && only !== null && !Array.isArray(only)
  const json = of(isAlone ? only : { args })
  return typeof json === "object" && json !== null && !Array.isArray(json)
    ? (json as { [name: string]: Json })
    : { args: json }
}
