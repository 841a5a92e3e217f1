/** The service that scores recorded tasks by a rubric, as new score sets. */

import { Context, Data, Effect, Layer, type Stream } from "effect"
import { type AppendError, EventLog, type LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { TaskNotFound } from "../../projections/audit/TaskAudit.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as PluginRegistry from "../../projections/state/PluginRegistry.ts"
import * as ScoreSets from "../../projections/state/ScoreSets.ts"
import { defined } from "../../values/defined.ts"
import * as Options from "../../values/Options.ts"
import * as Critics from "../critics/Critics.ts"
import { asJson, digestOf, type Rubric, type RubricInvalid } from "../rules/Rubric.ts"
import * as KnownMeasures from "./KnownMeasures.ts"
import * as PartialScoring from "./PartialScoring.ts"
import * as Promotion from "./Promotion.ts"
import { type OnProgress, RescoreOptions, ResumeOptions } from "./RescoreOptions.ts"
import * as ResumePoint from "./ResumePoint.ts"
import * as ScoreSetWriter from "./ScoreSetWriter.ts"
import * as ScoringPlan from "./ScoringPlan.ts"
import * as ScoringScan from "./ScoringScan.ts"
import type { SelectionInvalid } from "./TaskFilter.ts"
import * as TaskSelection from "./TaskSelection.ts"

export { JudgedTask, type JudgeOptions, NotInParts, PartsIncomplete } from "./PartialScoring.ts"
export { NotPromoted, Promotion } from "./Promotion.ts"
export { type OnProgress, type Progress, RescoreOptions, ResumeOptions } from "./RescoreOptions.ts"
export { NotResumed } from "./ResumePoint.ts"
export type { Totals } from "./ScoreSetWriter.ts"
export { matches, type SelectableTask, SelectionInvalid, type TaskFilter } from "./TaskFilter.ts"
export { NoTaskSelected } from "./TaskSelection.ts"

/** The plan of a re-scoring. */
export interface RescorePlan {
  readonly label: string
  readonly rubricDigest: string
  readonly critic: string
  readonly range: { readonly from: number; readonly to: number }
  /** In the order of scoring. */
  readonly taskIds: ReadonlyArray<string>
  readonly events: number
  /** Per task: all, and by deciding critic (rules, plugins' functions, a model). */
  readonly verdicts: number
  readonly rules: number
  readonly functions: number
  readonly models: number
  /** Model calls for all tasks. */
  readonly modelCalls: number
}

/** A finished score set. */
export interface ScoreSetSummary {
  readonly scoreSetId: string
  readonly label: string
  /** In the order of scoring, which is the order of their ends. */
  readonly taskIds: ReadonlyArray<string>
  readonly totals: { readonly [taskId: string]: ScoreSetWriter.Totals }
}

/**
 * Another program writes to the score set. Wait for it or stop it. Verdicts that this one appended stay and count once.
 */
export class ScoringOvertaken extends Data.TaggedError("ScoringOvertaken")<{ readonly scoreSetId: string }> {
  override get message() {
    return `Score set ${this.scoreSetId}: another program is writing to it and was faster. \`hindcast score ls\` shows whether it is finished.`
  }
}

type ChoiceError = Critics.ChooseError | TaskNotFound | SelectionInvalid | TaskSelection.NoTaskSelected | RubricInvalid
/** Why a score set could not be written. */
type WriteError = ScoringOvertaken | AppendError

/** Scores tasks from the log. Each scoring is a new score set; earlier ones stay. */
export class Scoring extends Context.Tag("hindcast/Scoring")<Scoring, Scoring.Service>() {}

/** The type of the service: `Scoring.Service`. */
export declare namespace Scoring {
  /** Scores the tasks of a log. */
  export interface Service {
    /**
     * Scores tasks in one pass, in memory that does not grow with tasks and rules. An interrupt leaves the score set
     * unfinished.
     */
    readonly rescore: (options: RescoreOptions) => Effect.Effect<ScoreSetSummary, ChoiceError | WriteError>
    /**
     * Finishes an interrupted score set with its rubric and up to its position. The result equals an uninterrupted
     * scoring.
     */
    readonly resume: (
      scoreSetId: string,
      options?: ResumeOptions,
    ) => Effect.Effect<ScoreSetSummary, ResumePoint.NotResumed | Critics.ChooseError | WriteError>
    /**
     * Begins a score set that is judged in parts. It stays unfinished until `mergeParts`, or `resume`, which judges all
     * that is left.
     */
    readonly begin: (
      options: RescoreOptions,
    ) => Effect.Effect<string, ChoiceError | PartialScoring.NotInParts | AppendError>
    /**
     * Judges a part of an unfinished score set, in any process that can read the log, and appends nothing. A part has the
     * tasks with `PartHash.has`.
     */
    readonly judgePart: <E = never>(
      scoreSetId: string,
      options: PartialScoring.JudgeOptions<E>,
    ) => Effect.Effect<void, ResumePoint.NotResumed | Critics.ChooseError | AppendError | E>
    /**
     * Finishes a score set by the judged tasks of all parts, merged in the order of their `index`. Its events equal those
     * of `rescore`. Fails if a task is missing; the set is then unfinished.
     */
    readonly mergeParts: <E = never, R = never>(
      scoreSetId: string,
      judged: Stream.Stream<PartialScoring.JudgedTask, E, R>,
    ) => Effect.Effect<ScoreSetSummary, ResumePoint.NotResumed | PartialScoring.PartsIncomplete | WriteError | E, R>
    /** Plans a re-scoring. It scores and appends nothing. */
    readonly plan: (options: RescoreOptions) => Effect.Effect<RescorePlan, ChoiceError | LogError>
    /** Moves a pointer to a score set and returns the event. The earlier set stays. */
    readonly promote: (promotion: Promotion.Promotion) => Effect.Effect<Event, Promotion.PromoteError>
  }
}

/** `Scoring.Service`, shorter where a module imports this one as a namespace. */
export type Service = Scoring.Service

/** Scores by rules and models, without plugins. */
export const layer: Layer.Layer<Scoring, never, EventLog | Projector> = Layer.effect(
  Scoring,
  Effect.flatMap(EventLog, (log) => make(Critics.withoutPlugins(log))),
)

/** Scores by all critics, including plugins. */
export const layerWithCritics: Layer.Layer<Scoring, never, EventLog | Projector | Critics.Critics> = Layer.effect(
  Scoring,
  Effect.flatMap(Critics.Critics, (critics) => make(critics)),
)

const make = (critics: Critics.Critics.Service) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const projector = yield* Projector

    const prepare = (input: RescoreOptions) =>
      Effect.gen(function* () {
        const options = yield* Options.decode("rescore", RescoreOptions, input)
        const { rubric, label = rubric.name, onProgress } = options
        if (rubric.measures.some(({ plugin }) => plugin !== undefined)) {
          const sets = yield* projector.current(ScoreSets.projection)
          yield* KnownMeasures.check(rubric, yield* projector.current(PluginRegistry.projection), sets)
        }
        const { position } = yield* log.head
        const tasks = yield* TaskSelection.tasks(log, position, options)
        const chosen = yield* TaskSelection.of(log, tasks, options)
        const range = { from: Math.min(1, position), to: position }
        const planned = ScoringPlan.inOrder(tasks, chosen, position)
        const criticSet = yield* critics.choose(rubric, options.critics ?? {})
        const parts = ScoringPlan.parts(tasks, planned)
        return { rubric, label, range, planned, criticSet, parts, onProgress, by: options.by }
      })

    const start = ({
      rubric,
      label,
      range,
      planned,
      criticSet,
      by,
    }: Effect.Effect.Success<ReturnType<typeof prepare>>) => {
      const taskIds = planned.map(({ taskId }) => taskId)
      const started = startOf({ rubric, criticSet, taskIds, label, range })
      return ScoreSetWriter.begin(log, started, { taskId: null, causationId: null, by })
    }

    const begin = (options: RescoreOptions) =>
      Effect.gen(function* () {
        const prepared = yield* prepare(options)
        const { name, modelCalls, decides } = prepared.criticSet
        if (modelCalls > 0 || decides.model > 0 || decides.plugin > 0)
          return yield* new PartialScoring.NotInParts({ critic: name })
        return (yield* start(prepared)).scoreSetId
      })

    const judgePart = <E>(scoreSetId: string, input: PartialScoring.JudgeOptions<E>) =>
      Effect.gen(function* () {
        yield* Options.decode("judgePart", PartialScoring.JudgeOptions, input)
        const found = yield* PartialScoring.load(log, critics, scoreSetId)
        const critic = yield* found.criticSet.open(found.progress)
        yield* PartialScoring.judge(log, found, critic, input)
      }).pipe(Effect.scoped)

    const mergeParts = <E, R>(scoreSetId: string, judged: Stream.Stream<PartialScoring.JudgedTask, E, R>) =>
      Effect.gen(function* () {
        const point = yield* ResumePoint.load(log, scoreSetId)
        const totals = yield* PartialScoring.merge(log, point, judged)
        const { label, taskIds } = point.started
        return summaryOf({ scoreSetId, label, taskIds, totals })
      }).pipe(Effect.catchTag("VersionConflict", () => new ScoringOvertaken({ scoreSetId })))

    const rescore = (options: RescoreOptions) =>
      Effect.gen(function* () {
        const prepared = yield* prepare(options)
        const { label, planned, criticSet, parts, onProgress } = prepared
        const taskIds = planned.map(({ taskId }) => taskId)
        const writer = yield* start(prepared)
        const critic = yield* criticSet.open(writer)
        return yield* score({ log, critic, parts, writer, label, taskIds, before: 0, onProgress })
      }).pipe(Effect.scoped)

    const resume = (scoreSetId: string, options: ResumeOptions = {}) =>
      Effect.gen(function* () {
        const { model, onProgress } = yield* Options.decode("resume", ResumeOptions, options)
        const found = yield* PartialScoring.load(log, critics, scoreSetId, defined({ model }))
        const { started, progress, left, criticSet, parts } = found
        const { label, taskIds } = started
        const writer = ScoreSetWriter.resume(log, started.critic, progress)
        const before = taskIds.length - left.length
        const critic = yield* criticSet.open(writer)
        return yield* score({ log, critic, parts, writer, label, taskIds, before, onProgress })
      }).pipe(Effect.scoped)

    const plan = (options: RescoreOptions) =>
      Effect.map(prepare(options), ({ rubric, label, range, planned, criticSet, parts }): RescorePlan => {
        const rewards = rubric.measures.flatMap((of) => [...(of.rewards ?? []), ...(of.punishments ?? [])])
        return {
          label,
          range,
          rubricDigest: digestOf(rubric),
          critic: criticSet.name,
          taskIds: planned.map(({ taskId }) => taskId),
          events: ScoringPlan.length(parts),
          verdicts: rewards.length,
          rules: criticSet.decides.rule,
          functions: criticSet.decides.plugin,
          models: criticSet.decides.model,
          modelCalls: criticSet.modelCalls * planned.length,
        }
      })

    return Scoring.of({
      rescore,
      begin,
      judgePart,
      mergeParts,
      resume,
      plan,
      promote: (promotion) => Promotion.promote(log, projector, promotion),
    })
  })

