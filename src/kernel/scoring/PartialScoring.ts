/**
 * Scores the tasks of an unfinished score set in parts, which different processes judge, and merges their verdicts into
 * the set. The set equals that of one process, whatever the number of parts.
 */

import { Chunk, Data, Effect, Schema, Stream } from "effect"
import type { AppendError, EventLog } from "../../events/log/EventLog.ts"
import * as TaskPart from "../../events/log/TaskPart.ts"
import { defined } from "../../values/defined.ts"
import * as Options from "../../values/Options.ts"
import type { Critic } from "../critics/Critic.ts"
import * as Critics from "../critics/Critics.ts"
import type * as RescoreOptions from "./RescoreOptions.ts"
import * as ResumePoint from "./ResumePoint.ts"
import * as ScoreSetWriter from "./ScoreSetWriter.ts"
import * as ScoringPlan from "./ScoringPlan.ts"
import * as ScoringScan from "./ScoringScan.ts"
import * as TaskSelection from "./TaskSelection.ts"

const decided = {
  measure: Schema.String,
  name: Schema.String,
}

const given = {
  ...decided,
  weight: Schema.Finite,
  amount: Schema.Finite,
  occurrences: Schema.optionalWith(Schema.Finite, { exact: true }),
  because: Schema.Array(Schema.Finite),
  rationale: Schema.optionalWith(Schema.String, { exact: true }),
}

/** The verdicts on one task of a score set, as plain data: JSON keeps them exactly. */
export const JudgedTask = Schema.Struct({
  /** Its place in the score set's list of tasks, from 0. */
  index: Schema.NonNegativeInt,
  taskId: Schema.String,
  verdicts: Schema.Array(
    Schema.Union(
      Schema.Struct({ ...decided, kind: Schema.Literal("unscored"), reason: Schema.String }),
      Schema.Struct({ ...given, kind: Schema.Literal("reward") }),
      Schema.Struct({ ...given, kind: Schema.Literal("punishment") }),
    ),
  ),
})

/** The verdicts on one task of a score set. */
export type JudgedTask = typeof JudgedTask.Type

/** Options of judging a part. */
export interface JudgeOptions<E = never> extends Pick<RescoreOptions.RescoreOptions, "onProgress"> {
  readonly part: TaskPart.TaskPart
  /** Called with judged tasks, in the order of the score set. The judging waits for it. */
  readonly onJudged: (tasks: ReadonlyArray<JudgedTask>) => Effect.Effect<void, E>
}

/** Schema of `JudgeOptions`. */
export const JudgeOptions = Options.of<JudgeOptions<unknown>>({
  required: {
    part: Schema.Struct({
      index: Schema.NonNegativeInt,
      of: Schema.Int.pipe(Schema.between(1, TaskPart.MAX_PARTS)),
    }).pipe(
      Schema.filter(({ index, of }) => index < of, { description: "a part, with an index below the number of parts" }),
    ),
    onJudged: Options.callable<JudgeOptions<unknown>["onJudged"]>(),
  },
  optional: { onProgress: Options.callable<RescoreOptions.OnProgress>() },
})

/** Only rules can judge in parts: plugins and models write their answers to the score set while they judge. */
export class NotInParts extends Data.TaggedError("NotInParts")<{ readonly critic: string }> {
  override get message() {
    return `Expected a rubric that rules decide, which can be judged in parts; found the critic ${this.critic}. Leave the parts out, or choose the rules: \`--critic rule\`.`
  }
}

/** Parts of a score set do not follow each other: a task is missing, or comes from another score set. */
export class PartsIncomplete extends Data.TaggedError("PartsIncomplete")<{
  readonly scoreSetId: string
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    const { scoreSetId, expected, found } = this
    return `Score set ${scoreSetId} was not finished: expected ${expected}, found ${found}. Verdicts merged so far stay; give all parts, or \`hindcast rescore --resume ${scoreSetId}\` judges the rest.`
  }
}

/** An unfinished score set, and how the rest of it is judged. */
export interface Unfinished extends ResumePoint.ResumePoint {
  readonly criticSet: Critics.CriticSet
  readonly parts: ReadonlyArray<ScoringPlan.ScanPart>
}

