/** Answers `/api/rescores`. */

import { Effect, Schema } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Scoring from "../../kernel/scoring/Scoring.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import { defined } from "../../values/defined.ts"
import * as Options from "../../values/Options.ts"
import { Allowed } from "../Allowed.ts"
import type { Rescored, RescoreOrder } from "../wire/Asking.ts"
import * as Rubrics from "./Rubrics.ts"

const MAX_TASKS = 10_000

const TaskOnTimeline = Schema.Struct({ timeline: Schema.NonEmptyString, task: Schema.NonEmptyString })

/** The body of `/api/rescores` and `/api/rubrics/check`. */
export const RescoreBody: Schema.Schema<RescoreOrder> = Schema.Struct({
  rubric: Schema.String,
  label: Schema.optionalWith(Options.Name, { exact: true }),
  tasks: Schema.Array(TaskOnTimeline).pipe(Schema.maxItems(MAX_TASKS)),
})

/** Scores tasks by a rubric's rules, with one score set for each timeline. Starts no plugin and asks no model. */
export const rescore = ({ rubric: text, label, tasks }: RescoreOrder) =>
  Effect.gen(function* () {
    yield* Rubrics.allowed
    const { by } = yield* Allowed
    const rubric = yield* Rubrics.ofText(text)
    const sets: Array<Rescored[number]> = []
    for (const timeline of new Set(tasks.map((task) => task.timeline))) {
      const ids = tasks.flatMap((one) => (one.timeline === timeline ? [one.task] : []))
      const options = { rubric, tasks: ids, by, ...defined({ label }) }
      const summary = yield* scoringOn(timeline, (scoring) => scoring.rescore(options))
      sets.push({ timeline, set: summary.scoreSetId, label: summary.label })
    }
    return sets satisfies Rescored
  })

/** Scoring works on the timeline of its log view. */
const scoringOn = <A, E, R>(timeline: string, use: (scoring: Scoring.Scoring.Service) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { log, projector } = yield* Rubrics.on(timeline)
    return yield* Effect.flatMap(Scoring.Scoring, use).pipe(
      Effect.provide(Scoring.layer),
      Effect.provideService(EventLog, log),
      Effect.provideService(Projector, projector),
    )
  })
