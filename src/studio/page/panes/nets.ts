/** Nets along a course, summed once, and looked up for any position. */
import type { RewardRow } from "../../wire/Task.ts"
import { lastNotAbove } from "../model/Course.ts"
import { type Moment, netLine } from "../model/rewards.ts"

/** @param moments ordered by position */
export const netsOf = (moments: ReadonlyArray<Moment>): ((position: number) => number) => {
  const line = netLine(moments)
  const positions = line.map(({ at }) => at)
  return (position) => line[lastNotAbove(positions, position)]?.net ?? 0
}

/** Rows per page of rewards. */
export const PAGE = 50

export interface RewardPage {
  readonly rows: ReadonlyArray<RewardRow>
  readonly number: number
  readonly pages: number
}

/**
 * A page of rewards, which are ordered by the moments that they are about.
 *
 * @param number counted from 0; null for the page of the last reward at or before the position
 */
export const pageOf = (rewards: ReadonlyArray<RewardRow>, number: number | null, position: number): RewardPage => {
  const pages = Math.max(1, Math.ceil(rewards.length / PAGE))
  const here = lastNotAbove(
    rewards.map(({ at }) => at),
    position,
  )
  const shown = Math.min(pages - 1, Math.max(0, number ?? Math.floor(Math.max(0, here) / PAGE)))
  return { rows: rewards.slice(shown * PAGE, (shown + 1) * PAGE), number: shown, pages }
}
