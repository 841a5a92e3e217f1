/** The tasks that pass in only one of two scorings, with a test. */

import { Schema } from "effect"
import * as Sum from "../../values/Sum.ts"
import * as Interval from "./interval/Interval.ts"
import { tango } from "./interval/Tango.ts"
import type { Drawing } from "./Statistics.ts"

export const Passes = Schema.Struct({
  gained: Schema.Array(Schema.String).annotations({ description: "Tasks that pass in B only" }),
  lost: Schema.Array(Schema.String).annotations({ description: "Tasks that pass in A only" }),
  difference: Schema.NullOr(Schema.Finite).annotations({
    description: "The share of pairs that pass in B less the share that pass in A",
  }),
  interval: Schema.NullOr(Interval.Interval).annotations({
    description:
      "95 % interval of the difference over other tasks of the same kind; it excludes 0 exactly if p is below 0.05",
  }),
  noInterval: Schema.NullOr(Interval.Refusal),
  p: Schema.NullOr(Schema.Finite).annotations({
    description: "Two-sided p-value against no difference, by `test`; null if `noInterval` has a reason",
  }),
  adjusted: Schema.NullOr(Schema.Finite).annotations({
    description: "p after Holm's correction for the number of comparisons",
  }),
  test: Schema.Literal("mcnemar", "resampled").annotations({
    description:
      "`mcnemar`: McNemar's exact test, for independent pairs; `resampled`: the larger p of flipping signs and the studentized bootstrap, for groups of pairs that may depend on one another",
  }),
})

export type Passes = typeof Passes.Type

/** Whether a task passes in A and in B. */
export interface Passing {
  readonly taskId: string
  readonly inA: boolean
  readonly inB: boolean
}

/**
 * Compares passes: each pair is lost, equal or gained. The method depends only on the groups, never on the outcomes.
 */
export const compare = (
  groups: ReadonlyArray<ReadonlyArray<Passing>>,
  drawing: Drawing,
): Omit<Passes, "adjusted" | "gained" | "lost"> => {
  const differences = groups.map((group) => group.map(({ inA, inB }) => Number(inB) - Number(inA)))
  const all = differences.flat()
  const difference = all.length === 0 ? null : Sum.round(Sum.of(all) / all.length)
  const alone = groups.every(({ length }) => length === 1)
  const [gained, lost] = [1, -1].map((of) => all.filter((each) => each === of).length)
  const { interval, noInterval, p } =
    alone && groups.length >= Interval.MIN_GROUPS
      ? Interval.ofTest(tango(gained ?? 0, lost ?? 0, all.length), "score")
      : Interval.estimate(differences, drawing)
  return { difference, interval, noInterval, p: p?.value ?? null, test: alone ? "mcnemar" : "resampled" }
}
