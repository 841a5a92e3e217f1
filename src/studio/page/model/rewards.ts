/** Rewards and punishments along a course. */

import { groupBy } from "../../../values/groupBy.ts"
import type { RewardRow } from "../../wire/Task.ts"
import { signed } from "../parts/format.ts"

export interface Moment {
  readonly at: number
  readonly amount: number
  readonly reward: RewardRow
}

export const momentsOf = (rewards: ReadonlyArray<RewardRow>): ReadonlyArray<Moment> =>
  rewards
    .flatMap((reward) => reward.moments.map(({ at, amount }) => ({ at, amount, reward })))
    .sort((a, b) => a.at - b.at || a.reward.position - b.reward.position)

export const byPosition = (moments: ReadonlyArray<Moment>): ReadonlyMap<number, ReadonlyArray<Moment>> =>
  groupBy(moments, ({ at }) => [at])

/** An amount in a few characters: the shape of its kind, and its part of the net. */
export const amountLabel = (amount: number): string => `${amount < 0 ? "▼" : "▲"}${signed(amount)}`

export const netLine = (
  moments: ReadonlyArray<Moment>,
): ReadonlyArray<{ readonly at: number; readonly net: number; readonly amount: number }> => {
  let net = 0
  return moments.map(({ at, amount }) => {
    net += amount
    return { at, net, amount }
  })
}

export const netAt = (moments: ReadonlyArray<Moment>, position: number): number =>
  moments.filter(({ at }) => at <= position).reduce((sum, { amount }) => sum + amount, 0)
