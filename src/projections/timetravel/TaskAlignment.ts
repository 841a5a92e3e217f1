import type { Event } from "../../events/vocabulary/Event.ts"
import { longestCommon, type Match } from "./alignment/CommonSubsequence.ts"
import { type EventSignature, isPartOfIt, reader } from "./alignment/EventSignature.ts"

/** An event of the one, of the other, or of both: then they were found to be partners. */
export type Pair =
  | { readonly kind: "same" | "changed"; readonly a: Event; readonly b: Event }
  | { readonly kind: "onlyInA"; readonly a: Event; readonly b: null }
  | { readonly kind: "onlyInB"; readonly a: null; readonly b: Event }

/** Two runs, event by event. */
export interface TaskAlignment {
  /** Every event of both, in the order of each. Read down, `a` is the first run and `b` the second. */
  readonly pairs: ReadonlyArray<Pair>
  /** Which of the pairs is the first that is not the same; null where the two runs are. */
  readonly divergence: number | null
  readonly same: number
  /** Partners of one kind, such as two readings of one sensor, that say different things. */
  readonly changed: number
  readonly onlyInA: number
  readonly onlyInB: number
}

/**
 * Aligns two runs by what their events mean, and not by their number, times or ids: first what means the same in both, as
 * much of it as there is in one order; then, between those, what is of the same kind. What was recorded about a run later
 * (scores, notes) is left out.
 */
export const align = (ofA: Iterable<Event>, ofB: Iterable<Event>): TaskAlignment => {
  const tokens = new Map<string, number>()
  const [a, b] = [runOf(ofA, tokens), runOf(ofB, tokens)]
  const pairs: Array<Pair> = []
  let [i, j] = [0, 0]
  for (const [nextI, nextJ] of [...longestCommon(a.whole, b.whole), [a.events.length, b.events.length] as const]) {
    alignKinds(pairs, stretch(a, i, nextI), stretch(b, j, nextJ))
    const [inA, inB] = [a.events[nextI], b.events[nextJ]]
    if (inA !== undefined && inB !== undefined) pairs.push({ kind: "same", a: inA, b: inB })
    ;[i, j] = [nextI + 1, nextJ + 1]
  }
  const counts = { same: 0, changed: 0, onlyInA: 0, onlyInB: 0 }
  for (const { kind } of pairs) counts[kind] += 1
  const divergence = pairs.findIndex(({ kind }) => kind !== "same")
  return { pairs, divergence: divergence < 0 ? null : divergence, ...counts }
}

/** Events, and numbers that stand for what they mean. */
interface Run {
  readonly events: ReadonlyArray<Event>
  readonly whole: ReadonlyArray<number>
  readonly kinds: ReadonlyArray<number>
  readonly said: ReadonlyArray<number>
}

const runOf = (all: Iterable<Event>, tokens: Map<string, number>): Run => {
  const read = reader()
  const events = [...all].filter(isPartOfIt)
  const meanings = events.map(read)
  const numbers = (part: keyof EventSignature) =>
    meanings.map((meaning) => {
      const known = tokens.get(meaning[part]) ?? tokens.size
      tokens.set(meaning[part], known)
      return known
    })
  return { events, whole: numbers("whole"), kinds: numbers("kind"), said: numbers("said") }
}

const stretch = ({ events, whole, kinds, said }: Run, from: number, to: number): Run => ({
  events: events.slice(from, to),
  whole: whole.slice(from, to),
  kinds: kinds.slice(from, to),
  said: said.slice(from, to),
})

const alignKinds = (pairs: Array<Pair>, a: Run, b: Run): void => {
  const partners: ReadonlyArray<Match> = longestCommon(a.kinds, b.kinds)
  let [i, j] = [0, 0]
  for (const [nextI, nextJ] of [...partners, [a.events.length, b.events.length] as const]) {
    for (const event of a.events.slice(i, nextI)) pairs.push({ kind: "onlyInA", a: event, b: null })
    for (const event of b.events.slice(j, nextJ)) pairs.push({ kind: "onlyInB", a: null, b: event })
    const [inA, inB] = [a.events[nextI], b.events[nextJ]]
    if (inA !== undefined && inB !== undefined) {
      // What came of two different commands may still be the same: both were allowed.
      pairs.push({ kind: a.said[nextI] === b.said[nextJ] ? "same" : "changed", a: inA, b: inB })
    }
    ;[i, j] = [nextI + 1, nextJ + 1]
  }
}
