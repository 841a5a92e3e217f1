/**
 * The ignore rules of a moment that no snapshot contains: the user's own, and those of the repository's `info/exclude`.
 * A task notes them, so that a later restore knows what they hid. Pure.
 */

import type { Event } from "../../events/vocabulary/Event.ts"
import type { Unseen } from "../../events/vocabulary/Notes.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as GitPattern from "./GitPattern.ts"

/** Lines of patterns; the last one that matches a path decides. Undefined if not all of them are known. */
export type OuterRules = ReadonlyArray<string> | undefined

/** The words of a note on a rule. Its target is the rule; an empty target means that there is none any more. */
export const HIDDEN = "files that a rule outside of the directory hides"

/** The lines of a file that can match something. */
export const linesIn = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => (GitPattern.parse(line).length === 0 ? [] : [line.replace(/\r$/, "")]))

/** Makes a function that returns notes on rules that changed since the task's last note. */
export const news = (past: ReadonlyArray<Event>): ((rules: OuterRules) => ReadonlyArray<Unseen>) => {
  let before = among(past, Number.POSITIVE_INFINITY)
  return (rules) => {
    const found = notes(rules, before)
    before = rules
    return found
  }
}

const notes = (rules: OuterRules, before: OuterRules): ReadonlyArray<Unseen> => {
  const known = bounded(rules)
  if (known === undefined) return before === undefined ? [] : [note("of more rules than are named", 2)]
  if (before !== undefined && known.join("\n") === before.join("\n")) return []
  return known.length === 0 ? [note("", 1)] : known.map((line) => note(line, 1))
}

/** The rules of the latest of a task's notes up to a position, or of the next one; none if no event names any. */
export const among = (events: ReadonlyArray<Event>, until: number): OuterRules => {
  const said = events.flatMap((event) => {
    const rules = is(event, "CaptureNoted") ? event.payload.unseen.filter(({ what }) => what === HIDDEN) : []
    return rules.length === 0 ? [] : [{ position: event.position, rules }]
  })
  // The note of a look comes after its changes.
  const { rules } = said.findLast(({ position }) => position <= until) ?? said[0] ?? { rules: [] }
  return rules.every(({ count }) => count === 1) ? rules.flatMap(({ target }) => linesIn(target)) : undefined
}

const note = (target: string, count: number): Unseen => ({ what: HIDDEN, target, count })

const bounded = (rules: OuterRules): OuterRules =>
  rules !== undefined && rules.length <= MAX_RULES && rules.join("").length <= MAX_CHARACTERS ? rules : undefined

const MAX_RULES = 500
const MAX_CHARACTERS = 32 * 1024
