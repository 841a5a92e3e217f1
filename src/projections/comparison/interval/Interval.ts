/** The 95 % interval of a mean difference over other tasks of the same kind, or the reason why none is given. */

import { Schema } from "effect"
import * as Sum from "../../../values/Sum.ts"
import type { Drawing, Groups } from "../Statistics.ts"
import { clopperPearson } from "./ClopperPearson.ts"
import { studentizedBootstrap } from "./StudentizedBootstrap.ts"

/** With fewer groups than this, no interval is given. */
export const MIN_GROUPS = 10

/** An interval, and the method by which it was found, which says what it assumes. */
export const Interval = Schema.Struct({
  low: Schema.Finite,
  high: Schema.Finite,
  method: Schema.Literal("studentized", "exact").annotations({
    description:
      "`studentized`: a bootstrap, which assumes that the tasks are drawn at random and that differences much larger than those seen are not more frequent than these suggest; `exact`: of two values (Clopper–Pearson), which assumes that other tasks differ by one of the two values that were seen",
  }),
}).annotations({ identifier: "Interval" })

export type Interval = typeof Interval.Type

/** Why no interval is given. */
export const Refusal = Schema.Struct({
  reason: Schema.Literal("few", "equal", "alike", "unstable").annotations({
    description:
      "`few`: too few groups; `equal`: all differences are the same; `alike`: nearly all are the same; `unstable`: the interval is unbounded",
  }),
  explanation: Schema.String,
}).annotations({ identifier: "IntervalRefusal" })

export type Refusal = typeof Refusal.Type

/** In the rarer of two values, so many groups at least; and so many groups at least that differ from most others. */
const MIN_OF_VALUE = 2
const MIN_UNLIKE = 10

/**
 * The interval of the mean of these differences.
 *
 * A sample in which nearly all differences are the same says little about the size and the frequency of others, so that
 * each method would give an interval that is too narrow. Such a sample gets an interval only where two values were
 * seen, each at least twice: the share of either is then bounded exactly. Where most groups agree, and fewer than ten
 * do not, there is none.
 */
export const intervalOf = (groups: Groups, drawing: Drawing): Interval | Refusal => {
  if (groups.length < MIN_GROUPS) return refusal("few", `There are fewer than ${MIN_GROUPS} independent pairs.`)
  const values = valuesOf(groups)
  const [commonest, other] = values
  if (commonest === undefined || other === undefined) return refusal("equal", ofEqual(groups.length))
  if (values.length === 2 && other.groups >= MIN_OF_VALUE && ofOneSize(groups)) {
    const [low, high] = commonest.value < other.value ? [commonest, other] : [other, commonest]
    const share = clopperPearson(high.groups, groups.length)
    const at = (of: number) => Sum.round(low.value + (high.value - low.value) * of)
    return { low: at(share.low), high: at(share.high), method: "exact" }
  }
  const unlike = groups.length - commonest.groups
  if (commonest.groups > unlike && unlike < MIN_UNLIKE) return refusal("alike", ofAlike(unlike, groups.length))
  const found = studentizedBootstrap(groups, drawing)
  return found === null
    ? refusal("unstable", "The differences are too large, or too few are distinct, to bound their mean.")
    : { low: Sum.round(found.low), high: Sum.round(found.high), method: "studentized" }
}

const refusal = (reason: Refusal["reason"], explanation: string): Refusal => ({ reason, explanation })

/** The mean differences of the groups, each with the number of groups that have it, the commonest first. */
const valuesOf = (groups: Groups): ReadonlyArray<{ readonly value: number; readonly groups: number }> => {
  const counts = new Map<number, number>()
  for (const group of groups) {
    const value = meanOf(group)
    counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts].map(([value, groups]) => ({ value, groups })).sort((a, b) => b.groups - a.groups)
}

const meanOf = (group: ReadonlyArray<number>): number => Sum.round(Sum.of(group) / group.length)

const ofOneSize = (groups: Groups): boolean => groups.every(({ length }) => length === groups[0]?.length)

/**
 * What equal differences say: if fewer than this share of other tasks differed by as much, so many in a row would have
 * had a chance of less than 5 %.
 */
const ofEqual = (groups: number): string => {
  const share = Math.floor(1000 * 0.05 ** (1 / groups)) / 10
  return `All differences are the same. With 95 % confidence that is so for at least ${share} % of other tasks; by how much the rest differ, these cannot say.`
}

const ofAlike = (unlike: number, groups: number): string =>
  `Only ${unlike} of ${groups} differ from the rest, and at least ${MIN_UNLIKE} are needed to say how often others do, and by how much.`