/** Finds what is left of a score set, with the critics that it was begun with. */
export const load = (
  log: EventLog.Service,
  critics: Critics.Critics.Service,
  scoreSetId: string,
  { model }: Pick<RescoreOptions.ResumeOptions, "model"> = {},
): Effect.Effect<Unfinished, ResumePoint.NotResumed | Critics.ChooseError> =>
  Effect.gen(function* () {
    const point = yield* ResumePoint.load(log, scoreSetId)
    const { started, rubric, left } = point
    const criticSet = yield* critics.choose(rubric, {
      ...Critics.requestFromParams(started.params),
      ...defined({ model }),
    })
    if (criticSet.digest !== started.criticDigest) {
      const reason = `it was started with the critic ${started.critic}; now ${criticSet.name} would decide, and differently`
      return yield* new ResumePoint.NotResumed({ scoreSetId, reason })
    }
    const tasks = yield* TaskSelection.tasks(log, started.range.to)
    const planned = ScoringPlan.inOrder(tasks, left, started.range.to)
    const parts = planned.every(({ taskId }, index) => taskId === left[index])
      ? ScoringPlan.parts(tasks, planned)
      : ScoringPlan.oneByOne(planned, left)
    return { ...point, criticSet, parts }
  })

/** Judges the tasks of a part that a score set has no verdicts on yet. Appends nothing. */
export const judge = <E>(
  log: EventLog.Service,
  { started, progress, parts }: Unfinished,
  critic: Critic,
  { part, onJudged, onProgress = () => Effect.void }: JudgeOptions<E>,
): Effect.Effect<void, AppendError | E> => {
  const mine = ScoringPlan.ofPart(parts, part)
  const indexOf = new Map(started.taskIds.map((taskId, index) => [taskId, index]))
  const ofTasks = mine.reduce((sum, { tasks }) => sum + tasks.length, 0)
  const ofEvents = ScoringPlan.length(mine)
  let tasks = 0
  return ScoringScan.run({
    log,
    critic,
    parts: mine,
    onCompleted: (ended) =>
      Effect.forEach(ended, ({ taskId, judging }) =>
        Effect.map(judging.decide, (verdicts): JudgedTask => ({ index: indexOf.get(taskId) ?? 0, taskId, verdicts })),
      ).pipe(
        Effect.flatMap((judged) => {
          tasks += judged.length
          return judged.length === 0 ? Effect.void : onJudged(judged)
        }),
      ),
    onPositions: (events) => onProgress({ events, ofEvents, tasks: progress.totals.size + tasks, ofTasks }),
  })
}

/** Most tasks whose verdicts are appended at once. */
const AT_ONCE = 64

/**
 * Appends the verdicts of all parts, given in the order of the score set, and finishes it. Skips tasks that the set has
 * verdicts on already.
 */
export const merge = <E, R>(
  log: EventLog.Service,
  { started, progress, left }: ResumePoint.ResumePoint,
  judged: Stream.Stream<JudgedTask, E, R>,
): Effect.Effect<ReadonlyMap<string, ScoreSetWriter.Totals>, AppendError | PartsIncomplete | E, R> =>
  Effect.gen(function* () {
    const { scoreSetId } = progress
    const { taskIds } = started
    const writer = ScoreSetWriter.resume(log, started.critic, progress)
    const before = taskIds.length - left.length
    let next = before
    const checked = (task: JudgedTask) =>
      Effect.suspend(() => {
        const expected = taskIds[next]
        if (task.index === next && task.taskId === expected) {
          next += 1
          return Effect.void
        }
        return new PartsIncomplete({
          scoreSetId,
          expected: expected === undefined ? `no more than its ${taskIds.length} tasks` : `the task ${expected}`,
          found: `the task ${task.taskId}, which is number ${task.index + 1} of its tasks`,
        })
      })
    yield* judged.pipe(
      Stream.dropWhile(({ index }) => index < before),
      Stream.rechunk(AT_ONCE),
      Stream.chunks,
      Stream.runForEach((tasks) =>
        Effect.zipRight(
          Effect.forEach(tasks, checked, { discard: true }),
          writer.appendVerdicts(Chunk.toReadonlyArray(tasks)),
        ),
      ),
    )
    if (next === taskIds.length) return yield* writer.finish
    const found = `verdicts on ${next} of its ${taskIds.length} tasks`
    return yield* new PartsIncomplete({ scoreSetId, expected: `verdicts on the task ${taskIds[next]}`, found })
  })

/** Reads a judged task from elsewhere. */
export const decodeTask = Schema.decodeUnknownEither(JudgedTask)
