/** Completes a task's return: the score set of the rewards from its worlds. */

import { Effect } from "effect"
import type { CoreNewEvent, EventLog, LogError } from "../../events/log/EventLog.ts"
import * as News from "../../events/read/News.ts"
import * as Pages from "../../events/read/Pages.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { scoreSetOf } from "../../projections/state/WorldReturn.ts"
import type { Verdict } from "../critics/Verdict.ts"
import { totalsOf } from "../scoring/ScoreSetWriter.ts"

/**
 * The event that completes a task's return; none if the task has no world.
 *
 * @param after a position before all rewards
 */
export const finished = (
  log: EventLog.Service,
  taskId: string,
  after = 0,
): Effect.Effect<ReadonlyArray<CoreNewEvent>, LogError> =>
  Effect.gen(function* () {
    const scoreSetId = scoreSetOf(taskId)
    const query = { stream: `task/${taskId}`, timeline: log.timeline, types: TYPES, after }
    if (!(yield* News.mayHave(log, query))) return []
    const verdicts: Array<Verdict> = []
    let isStarted = false
    yield* Pages.forEach(log.readPage, query, (page) => {
      for (const event of page) {
        if (is(event, "ScoringStarted")) isStarted ||= event.payload.scoreSetId === scoreSetId
        else if (event.payload.scoreSetId !== scoreSetId) continue
        else if (is(event, "RewardGiven")) verdicts.push({ kind: "reward", ...event.payload })
        else if (is(event, "PunishmentGiven")) verdicts.push({ kind: "punishment", ...event.payload })
      }
    })
    if (!isStarted) return []
    const payload = { scoreSetId, totals: { [taskId]: { ...totalsOf(verdicts) } } }
    return [{ type: "ScoringFinished", payload }]
  })

const TYPES = ["ScoringStarted", "RewardGiven", "PunishmentGiven"] as const
