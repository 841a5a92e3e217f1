/** The projection of score sets, their rubrics, and the pointers to them. */

import { Schema } from "effect"
import { Position } from "../../events/vocabulary/Event.ts"
import { evolveBy, type Handlers } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import { JsonObject } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as Projection from "../fold/Projection.ts"
import { RecordBuilder } from "../fold/RecordBuilder.ts"

/** One scoring of tasks by one rubric and one critic. */
export const ScoreSet = Schema.Struct({
  label: Schema.String.annotations({ description: "`live` for the scoring done when a task closes" }),
  rubricDigest: Schema.String.annotations({ description: "Which of the rubrics" }),
  critic: Schema.String,
  criticDigest: Schema.String,
  taskIds: Schema.Array(Schema.String),
  range: Schema.Struct({ from: Schema.Int, to: Schema.Int }).annotations({ description: "Positions it read" }),
  startedAt: Position.annotations({ description: "Position at which it began" }),
  finished: Schema.Boolean.annotations({ description: "false where it is under way, or was interrupted" }),
  totals: Schema.NullOr(JsonObject).annotations({ description: "earned, lost and net of every task, once finished" }),
  by: Schema.String.annotations({ description: "The actor who had it scored" }),
  replaces: Schema.optionalWith(Schema.String, { exact: true }),
}).annotations({ identifier: "ScoreSet" })

export type ScoreSet = typeof ScoreSet.Type

/** Every score set by id, the rubrics, and the pointers (`official`, `baseline` …) to score sets. */
export const ScoreSets = Schema.Struct({
  sets: Schema.Record({ key: Schema.String, value: ScoreSet }),
  rubrics: Schema.Record({ key: Schema.String, value: JsonObject }).annotations({
    description: "What tasks were scored by, by its digest: most score sets share theirs with others",
  }),
  pointers: Schema.Record({ key: Schema.String, value: Schema.String }).annotations({
    description: "Score set id by pointer",
  }),
}).annotations({ identifier: "ScoreSets" })

export type ScoreSets = typeof ScoreSets.Type

/** The number of tasks that at least one of the score sets covers. */
export const scoredAmong = (
  { sets }: ScoreSets,
  tasks: ReadonlyArray<string>,
  scoreSetIds: Iterable<string>,
): number => {
  const scored = new Set<string>()
  for (const id of scoreSetIds) for (const taskId of SafeRecord.get(sets, id)?.taskIds ?? []) scored.add(taskId)
  return new Set(tasks.filter((taskId) => scored.has(taskId))).size
}

interface ScoreSetRecords {
  readonly sets: RecordBuilder<ScoreSet>
  readonly rubrics: RecordBuilder<JsonObject>
  readonly pointers: RecordBuilder<string>
}

const handlers: Handlers<ScoreSetRecords> = {
  ScoringStarted: (records, { scoreSetId, replaces, ...started }, event) => {
    if (records.sets.get(scoreSetId) !== undefined) return records
    if (records.rubrics.get(started.rubricDigest) === undefined)
      records.rubrics.set(started.rubricDigest, started.rubric)
    records.sets.set(scoreSetId, {
      label: started.label,
      rubricDigest: started.rubricDigest,
      critic: started.critic,
      criticDigest: started.criticDigest,
      taskIds: started.taskIds,
      range: started.range,
      startedAt: event.position,
      finished: false,
      totals: null,
      by: event.actor,
      ...defined({ replaces }),
    })
    return records
  },
  ScoringFinished: (records, { scoreSetId, totals }) => {
    records.sets.change(scoreSetId, (set) => (set.finished ? set : { ...set, finished: true, totals }))
    return records
  },
  ScoreSetPromoted: (records, { pointer, scoreSetId }) => {
    records.pointers.set(pointer, scoreSetId)
    return records
  },
}

/** The types of events that the projection folds. */
export const TYPES: ReadonlyArray<string> = Object.keys(handlers)

const apply = evolveBy(handlers)

const builder = (from: ScoreSets, own: boolean): Projection.StateBuilder<ScoreSets> => {
  const records: ScoreSetRecords = {
    sets: new RecordBuilder(from.sets, own),
    rubrics: new RecordBuilder(from.rubrics, own),
    pointers: new RecordBuilder(from.pointers, own),
  }
  let state = from
  return {
    apply: (event) => void apply(records, event),
    state: () => {
      const [sets, rubrics, pointers] = [records.sets.record(), records.rubrics.record(), records.pointers.record()]
      if (sets !== state.sets || rubrics !== state.rubrics || pointers !== state.pointers) {
        state = { sets, rubrics, pointers }
      }
      return state
    },
    chunked: () => ({
      sets: records.sets.chunked(),
      rubrics: records.rubrics.chunked(),
      pointers: records.pointers.chunked(),
    }),
  }
}

/** The score sets and the pointers to them. Sets are never overwritten: the first start of an id counts. */
export const projection: Projection.Projection<ScoreSets> = {
  name: "ScoreSets",
  version: 2,
  state: ScoreSets,
  initial: { sets: {}, rubrics: {}, pointers: {} },
  types: TYPES,
  evolve: Projection.evolveFrom(builder),
  builder,
}
