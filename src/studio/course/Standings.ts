/** The standing of each task on a timeline, from the events that open, change and close it, and its score. */

import { Effect, Option, Schema } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { type CoreName, is } from "../../events/vocabulary/Vocabulary.ts"
import * as SetScores from "../../projections/comparison/SetScores.ts"
import * as Projection from "../../projections/fold/Projection.ts"
import { recordProjection } from "../../projections/fold/RecordProjection.ts"
import type { ProjectorService } from "../../projections/projector/Projector.ts"
import * as ScoreChoice from "../../projections/report/ScoreChoice.ts"
import * as TaskScores from "../../projections/report/TaskScores.ts"
import * as ScoreSets from "../../projections/state/ScoreSets.ts"
import * as Tasks from "../../projections/state/Tasks.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { Score, ScoreSetRow } from "../wire/Task.ts"

const STANDING: ReadonlyArray<CoreName> = [
  ...(["TaskOpened", "TaskResumed", "TimelineForked", "TaskPaused", "TaskContinued"] as const),
  ...(["TaskCancelled", "TaskClosed"] as const),
]

/** The plugins whose measures a task was opened with. */
const plugins = recordProjection({
  name: "StudioTaskPlugins",
  version: 1,
  state: Schema.Record({ key: Schema.String, value: Schema.Array(Schema.String) }),
  apply: (record, event) => {
    if (!is(event, "TaskOpened") || event.taskId === null || record.get(event.taskId) !== undefined) return
    const named = event.payload.measures.flatMap((measure) =>
      measure.includes("/") ? [measure.split("/")[0] ?? ""] : [],
    )
    record.set(event.taskId, [...new Set(named)])
  },
})

const combined = Projection.combine({ tasks: Tasks.projection, plugins })

/** Folds only `STANDING`, so it lacks a task's steps and current end. */
const projection: typeof combined = {
  ...combined,
  name: "StudioStandings",
  types: STANDING,
  evolve: (state, event) => (STANDING.some((type) => type === event.type) ? combined.evolve(state, event) : state),
}

export type Standing = Pick<
  Tasks.Task,
  "goal" | "agent" | "outcome" | "reason" | "unjudged" | "from" | "to" | "openedAt" | "closedAt" | "asked" | "parent"
>

export interface Standings {
  readonly tasks: { readonly [taskId: string]: Standing }
  readonly plugins: { readonly [taskId: string]: ReadonlyArray<string> }
  /** The chosen scores. */
  readonly choice: ScoreChoice.ScoreChoice
  readonly sets: ScoreSets.ScoreSets
  readonly setsOf: (taskId: string) => ReadonlyArray<ScoreSetRow>
  readonly rubricOf: (digest: string) => JsonObject | undefined
  /** By the chosen score set. */
  readonly scoreOf: (taskId: string) => Score | null
}

/**
 * @param scores the name of a scoring (`SetScores`). One of another timeline's scorings scores no task here. Default: the
 * score that counts for each task
 */
export const current = (
  projector: ProjectorService,
  scores?: string,
): Effect.Effect<Standings, LogError | SetScores.ScoringNotFound, EventLog> =>
  Effect.gen(function* () {
    const state = yield* projector.current(projection)
    const sets = yield* projector.current(ScoreSets.projection)
    const choice = yield* Effect.catchTag(SetScores.choiceIn(sets, scores), "ScoringNotFound", (missing) =>
      elsewhere(projector, missing),
    )
    return {
      ...state,
      choice,
      sets,
      setsOf: (taskId) => TaskScores.setsOf(sets, taskId),
      rubricOf: (digest) => SafeRecord.get(sets.rubrics, digest),
      scoreOf: (taskId) => TaskScores.of(sets, taskId, choice),
    }
  })

/**
 * The choice of a scoring that other timelines have: a reader who chose it on one may continue to a task of this one.
 */
const elsewhere = (
  projector: ProjectorService,
  missing: SetScores.ScoringNotFound,
): Effect.Effect<ScoreChoice.ScoreChoice, LogError | SetScores.ScoringNotFound, EventLog> =>
  Effect.gen(function* () {
    for (const { name } of yield* Timelines.list(yield* EventLog)) {
      const on = yield* Effect.orDie(projector.on(name))
      const known = yield* on.current(ScoreSets.projection)
      const found = yield* Effect.option(SetScores.resolveIn(known, missing.name))
      if (Option.isSome(found)) return ScoreChoice.ofSets(missing.name, new Set(found.value.scoreSetIds))
    }
    return yield* missing
  })
