/** Facts in results and readings: "the `price` of `A1` is 12". Two sources may contradict each other. */

import type { Json } from "../../values/Json.ts"
import { isIdentifier } from "./Identifiers.ts"

export interface Fact {
  /** The identifier of the thing that the fact is about. */
  readonly about: string
  readonly name: string
  readonly value: string | number | boolean | null
}

/** Maximum number of facts of one value. */
const MAX_FACTS = 200

/** Names whose values differ each time without meaning anything. */
const CHANGING =
  /time|date|at$|_ms$|latency|elapsed|token|nonce|uuid|trace|request_?id|version|count|step|message|description/i

/** The facts of a value. An object with an identifier among its members, or as its key, is about that. */
export const of = (value: Json, from: string): ReadonlyArray<Fact> => {
  const facts: Array<Fact> = []
  const walk = (one: Json, about: string, level: number): void => {
    if (facts.length >= MAX_FACTS || level > 4 || typeof one !== "object" || one === null) return
    if (Array.isArray(one)) {
      for (const member of one) walk(member, about, level + 1)
      return
    }
    const entries = Object.entries(one)
    const own = entries.find(([, member]) => typeof member === "string" && isIdentifier(member))?.[1]
    const thing = typeof own === "string" ? own : about
    for (const [name, member] of entries) {
      if (member === own || CHANGING.test(name)) continue
      if (typeof member === "object" && member !== null) walk(member, isIdentifier(name) ? name : thing, level + 1)
      else if (facts.length < MAX_FACTS && thing !== from && isShort(member))
        facts.push({ about: thing, name, value: member })
    }
  }
  walk(value, from, 0)
  return facts
}

/** Longer texts describe, and may differ without disagreeing. */
const isShort = (value: Json): boolean => typeof value !== "string" || value.length <= 40

/** Words by which a result reports a problem although its command succeeded. */
const PROBLEM =
  /^(?:error|errors|warning|warnings|truncated|partial|incomplete|stale|cached|skipped|missing|timed_?out)$/i
const STATUS = /^(?:status|state|result|outcome|ok|success|exit_?code|code|found|saved|complete)$/i
const BAD_STATUS =
  /^(?:error|failed|failure|partial|pending|queued|timeout|timed.?out|denied|rejected|not.?found|stale|draft|skipped|dry.?run)$/i

/** The first member of a value that reports a problem, such as `"ok": false`; undefined if there is none. */
export const problemIn = (value: Json, level = 0): string | undefined => {
  if (typeof value !== "object" || value === null || level > 3) return undefined
  if (Array.isArray(value)) return first(value.slice(0, 50), (member) => problemIn(member, level + 1))
  return first(Object.entries(value), ([name, member]) => {
    const said = `"${name}": ${JSON.stringify(member)}`
    if (PROBLEM.test(name) && !isNothing(member)) return said
    if (STATUS.test(name) && isBad(name, member)) return said
    return problemIn(member, level + 1)
  })
}

const isBad = (name: string, value: Json): boolean =>
  value === false ||
  (typeof value === "string" && BAD_STATUS.test(value)) ||
  (typeof value === "number" &&
    (/exit_?code/i.test(name) ? value !== 0 : /^(?:status|code)$/i.test(name) && value >= 400))

const isNothing = (value: Json): boolean =>
  value === null || value === false || value === "" || value === 0 || (Array.isArray(value) && value.length === 0)

const first = <A, B>(all: ReadonlyArray<A>, find: (one: A) => B | undefined): B | undefined => {
  for (const one of all) {
    const found = find(one)
    if (found !== undefined) return found
  }
  return undefined
}
