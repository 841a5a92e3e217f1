/** Finds the values of a program's call that occur in an earlier answer. */

import { SHREDDED } from "../../../events/vocabulary/EventType.ts"
import type { Json, JsonObject } from "../../../values/Json.ts"
import * as JsonPointer from "../../patch/JsonPointer.ts"

/** The telling values of a call, with the JSON Pointers of the arguments that hold them. */
export type Sought = ReadonlyMap<string | number, ReadonlyArray<string>>

/** The reads that a search has left. Searches decrement it. */
export interface Allowance {
  answers: number
  /** Characters of answers. A number counts as one. */
  characters: number
}

/** Shorter strings occur in almost any answer. */
const SHORTEST_TEXT = 4

/** Numbers that occur in almost any answer. */
const COMMON_NUMBERS: ReadonlySet<number> = new Set([-1, 0, 1])

/** Maximum number of values of one call that are searched for: its first ones. */
const MOST_SOUGHT = 16

/** Maximum nesting of JSON strings within JSON strings. */
const MOST_LEVELS = 3

/** Placeholders for unrecorded values. Two equal ones may stand for different values. */
const PLACEHOLDER = /\[redacted\]|^\[\d+ (characters|bytes) are left out\]$|^\[no JSON: .*\]$/

/** Returns the values of a call to search for, including those within its JSON strings. */
export const soughtIn = (args: Json): Sought => {
  const sought = new Map<string | number, Array<string>>()
  const add = (value: string | number, pointer: string) => {
    const pointers = sought.get(value)
    if (pointers === undefined) sought.set(value, [pointer])
    else if (!pointers.includes(pointer)) pointers.push(pointer)
  }
  for (const { value, keys } of leavesOf(args)) {
    if (sought.size === MOST_SOUGHT) break
    if (typeof value === "number" ? !COMMON_NUMBERS.has(value) : isTelling(value)) add(value, JsonPointer.write(keys))
  }
  return sought
}

const isTelling = (text: string): boolean =>
  text.trim().length >= SHORTEST_TEXT && text !== SHREDDED && !PLACEHOLDER.test(text)

/**
 * Returns the sought values that occur in an answer: a string as part of one of its strings, a number as one of its
 * numbers, also within JSON strings. Stops when the allowance is used up.
 */
export const foundIn = (answer: Json, sought: Sought, allowance: Allowance): ReadonlySet<string | number> => {
  const texts = [...sought.keys()].filter((value) => typeof value === "string")
  const found = new Set<string | number>()
  for (const { value } of leavesOf(answer)) {
    if (allowance.characters <= 0 || found.size === sought.size) break
    if (typeof value === "number") {
      if (sought.has(value)) found.add(value)
      allowance.characters -= 1
      continue
    }
    const text = value.slice(0, allowance.characters)
    for (const one of texts) if (!found.has(one) && text.includes(one)) found.add(one)
    allowance.characters -= text.length + 1
  }
  return found
}

interface Leaf {
  readonly value: string | number
  /** The path; for a value inside a JSON string, the path of the string. */
  readonly keys: ReadonlyArray<string>
}

/**
 * The strings and numbers of a value, in order, each JSON string followed by its own. Iterative, because a string can
 * nest as deeply as it is long.
 */
function* leavesOf(whole: Json): Generator<Leaf> {
  const left: Array<{ readonly value: Json; readonly keys: ReadonlyArray<string>; readonly level: number }> = [
    { value: whole, keys: [], level: 0 },
  ]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, keys, level } = next
    if (typeof value === "number") yield { value, keys }
    else if (typeof value === "string") {
      yield { value, keys }
      const inner = level < MOST_LEVELS ? jsonIn(value) : undefined
      if (inner !== undefined) left.push({ value: inner, keys, level: level + 1 })
    } else if (typeof value === "object" && value !== null) {
      const members = Object.entries(value as JsonObject).map(([key, member]) => ({
        value: member,
        level,
        keys: level === 0 ? [...keys, key] : keys,
      }))
      for (const member of members.reverse()) left.push(member)
    }
  }
}

/** Parses a string as JSON; undefined if it is not JSON, or a quoted string, which the search for substrings covers. */
const jsonIn = (text: string): Json | undefined => {
  if (!/^\s*[[{\d-]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
