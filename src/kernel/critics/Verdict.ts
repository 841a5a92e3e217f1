/** Verdicts of rewards that are due, and the rounding of their amounts. */

import type { Reward } from "../../plugins/manifest/Manifest.ts"
import { plainText } from "../../values/Json.ts"
import { measureName } from "../rules/Rubric.ts"
import { type Target, unscored, type Verdict } from "./Critic.ts"

export type { Verdict } from "./Critic.ts"

/** Rounds an amount to 1e-9, so that sums of decimals are exact to that. */
export const round = (amount: number): number => Math.round(amount * 1e9) / 1e9

/**
 * The amount of a reward for its occurrences in a task; undefined if it counts by step and the task has none. All
 * critics use it.
 */
export const amountOf = (
  { weight, per }: Pick<Reward, "weight" | "per">,
  occurrences: number,
  steps: number,
): number | undefined => {
  if (per !== "step") return round(weight * occurrences)
  return steps === 0 ? undefined : round((weight * occurrences) / steps)
}

export const NO_STEP = "it counts by step, and the task has no command"

export const isRepeatable = ({ per }: Pick<Reward, "per">): boolean => per === "occurrence" || per === "step"

interface Found {
  readonly occurrences: number
  /** May name a position twice. */
  readonly because: ReadonlyArray<number>
  readonly rationale: string
  readonly steps: number
}

export const due = (target: Target, { occurrences, because, rationale, steps }: Found): ReadonlyArray<Verdict> => {
  if (occurrences === 0) return []
  const { measure, kind, reward } = target
  const amount = amountOf(reward, occurrences, steps)
  if (amount === undefined) return [unscored(target, NO_STEP)]
  const positions = [...new Set(because)].sort((a, b) => a - b)
  return [
    {
      measure: measureName(measure),
      name: reward.name,
      kind,
      weight: reward.weight,
      because: positions,
      amount,
      ...(occurrences === positions.length ? {} : { occurrences }),
      ...(rationale === "" ? {} : { rationale: plainText(rationale) }),
    },
  ]
}
