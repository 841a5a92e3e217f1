/** The rewards and punishments of a task by one score set, with the moments that they are about. */

import { Effect } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { type CoreName, is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { TimelineHistory } from "../../projections/timetravel/TimelineHistory.ts"
import type { RewardRow } from "../wire/Task.ts"

const GIVING: ReadonlyArray<CoreName> = ["RewardGiven", "PunishmentGiven"]

/** A task's rewards and punishments by one score set, ordered by the moments that they are about. */
export const ofSet = (
  past: TimelineHistory,
  taskId: string,
  scoreSetId: string,
): Effect.Effect<ReadonlyArray<RewardRow>, LogError> =>
  Effect.suspend(() => {
    const rows: Array<RewardRow> = []
    const take = (page: ReadonlyArray<Event>) => {
      for (const event of page) {
        const row = rowOf(event, scoreSetId)
        if (row !== undefined) rows.push(row)
      }
    }
    return Effect.map(Pages.forEach(past.readPage, { taskId, types: GIVING }, take), () =>
      rows.sort((a, b) => a.at - b.at || a.position - b.position),
    )
  })

const rowOf = (event: Event, scoreSetId: string): RewardRow | undefined => {
  const isReward = is(event, "RewardGiven")
  if (!isReward && !is(event, "PunishmentGiven")) return undefined
  const { payload, position } = event
  if (payload.scoreSetId !== scoreSetId) return undefined
  const { because, measure, name, rationale = null } = payload
  const kind = isReward ? "reward" : "punishment"
  const amount = isReward ? payload.amount : 0 - payload.amount
  const moments = momentsOf(payload, amount, position)
  return {
    position,
    at: because.at(-1) ?? position,
    because,
    kind,
    amount,
    moments,
    measure,
    name,
    rationale,
  }
}

/**
 * The moments at which a verdict was earned or lost.
 *
 * @param amount the verdict's part of the net
 * @param position the moment of a verdict without evidence
 */
export const momentsOf = (
  { because, occurrences = Math.max(1, because.length) }: Pick<PayloadOf<"RewardGiven">, "because" | "occurrences">,
  amount: number,
  position: number,
): RewardRow["moments"] =>
  // Without `occurrences`, `because` lists one position per occurrence; a verdict without evidence counts once.
  because.length === occurrences
    ? because.map((moment) => ({ at: moment, amount: amount / occurrences }))
    : [{ at: because.at(-1) ?? position, amount }]

/** The evidence of the greatest punishment, if any. */
export const costliestOf = (rewards: ReadonlyArray<RewardRow>): number | null => {
  let worst: RewardRow | undefined
  for (const row of rewards) if (row.amount < (worst?.amount ?? 0)) worst = row
  return worst?.at ?? null
}
