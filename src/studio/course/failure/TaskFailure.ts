/** Why a task failed, as every other place explains it (`projections/explanation`). */

import { Effect } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import * as Timelines from "../../../events/read/Timelines.ts"
import type { Brief } from "../../../projections/explanation/FailureChain.ts"
import * as FailureSentence from "../../../projections/explanation/FailureSentence.ts"
import * as WhyFailed from "../../../projections/explanation/WhyFailed.ts"
import type { ScoreChoice } from "../../../projections/report/ScoreChoice.ts"
import type { PendingConfirmation } from "../../../projections/state/PendingConfirmations.ts"
import { StudioLog } from "../../StudioLog.ts"
import type { TaskRow } from "../../wire/Task.ts"

type Row = Pick<TaskRow, "timeline" | "id" | "outcome" | "activity" | "steps" | "to" | "score">

/** The whole explanation. */
export const whole = ({ timeline, id, activity }: Pick<Row, "timeline" | "id" | "activity">, scores: ScoreChoice) =>
  onTimeline(timeline, WhyFailed.load(id, { activity }, scores))

/**
 * The sentence about a task, and where to look first. An open task needs no look at its events, and the answer about a
 * closed one is remembered.
 *
 * @param asked its question to a person that waits longest
 */
export const brief = (row: Row, asked: PendingConfirmation | undefined, scores: ScoreChoice) => {
  const { timeline, id, outcome, activity, steps, to, score } = row
  if (outcome === null && activity !== "stopped") {
    const sentence = FailureSentence.ofOpen({ activity, steps, to, asked })
    return Effect.succeed<Pick<Brief, "sentence" | "moment">>({ sentence, moment: null })
  }
  return Effect.gen(function* () {
    const { briefs } = yield* StudioLog
    const known = briefs.get([timeline, id, String(to), score?.set ?? "", activity ?? ""], () => ({ brief: undefined }))
    known.brief ??= yield* onTimeline(timeline, WhyFailed.brief(id, { activity }, scores))
    return known.brief
  })
}

const onTimeline = <A, E, R>(timeline: string, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const view = timeline === log.timeline ? log : Timelines.view(log, yield* Timelines.named(log, timeline))
    return yield* Effect.provideService(effect, EventLog, view)
  })
