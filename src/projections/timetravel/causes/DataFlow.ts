/** Which values of a program's call occur in an answer that was there before. */

import { SHREDDED } from "../../../events/vocabulary/EventType.ts"
import type { Json, JsonObject } from "../../../values/Json.ts"
import * as JsonPointer from "../../patch/JsonPointer.ts"

/** The values of a call that an answer can be known by, each with the JSON Pointers of the arguments that hold it. */
export type Sought = ReadonlyMap<string | number, ReadonlyArray<string>>

/** What a search may still read. It is counted down. */
export interface Allowance {
  answers: number
  /** Characters of answers' texts. A number or another short value counts as one. */
  characters: number
}

/** Shorter texts are in almost any answer. */
const SHORTEST_TEXT = 4

/** Numbers that are in almost any answer. */
const COMMON_NUMBERS: ReadonlySet<number> = new Set([-1, 0, 1])

/** Most values of one call that are looked for: its first ones. Each is looked for in all that the allowance covers. */
const MOST_SOUGHT = 16

/** Most levels of JSON texts in JSON texts that are read. */
const MOST_LEVELS = 3

/** Texts that stand for something that is not on record, so that two of them may stand for different things. */
const PLACEHOLDER = /\[redacted\]|^\[\d+ (characters|bytes) are left out\]$|^\[no JSON: .*\]$/

/** The values of a call that are looked for in answers, in its JSON texts too. */
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
 * The sought values that occur in an answer: a text as a part of one of its texts, a number as one of its numbers; also in its
 * JSON texts. What the allowance does not cover is not read.
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
  /** Where it is; of a value inside a JSON text, where the text is. */
  readonly keys: ReadonlyArray<string>
}

/** The texts and numbers of a value, in order, and after a JSON text those in it. Iterative: a text can nest as deep as it is long. */
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

/** The value that a text says as JSON; undefined if it is no JSON, and of a text in quotes, which its own inclusion finds. */
const jsonIn = (text: string): Json | undefined => {
  if (!/^\s*[[{\d-]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
