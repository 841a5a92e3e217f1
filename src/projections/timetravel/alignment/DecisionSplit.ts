/** Where two runs split: the first decision that differs. Time and memory grow with the number of decisions. */

import type { Event } from "../../../events/vocabulary/Event.ts"
import { groupBy } from "../../../values/groupBy.ts"
import { contentOf, type Decision, type DecisionForm, makeReader } from "./Decision.ts"

/** A decision of each run. */
export interface DecisionPair {
  readonly a: Decision
  readonly b: Decision
}

/** The decisions of two runs, compared one by one. */
export interface DecisionSplit {
  /** Pairs of equal decisions before the first one that differs, or in all. */
  readonly same: number
  /** Pairs that cannot be compared, because the log lacks the content of at least one. */
  readonly unreadable: number
  /** The last decision with a call that both made the same before they split; null if there is none. */
  readonly before: DecisionPair | null
  /** The first pair that makes the same calls with different words; null if there is none before the split. */
  readonly worded: DecisionPair | null
  /** The first decision that differs. One side is null if that run decided nothing more. Null if none differs. */
  readonly split:
    | { readonly a: Decision; readonly b: Decision | null }
    | { readonly a: null; readonly b: Decision }
    | null
}

/** The decisions of a run, in order. */
export const decisionsOf = (events: Iterable<Event>): ReadonlyArray<Decision> => {
  const read = makeReader()
  const decisions: Array<Decision> = []
  for (const event of events) {
    const decision = read(event)
    if (decision !== null) decisions.push(decision)
  }
  return decisions
}

/**
 * Finds the first decision that differs. Compares the decisions of each agent, and of each form, in their order, so that
 * agents that take turns otherwise do not differ. Leaves out forms that only one of the runs records: an imported run
 * may have commands without answers.
 *
 * @param shared the decisions of the history that both share
 */
export const between = (
  a: ReadonlyArray<Decision>,
  b: ReadonlyArray<Decision>,
  shared: ReadonlyArray<Decision> = [],
): DecisionSplit => {
  const [formsA, formsB] = [formsOf([...shared, ...a]), formsOf([...shared, ...b])]
  const both = new Set([...formsA].filter((form) => formsB.has(form)))
  return compared(a, b, both.size === 0 ? new Set([...formsA, ...formsB]) : both, shared)
}

const formsOf = (decisions: ReadonlyArray<Decision>): ReadonlySet<DecisionForm> =>
  new Set(decisions.map(({ form }) => form))

const compared = (
  a: ReadonlyArray<Decision>,
  b: ReadonlyArray<Decision>,
  forms: ReadonlySet<DecisionForm>,
  shared: ReadonlyArray<Decision>,
): DecisionSplit => {
  const isOfSeveral = [a, b].some((all) => new Set(all.map(({ event }) => event.taskId)).size > 1)
  const [inA, inB] = [streamsOf(a, forms, isOfSeveral), streamsOf(b, forms, isOfSeveral)]
  const equal: Array<DecisionPair> = []
  const splits: Array<NonNullable<DecisionSplit["split"]>> = []
  const unreadable: Array<DecisionPair> = []
  for (const key of new Set([...inA.keys(), ...inB.keys()])) {
    const [ofA, ofB] = [inA.get(key) ?? [], inB.get(key) ?? []]
    for (let index = 0; ; index++) {
      const [one, other] = [ofA[index] ?? null, ofB[index] ?? null]
      if (one === null && other === null) break
      if (one === null || other === null) {
        splits.push(one === null ? { a: null, b: other as Decision } : { a: one, b: null })
        break
      }
      const pair = { a: one, b: other }
      if (!one.isReadable || !other.isReadable) unreadable.push(pair)
      else if (contentOf(one) === contentOf(other)) equal.push(pair)
      else {
        splits.push(pair)
        break
      }
    }
  }
  const split = splits.sort(inOrder)[0] ?? null
  const isBefore = ({ a, b }: DecisionPair): boolean =>
    split === null ||
    (a.event.position < (split.a?.event.position ?? Number.POSITIVE_INFINITY) &&
      b.event.position < (split.b?.event.position ?? Number.POSITIVE_INFINITY))
  const earlier = equal.filter(isBefore).sort(inOrder)
  const last = shared.findLast(({ calls }) => calls.length > 0)
  return {
    same: earlier.length,
    unreadable: unreadable.filter(isBefore).length,
    before: earlier.findLast(({ a }) => a.calls.length > 0) ?? (last === undefined ? null : { a: last, b: last }),
    worded: earlier.find(({ a, b }) => a.text !== b.text) ?? null,
    split,
  }
}

/** The decisions that follow one another: of one agent and form and, in a timeline of several tasks, of one task. */
const streamsOf = (
  decisions: ReadonlyArray<Decision>,
  forms: ReadonlySet<DecisionForm>,
  isOfSeveral: boolean,
): ReadonlyMap<string, ReadonlyArray<Decision>> =>
  groupBy(
    decisions.filter(({ form }) => forms.has(form)),
    ({ form, agentId, event }) => [JSON.stringify([form, agentId, isOfSeveral ? event.taskId : null])],
  )

/** By the position in the first run, then in the second. A decision that a run lacks comes last. */
const inOrder = (one: Placed, other: Placed): number =>
  placeOf(one.a) - placeOf(other.a) || placeOf(one.b) - placeOf(other.b)

interface Placed {
  readonly a: Decision | null
  readonly b: Decision | null
}

const placeOf = (decision: Decision | null): number => decision?.event.position ?? Number.MAX_SAFE_INTEGER
