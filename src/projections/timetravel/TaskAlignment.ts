/** Aligns two runs by the meaning of their events, not by positions, times or ids. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { longestCommon, type Match } from "./alignment/CommonSubsequence.ts"
import { type EventSignature, isPartOfRun, makeReader } from "./alignment/EventSignature.ts"

/** One row of an alignment: an event of one run, or a matched pair. */
export type Pair =
  | { readonly kind: "same" | "changed"; readonly a: Event; readonly b: Event }
  | { readonly kind: "onlyInA"; readonly a: Event; readonly b: null }
  | { readonly kind: "onlyInB"; readonly a: null; readonly b: Event }

/** Two aligned runs. */
export interface TaskAlignment {
  /** Every event of both runs, each run in order. `a` is the first run, `b` the second. */
  readonly pairs: ReadonlyArray<Pair>
  /** Index of the first pair that is not `same`; null if the runs are equal. */
  readonly divergence: number | null
  readonly same: number
  /** Pairs of equal kind, such as two readings of one sensor, whose content differs; and the anchor. */
  readonly changed: number
  readonly onlyInA: number
  readonly onlyInB: number
}

/** Two events of different runs that stand in one row, by their positions. */
export interface Anchor {
  readonly a: number
  readonly b: number
}

/**
 * Aligns two runs: first events of equal meaning, as a longest common subsequence, then events of equal kind between
 * those. Leaves out events that were recorded about a run afterwards, such as scores and notes.
 *
 * @param anchor the decisions at which the runs split, which share a row; events before and after it are aligned apart
 */
export const align = (ofA: Iterable<Event>, ofB: Iterable<Event>, anchor: Anchor | null = null): TaskAlignment => {
  const tokens = new Map<string, number>()
  const [a, b] = [runOf(ofA, tokens), runOf(ofB, tokens)]
  const pairs: Array<Pair> = []
  const [i, j] = [indexOf(a, anchor?.a), indexOf(b, anchor?.b)]
  const [inA, inB] = [a.events[i], b.events[j]]
  if (inA === undefined || inB === undefined) alignRuns(pairs, a, b)
  else {
    alignRuns(pairs, stretch(a, 0, i), stretch(b, 0, j))
    pairs.push({ kind: "changed", a: inA, b: inB })
    alignRuns(pairs, stretch(a, i + 1, a.events.length), stretch(b, j + 1, b.events.length))
  }
  const counts = { same: 0, changed: 0, onlyInA: 0, onlyInB: 0 }
  for (const { kind } of pairs) counts[kind] += 1
  const divergence = pairs.findIndex(({ kind }) => kind !== "same")
  return { pairs, divergence: divergence < 0 ? null : divergence, ...counts }
}

/** The index of an event; -1 if the run lacks it. */
const indexOf = ({ events }: SignedRun, position: number | undefined): number =>
  position === undefined ? -1 : events.findIndex((event) => event.position === position)

const alignRuns = (pairs: Array<Pair>, a: SignedRun, b: SignedRun): void => {
  let [i, j] = [0, 0]
  for (const [nextI, nextJ] of [...longestCommon(a.whole, b.whole), [a.events.length, b.events.length] as const]) {
    alignKinds(pairs, stretch(a, i, nextI), stretch(b, j, nextJ))
    const [inA, inB] = [a.events[nextI], b.events[nextJ]]
    if (inA !== undefined && inB !== undefined) pairs.push({ kind: "same", a: inA, b: inB })
    ;[i, j] = [nextI + 1, nextJ + 1]
  }
}

interface SignedRun {
  readonly events: ReadonlyArray<Event>
  readonly whole: ReadonlyArray<number>
  readonly kinds: ReadonlyArray<number>
  readonly contents: ReadonlyArray<number>
}

const runOf = (all: Iterable<Event>, tokens: Map<string, number>): SignedRun => {
  const read = makeReader()
  const events = [...all].filter(isPartOfRun)
  const signatures = events.map(read)
  const numbers = (part: keyof EventSignature) =>
    signatures.map((signature) => {
      const known = tokens.get(signature[part]) ?? tokens.size
      tokens.set(signature[part], known)
      return known
    })
  return { events, whole: numbers("whole"), kinds: numbers("kind"), contents: numbers("content") }
}

const stretch = ({ events, whole, kinds, contents }: SignedRun, from: number, to: number): SignedRun => ({
  events: events.slice(from, to),
  whole: whole.slice(from, to),
  kinds: kinds.slice(from, to),
  contents: contents.slice(from, to),
})

const alignKinds = (pairs: Array<Pair>, a: SignedRun, b: SignedRun): void => {
  const partners: ReadonlyArray<Match> = longestCommon(a.kinds, b.kinds)
  let [i, j] = [0, 0]
  for (const [nextI, nextJ] of [...partners, [a.events.length, b.events.length] as const]) {
    for (const event of a.events.slice(i, nextI)) pairs.push({ kind: "onlyInA", a: event, b: null })
    for (const event of b.events.slice(j, nextJ)) pairs.push({ kind: "onlyInB", a: null, b: event })
    const [inA, inB] = [a.events[nextI], b.events[nextJ]]
    if (inA !== undefined && inB !== undefined) {
      // Outcomes of two different commands can still be the same, for example if both were allowed.
      pairs.push({ kind: a.contents[nextI] === b.contents[nextJ] ? "same" : "changed", a: inA, b: inB })
    }
    ;[i, j] = [nextI + 1, nextJ + 1]
  }
}
