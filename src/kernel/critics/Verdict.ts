/** Judgements of rewards that are due, and the rounding of their amounts. */

import { plainText } from "../../values/Json.ts"
import { measureName } from "../rules/Rubric.ts"
import type { Target, Verdict } from "./Critic.ts"

export type { Verdict } from "./Critic.ts"

/** Rounds an amount to 1e-9, so that sums of decimals are exact to that. */
export const round = (amount: number): number => Math.round(amount * 1e9) / 1e9

/** The verdict of a reward that a critic found to be due so often; none if it is not due. `because` may name a position twice. */
export const due = (
  { measure, kind, reward }: Target,
  occurrences: number,
  because: ReadonlyArray<number>,
  rationale: string,
): ReadonlyArray<Verdict> => {
  if (occurrences === 0) return []
  const positions = [...new Set(because)].sort((a, b) => a - b)
  return [
    {
      ...{ measure: measureName(measure), name: reward.name, kind, weight: reward.weight, because: positions },
      amount: round(reward.weight * occurrences),
      ...(occurrences === positions.length ? {} : { occurrences }),
      ...(rationale === "" ? {} : { rationale: plainText(rationale) }),
    },
  ]
}
