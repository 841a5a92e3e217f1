/** The standing of each task on a timeline, from the events that open, change and close it, and its score. */

import { Effect, Schema } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import { type CoreName, is } from "../../events/vocabulary/Vocabulary.ts"
import * as Projection from "../../projections/fold/Projection.ts"
import { recordProjection } from "../../projections/fold/RecordProjection.ts"
import type { ProjectorService } from "../../projections/projector/Projector.ts"
import * as ScoreSets from "../../projections/state/ScoreSets.ts"
import * as Tasks from "../../projections/state/Tasks.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
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
  "goal" | "agent" | "outcome" | "reason" | "unjudged" | "from" | "to" | "openedAt" | "closedAt" | "asked"
>

export interface Standings {
  readonly tasks: { readonly [taskId: string]: Standing }
  readonly plugins: { readonly [taskId: string]: ReadonlyArray<string> }
  readonly setsOf: (taskId: string) => ReadonlyArray<ScoreSetRow>
  readonly rubricOf: (digest: string) => JsonObject | undefined
  /** By the score set that counts. */
  readonly scoreOf: (taskId: string) => Score | null
}

export const current = (projector: ProjectorService): Effect.Effect<Standings, LogError> =>
  Effect.gen(function* () {
    const state = yield* projector.current(projection)
    const sets = yield* projector.current(ScoreSets.projection)
    const setsOf = (taskId: string) => setRows(sets, taskId)
    const rubricOf = (digest: string) => SafeRecord.get(sets.rubrics, digest)
    return { ...state, setsOf, rubricOf, scoreOf: (taskId) => choose(setsOf(taskId)) }
  })

/** The pointer to the score set that counts, if it exists. */
const OFFICIAL = "official"

/** The label of the scoring at a task's close. */
const LIVE = "live"

/** The official score, else the one from the task's close, else the newest, if any. */
const choose = (rows: ReadonlyArray<ScoreSetRow>): Score | null => {
  const finished = rows.filter((row) => row.finished)
  const chosen =
    finished.find(({ pointers }) => pointers.includes(OFFICIAL)) ??
    finished.find(({ label }) => label === LIVE) ??
    finished.at(-1)
  if (chosen === undefined) return null
  const { set, label, earned, lost, net } = chosen
  return { set, label, earned, lost, net }
}

const setRows = (sets: ScoreSets.ScoreSets, taskId: string): ReadonlyArray<ScoreSetRow> =>
  (idsByTask(sets).get(taskId) ?? []).flatMap((id) => {
    const set = SafeRecord.get(sets.sets, id)
    if (set === undefined) return []
    const totals = set.totals === null ? undefined : SafeRecord.get(set.totals, taskId)
    const rubric = SafeRecord.get(sets.rubrics, set.rubricDigest)?.name
    return [
      {
        set: id,
        earned: amount(totals, "earned"),
        lost: amount(totals, "lost"),
        net: amount(totals, "net"),
        label: set.label,
        critic: set.critic,
        rubric: typeof rubric === "string" ? rubric : "",
        rubricDigest: set.rubricDigest,
        pointers: Object.keys(sets.pointers).filter((pointer) => sets.pointers[pointer] === id),
        position: set.startedAt,
        finished: set.finished,
      },
    ]
  })

const amount = (totals: Json | undefined, of: string): number => {
  const found = totals !== undefined && isObject(totals) ? totals[of] : undefined
  return typeof found === "number" ? found : 0
}

/** The ids of each task's score sets, computed once per state. */
const idsByTask = (sets: ScoreSets.ScoreSets): ReadonlyMap<string, ReadonlyArray<string>> => {
  const known = idsBySets.get(sets.sets)
  if (known !== undefined) return known
  const ids = new Map<string, Array<string>>()
  for (const [id, { taskIds }] of Object.entries(sets.sets)) {
    for (const taskId of taskIds) {
      const found = ids.get(taskId)
      if (found === undefined) ids.set(taskId, [id])
      else found.push(id)
    }
  }
  idsBySets.set(sets.sets, ids)
  return ids
}

const idsBySets = new WeakMap<object, ReadonlyMap<string, ReadonlyArray<string>>>()
