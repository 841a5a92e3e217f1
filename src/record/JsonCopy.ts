/** JSON copies of a program's values, for recording. */

import { findNonJson, type Json, plainText, wellFormed } from "../values/Json.ts"
import { messageOf } from "./Thrown.ts"

/**
 * Copies a value as `JSON.stringify` writes it. A value that JSON cannot hold becomes a text that names it, and a lone
 * surrogate the replacement character.
 */
export const of = (value: unknown): Json => {
  if (value === undefined) return null
  try {
    if (findNonJson(value) === undefined) return structuredClone(value) as Json
    const text = JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part))
    const json = text === undefined ? `[${typeof value}]` : wellFormed(JSON.parse(text))
    return json ?? "[no JSON: nested too deeply]"
  } catch (error) {
    // A cycle, or a getter that throws.
    return `[no JSON: ${plainText(messageOf(error).split("\n", 1)[0] ?? "")}]`
  }
}

/** The arguments of a call as one object: the only argument if it is an object, otherwise `{ args: [...] }`. */
export const argsOf = (args: ReadonlyArray<unknown>): { readonly [name: string]: Json } => {
  const [only] = args
  const isAlone = args.length === 1 && typeof only === "object" && only !== null && !Array.isArray(only)
  const json = of(isAlone ? only : { args })
  return typeof json === "object" && json !== null && !Array.isArray(json)
    ? (json as { [name: string]: Json })
    : { args: json }
}
