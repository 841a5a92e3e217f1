/** Methods about audits and scores: one task, many tasks, scorings by another rubric, and comparisons. */
import { Effect, Option, Schema, Stream } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import * as ScoreAppender from "../../../importing/writing/ScoreAppender.ts"
import * as Rubric from "../../../kernel/rules/Rubric.ts"
import { layerWithCritics, Scoring } from "../../../kernel/scoring/Scoring.ts"
import * as Audits from "../../../projections/audit/Audits.ts"
import * as TaskAudit from "../../../projections/audit/TaskAudit.ts"
import * as CollectiveAudit from "../../../projections/collective/CollectiveAudit.ts"
import * as Comparison from "../../../projections/comparison/Comparison.ts"
import * as ModelSides from "../../../projections/comparison/ModelSides.ts"
import * as SetSummary from "../../../projections/comparison/SetSummary.ts"
import { Projector } from "../../../projections/projector/Projector.ts"
import * as ScoreSets from "../../../projections/state/ScoreSets.ts"
import { defined } from "../../../values/defined.ts"
import * as Ids from "../../command/Ids.ts"
import * as OpenLog from "../../command/OpenLog.ts"
import * as TimelineOption from "../../command/TimelineOption.ts"
import * as ScoreOption from "../../export/ScoreOption.ts"
import * as Transitions from "../../export/Transitions.ts"
import * as ComparedSides from "../../score/ComparedSides.ts"
import * as Method from "../Method.ts"
import * as Selection from "./Selection.ts"

const { optional } = Method

const audit = Method.question("log.audit", { task: Schema.String }, ({ task }) =>
  Effect.flatMap(Ids.task(task), TaskAudit.load),
)

const audits = Method.listing("log.audits", Selection.fields, (selected) =>
  Effect.map(Selection.ids(selected), (tasks) => Audits.stream(defined({ tasks }))),
)

/** How the agents of a task behave together: the document of `audit --collective`. */
const collective = Method.question(
  "log.collective",
  { task: Schema.String, cooperative: optional(Schema.Array(Schema.String)) },
  ({ task, cooperative }) =>
    Effect.flatMap(Ids.task(task), (taskId) => CollectiveAudit.load(taskId, defined({ cooperative }))),
)

/** Every step of every task, with the rewards of a scoring: the rows of `export transitions`. */
const transitions = Method.listing("log.transitions", { scores: optional(Schema.String) }, ({ scores }) =>
  Effect.gen(function* () {
    const choice = yield* ScoreOption.resolve(Option.fromNullable(scores))
    return Audits.stream().pipe(
      // One task at a time: its steps stay in memory until its last event.
      Stream.rechunk(1),
      Stream.mapEffect((audit) => Transitions.ofTask(audit, choice)),
      Stream.mapConcat(({ steps }) => steps),
    )
  }),
)

const scores = Method.question("log.scores", {}, () =>
  Effect.gen(function* () {
    const { sets, pointers } = yield* (yield* Projector).current(ScoreSets.projection)
    return Object.entries(sets).map(([scoreSetId, { taskIds, ...set }]) => ({
      scoreSetId,
      ...set,
      tasks: taskIds.length,
      pointers: Object.keys(pointers).filter((pointer) => pointers[pointer] === scoreSetId),
    }))
  }),
)

const compare = Method.question(
  "log.compare",
  {
    a: Schema.String,
    b: Schema.String,
    models: optional(Schema.Boolean),
    scores: optional(Schema.String),
    by: optional(Schema.Literal("net", "normalized")),
    passAbove: optional(Schema.Number),
    seed: optional(Schema.Number),
  },
  ({ a, b, models = false, scores, by, ...options }) =>
    Effect.gen(function* () {
      const given = {
        a: Option.none(),
        b: Option.none(),
        model: [],
        scores: Option.fromNullable(scores),
        anySeed: false,
      }
      const asked: ComparedSides.Asked = models ? { kind: "models", names: [a, b], given } : { kind: "scorings", a, b }
      const sides = yield* ComparedSides.load(asked, Effect.flatMap(EventLog, ModelSides.tasksOf))
      const compared = yield* Comparison.compare(sides.a, sides.b, {
        ...defined({ value: by, ...options }),
        groupOf: ComparedSides.groupOf(sides, undefined),
      })
      return sides.models === null ? compared : { ...compared, scoring: sides.scoring, models: sides.models }
    }),
)

const Rescoring = Schema.Struct({
  log: Schema.Number,
  timeline: optional(Schema.String),
  rubric: Schema.String,
  label: optional(Schema.String),
  ...Selection.fields,
})

/** Scores tasks by the rubric in a file, as a new score set. Opens the log for writing meanwhile. */
const rescore = Method.make("log.rescore", Rescoring, ({ log, timeline, rubric, label, ...selected }, { logs }) =>
  Effect.flatMap(logs.find(log), ({ filename }) =>
    Effect.gen(function* () {
      const loaded = yield* Rubric.load(rubric)
      const selection = yield* Selection.resolve(selected)
      const summary = yield* (yield* Scoring).rescore({ rubric: loaded, ...selection, ...defined({ label }) })
      const known = yield* (yield* Projector).current(ScoreSets.projection)
      return { ...summary, summary: yield* SetSummary.load(known, [summary.scoreSetId]) }
    }).pipe(
      // Scoring works on the timeline of its log view.
      Effect.provide(layerWithCritics),
      TimelineOption.provide(Option.fromNullable(timeline)),
      Effect.provide(OpenLog.forWriting(Option.some(filename))),
    ),
  ),
)

const Given = Schema.Struct({
  path: optional(Schema.String),
  task: Schema.String,
  scores: Schema.Array(
    Schema.Struct({
      scorer: Schema.NonEmptyString,
      name: Schema.NonEmptyString,
      value: Schema.Finite,
      rationale: optional(Schema.String),
    }),
  ),
  subject: optional(Schema.String),
})

/** Writes the client's own scores of a task: a score set for each scorer. Answers the number of new events. */
const give = Method.make("score.give", Given, ({ path, task, scores, subject }) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const taskId = yield* Ids.task(task)
    const writing = { log, source: "program", redact: false, dryRun: false, ...defined({ subject }) }
    return yield* ScoreAppender.append(
      writing,
      scores.map(({ rationale = null, ...score }) => ({ ...score, taskId, rationale })),
    )
  }).pipe(Effect.provide(OpenLog.forWriting(Option.fromNullable(path)))),
)

export const METHODS: ReadonlyArray<Method.Method> = [
  audit,
  audits,
  collective,
  transitions,
  scores,
  compare,
  rescore,
  give,
]