/** Scores a task that just closed by its plugins' measures, as the score set labelled `live`. */
export const scoreClosed = (
  log: EventLog.Service,
  taskId: string,
  rubric: Rubric,
  causationId: string,
  critics: Critics.Critics.Service = Critics.withoutPlugins(log),
): Effect.Effect<void, AppendError> =>
  Effect.gen(function* () {
    if (rubric.measures.length === 0) return
    const [first] = yield* log.readPage({ taskId, timeline: log.timeline }, 1)
    const { position: to } = yield* log.head
    const from = first?.position ?? to
    const criticSet = yield* critics.chooseDefault(rubric)
    const started = startOf({ rubric, criticSet, taskIds: [taskId], label: "live", range: { from, to } })
    const writer = yield* ScoreSetWriter.begin(log, started, { taskId, causationId })
    const critic = yield* criticSet.open(writer)
    const parts = ScoringPlan.oneByOne([{ taskId, from, to, closed: true }], [taskId])
    yield* write({ log, critic, parts, writer, ofTasks: 1, before: 0 })
  }).pipe(Effect.scoped)

const startOf = ({
  rubric,
  criticSet: { name, digest, params },
  ...others
}: {
  readonly rubric: Rubric
  readonly criticSet: Critics.CriticSet
  readonly taskIds: ReadonlyArray<string>
  readonly label: string
  readonly range: RescorePlan["range"]
}) => ({
  ...others,
  rubric: asJson(rubric),
  rubricDigest: digestOf(rubric),
  critic: name,
  criticDigest: digest,
  ...(params === undefined ? {} : { params: { ...params } }),
})

