/** How far two sides agree on which tasks pass: the share, and Cohen's κ, which takes chance out of it. */

import { Schema } from "effect"
import * as Sum from "../../values/Sum.ts"

export const Agreement = Schema.Struct({
  tasks: Schema.Int.annotations({ description: "Pairs that both sides decided" }),
  undecided: Schema.Int.annotations({
    description: "Pairs left out because a side is unfinished there, or has something undecided",
  }),
  bothPass: Schema.Int,
  onlyA: Schema.Int.annotations({ description: "Tasks that pass in A only" }),
  onlyB: Schema.Int.annotations({ description: "Tasks that pass in B only" }),
  bothFail: Schema.Int,
  share: Schema.NullOr(Schema.Finite).annotations({
    description: "Share of the tasks on which the sides agree, exact to 1e-9; null without tasks",
  }),
  rateA: Schema.NullOr(Schema.Finite).annotations({ description: "Base rate: the share of the tasks that pass in A" }),
  rateB: Schema.NullOr(Schema.Finite).annotations({ description: "Base rate: the share of the tasks that pass in B" }),
  chance: Schema.NullOr(Schema.Finite).annotations({
    description: "The share on which sides with these base rates agree if neither looks at the tasks",
  }),
  kappa: Schema.NullOr(Schema.Finite).annotations({
    description: "Cohen's κ: (share − chance) / (1 − chance); null if it is undefined",
  }),
  noKappa: Schema.NullOr(Schema.Literal("no-tasks", "a-is-constant", "b-is-constant", "both-are-constant")).annotations(
    {
      description: "Why κ is undefined: a side that says the same of all tasks agrees by chance only",
    },
  ),
}).annotations({ identifier: "Agreement" })

export type Agreement = typeof Agreement.Type

/** Whether a task passes in A and in B; null where a side has not decided. */
export interface Judged {
  readonly inA: boolean | null
  readonly inB: boolean | null
}

/** Counts the agreement of two sides. κ after Cohen (1960). */
export const of = (pairs: ReadonlyArray<Judged>): Agreement => {
  const decided = pairs.filter(({ inA, inB }) => inA !== null && inB !== null)
  const count = (a: boolean, b: boolean) => decided.filter(({ inA, inB }) => inA === a && inB === b).length
  const [bothPass, onlyA, onlyB, bothFail] = [
    count(true, true),
    count(true, false),
    count(false, true),
    count(false, false),
  ]
  const tasks = decided.length
  const counted = { tasks, undecided: pairs.length - tasks, bothPass, onlyA, onlyB, bothFail }
  if (tasks === 0) {
    return { ...counted, share: null, rateA: null, rateB: null, chance: null, kappa: null, noKappa: "no-tasks" }
  }
  const shareOf = (part: number) => part / tasks
  const [share, rateA, rateB] = [shareOf(bothPass + bothFail), shareOf(bothPass + onlyA), shareOf(bothPass + onlyB)]
  const chance = rateA * rateB + (1 - rateA) * (1 - rateB)
  const noKappa = constant(bothPass + onlyA, bothPass + onlyB, tasks)
  return {
    ...counted,
    share: Sum.round(share),
    rateA: Sum.round(rateA),
    rateB: Sum.round(rateB),
    chance: Sum.round(chance),
    kappa: noKappa === null ? Sum.round((share - chance) / (1 - chance)) : null,
    noKappa,
  }
}

const constant = (passInA: number, passInB: number, tasks: number): Agreement["noKappa"] => {
  const isConstant = (passes: number) => passes === 0 || passes === tasks
  if (isConstant(passInA)) return isConstant(passInB) ? "both-are-constant" : "a-is-constant"
  return isConstant(passInB) ? "b-is-constant" : null
}
