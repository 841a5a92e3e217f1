/** Adds to listed tasks the activities of open ones, and the scores. */
import { Effect, Option } from "effect"
import { EventLog, MAIN } from "../../../events/log/EventLog.ts"
import * as Timelines from "../../../events/read/Timelines.ts"
import * as TaskPresent from "../../../kernel/recovery/TaskPresent.ts"
import * as SetScores from "../../../projections/comparison/SetScores.ts"
import { Projector } from "../../../projections/projector/Projector.ts"
import * as TaskScores from "../../../projections/report/TaskScores.ts"
import * as ScoreSets from "../../../projections/state/ScoreSets.ts"
import type * as Tasks from "../../../projections/state/Tasks.ts"

/** A task on its timeline; on `main` if it names none. */
export type ListedTask = Tasks.Task & { readonly id: string; readonly timeline?: string }

/** Finds the activities of the open ones among these tasks. */
export const looked = <Task extends ListedTask>(tasks: ReadonlyArray<Task>) =>
  Effect.gen(function* () {
    const activityOf = yield* TaskPresent.onTimelines
    return yield* Effect.forEach(tasks, (task) =>
      Effect.map(activityOf(task.timeline, task.id, task), (activity) => ({ ...task, activity })),
    )
  })

/**
 * Adds the scores of tasks.
 *
 * @param options.scores the name of a scoring. Default: for each task, the score that counts
 * @param options.all whether these are all tasks, so that snapshots of all score sets help
 */
export const scored = <Task extends ListedTask>(
  tasks: ReadonlyArray<Task>,
  { scores, all }: { readonly scores: Option.Option<string>; readonly all: boolean },
) =>
  Effect.gen(function* () {
    const projector = yield* Projector
    const name = Option.getOrUndefined(scores)
    const ofLog = yield* SetScores.choice(name)
    const viewOf = yield* views
    const scoreOf = new Map<string, (taskId: string) => TaskScores.TaskScore | null>()
    const first = tasks.reduce((least, { from }) => Math.min(least, from), Number.POSITIVE_INFINITY)
    for (const timeline of new Set(tasks.map((task) => task.timeline ?? MAIN))) {
      const view = yield* viewOf(timeline)
      const known = all
        ? yield* (yield* projector.on(timeline)).current(ScoreSets.projection)
        : yield* Effect.provideService(SetScores.setsAfter(first - 1), EventLog, view)
      // A fork has pointers of its own, but need not have a scoring of that name.
      const choice = yield* Effect.orElseSucceed(
        Effect.provideService(SetScores.choiceIn(known, name), EventLog, view),
        () => ofLog,
      )
      scoreOf.set(timeline, (taskId) => TaskScores.of(known, taskId, choice))
    }
    return tasks.map((task) => ({ ...task, score: scoreOf.get(task.timeline ?? MAIN)?.(task.id) ?? null }))
  })

/** The views of the log by timeline, each of which is looked up once. */
const views = Effect.gen(function* () {
  const log = yield* EventLog
  const known = new Map<string, EventLog.Service>()
  return (timeline: string = MAIN) =>
    Effect.gen(function* () {
      const view =
        known.get(timeline) ??
        (timeline === log.timeline ? log : Timelines.view(log, yield* Timelines.named(log, timeline)))
      known.set(timeline, view)
      return view
    })
})