interface Writing extends Pick<ScoringScan.ScanOptions<never>, "log" | "critic" | "parts"> {
  readonly writer: ScoreSetWriter.ScoreSetWriter
  /** Tasks in the score set, and those already scored. */
  readonly ofTasks: number
  readonly before: number
  readonly onProgress?: OnProgress | undefined
}

const score = ({
  taskIds,
  label,
  ...writing
}: Omit<Writing, "ofTasks"> & { readonly taskIds: ReadonlyArray<string>; readonly label: string }) =>
  Effect.map(write({ ...writing, ofTasks: taskIds.length }), (totals): ScoreSetSummary => {
    return summaryOf({ scoreSetId: writing.writer.scoreSetId, label, taskIds, totals })
  }).pipe(Effect.catchTag("VersionConflict", () => new ScoringOvertaken({ scoreSetId: writing.writer.scoreSetId })))

const summaryOf = ({
  totals,
  ...of
}: Omit<ScoreSetSummary, "totals"> & {
  readonly totals: ReadonlyMap<string, ScoreSetWriter.Totals>
}): ScoreSetSummary =>
  // From entries, since a task id may be `__proto__`.
  ({ ...of, totals: Object.fromEntries(totals) })

const DECIDED_AT_ONCE = 4

const write = ({ log, critic, parts, writer, ofTasks, before, onProgress = () => Effect.void }: Writing) => {
  const ofEvents = ScoringPlan.length(parts)
  let tasks = before
  const onPositions = (events: number) => onProgress({ events, ofEvents, tasks, ofTasks })
  const onJudged = (judged: ReadonlyArray<ScoreSetWriter.TaskVerdicts>) =>
    Effect.tap(writer.appendVerdicts(judged), () => {
      tasks += judged.length
    })
  const scan = ScoringScan.run({
    log,
    critic,
    parts,
    onCompleted: (ended) =>
      Effect.forEach(ended, ({ taskId, judging }) => Effect.map(judging.decide, (verdicts) => ({ taskId, verdicts })), {
        concurrency: DECIDED_AT_ONCE,
      }).pipe(Effect.flatMap(onJudged)),
    onPositions,
  })
  return Effect.zipRight(scan, writer.finish)
}
