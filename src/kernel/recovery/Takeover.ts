/** Recovers a log after a kernel died, before the next one starts its work. */

import { type Context, Effect } from "effect"
import { type AppendError, EventLog, type LogError } from "../../events/log/EventLog.ts"
import type { HeldLease } from "../../events/log/Lease.ts"
import { Presence } from "../../events/log/Presence.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import * as Projection from "../../projections/fold/Projection.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as PluginRegistry from "../../projections/state/PluginRegistry.ts"
import * as Tasks from "../../projections/state/Tasks.ts"
import * as Unfinished from "../../projections/unfinished/Unfinished.ts"
import { manifestOf } from "../registry/Registry.ts"
import * as Rubric from "../rules/Rubric.ts"
import * as Scoring from "../scoring/Scoring.ts"
import * as LeftRecordings from "./LeftRecordings.ts"
import * as OrphanProcesses from "./OrphanProcesses.ts"
import * as Recorders from "./Recorders.ts"
import * as RecoveryPlan from "./RecoveryPlan.ts"
import * as StaleForks from "./StaleForks.ts"

type Log = Context.Tag.Service<EventLog>

/**
 * Closes in the log everything that the previous kernel left unfinished, and scores the tasks that it abandoned. It
 * runs right after the lease was acquired, before anything else is done with it.
 *
 * @param onOpenTasks whether tasks on `main` that nobody cancelled are left open, to be resumed. Forks are closed.
 *
 * @param lease the lease that was acquired
 * @returns the recorders that may be at work, and can only be watched
 */
export const recover = (
  onOpenTasks: RecoveryPlan.OnOpenTasks,
  lease: HeldLease,
): Effect.Effect<LeftRecordings.Doubtful, AppendError, EventLog | Projector | Presence> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { position } = yield* log.head
    const state = yield* unfinishedAt(position)
    const swept = yield* OrphanProcesses.sweep(state.processes, lease)
    const recordings = yield* recordedTasks(log, state)
    const recorded = new Set(recordings.map(({ taskId }) => taskId))
    if (onOpenTasks === "abandon") {
      yield* sayAbandoned(RecoveryPlan.resumable(state).filter(([taskId]) => !recorded.has(taskId)).length)
    }
    for (const ending of RecoveryPlan.endings(state, swept, onOpenTasks, recorded)) {
      const appended = yield* close(log, state, ending)
      const closed = appended.find((event) => Vocabulary.is(event, "TaskClosed"))
      if (closed !== undefined) yield* score(log, closed)
    }
    yield* StaleForks.endAll(StaleForks.isLeftByKernel, score)
    if (lease.lostBy !== null) yield* (yield* Presence).forget([lease.lostBy])
    return yield* LeftRecordings.doubtful(recordings)
  })

/** The open tasks that processes record without a kernel, and may be at work on. */
const recordedTasks = (
  log: Log,
  { tasks }: Unfinished.Unfinished,
): Effect.Effect<ReadonlyArray<LeftRecordings.Recording>, LogError, Presence> =>
  Effect.gen(function* () {
    const recordings: Array<LeftRecordings.Recording> = []
    for (const [taskId] of Tasks.open(tasks)) {
      const [opened] = yield* log.readPage({ taskId, types: ["TaskOpened"] }, 1)
      const recorder = opened !== undefined && Vocabulary.is(opened, "TaskOpened") ? opened.payload.recorder : undefined
      if (recorder === undefined || (yield* Recorders.stateOf(recorder)) === "gone") continue
      recordings.push({ taskId, recorder })
    }
    return recordings
  })

// Not `current`: the projector would keep this state, which is needed only once.
const unfinishedAt = (position: number) =>
  Effect.flatMap(Projector, (projector) => projector.stateAt(Unfinished.projection, position)).pipe(
    Effect.catchTag("PositionOutOfRange", Effect.die),
  )

/** What is unfinished in one task. */
const unfinishedIn = (log: Log, taskId: string): Effect.Effect<Unfinished.Unfinished, LogError> =>
  Effect.suspend(() => {
    const folding = Projection.begin(Unfinished.projection, Unfinished.projection.initial)
    return Effect.map(
      Pages.forEach(log.readPage, { timeline: log.timeline, taskId }, (page) =>
        Projection.applyAll(Unfinished.projection, folding, page),
      ),
      () => folding.state(),
    )
  })

const sayAbandoned = (count: number) =>
  count === 0
    ? Effect.void
    : ProgramLog.warning(
        `${count === 1 ? "1 task" : `${count} tasks`} that an earlier kernel left open ${count === 1 ? "is" : "are"} closed as abandoned; with \`onOpenTasks: "resume"\` they could be resumed`,
      )

/** Closes one task that no kernel works on, if it is open. It reads the events of this task alone. */
export const closeTask = (taskId: string): Effect.Effect<void, AppendError, EventLog | Projector> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const state = yield* unfinishedIn(log, taskId)
    const questions = RecoveryPlan.questionsOf(state, taskId)
    const ending = RecoveryPlan.taskEnding(state, taskId)
    for (const one of [...questions, ...(ending === undefined ? [] : [ending])]) {
      const closed = (yield* close(log, state, one)).find((event) => Vocabulary.is(event, "TaskClosed"))
      if (closed !== undefined) yield* score(log, closed)
    }
  })

/** Watches the recorders that may be at work, and closes and scores what those left that are gone. */
export const closeOnceGone = (doubtful: LeftRecordings.Doubtful) =>
  LeftRecordings.closeOnceGone(doubtful, closeTask, score)

/** Appends closing events. If the task's stream has new events, the closing events are derived again. */
const close = (
  log: Log,
  state: Unfinished.Unfinished,
  ending: RecoveryPlan.RecoveryAppend,
): Effect.Effect<ReadonlyArray<Event>, AppendError> =>
  Effect.map(log.append({ ...ending, actor: "kernel" }), ({ events }) => events).pipe(
    Effect.catchTag("VersionConflict", ({ missed }) => {
      // A confirmation that was decided meanwhile needs no withdrawal.
      if (ending.taskId === null || ending.stream !== `task/${ending.taskId}`) return Effect.succeed([])
      const now = Projection.fold(Unfinished.projection, missed, state)
      const left = RecoveryPlan.taskEnding(now, ending.taskId)
      return left === undefined ? Effect.succeed([]) : close(log, now, left)
    }),
  )

/** Scores an abandoned task by the measures that it was opened with, as its `live` score set. */
const score = (log: Log, closed: Event): Effect.Effect<void, AppendError, Projector> =>
  Effect.gen(function* () {
    const { taskId } = closed
    if (taskId === null) return
    const rubric = yield* rubricOf(log, taskId)
    yield* Scoring.scoreClosed(log, taskId, rubric, closed.id)
  }).pipe(
    // A missing score can be computed at any time, so it does not keep the kernel from starting.
    Effect.catchTag("SegmentUnavailable", (error) =>
      ProgramLog.warning(`task ${closed.taskId} was not scored; put the segment back, and score it by a rubric`, error),
    ),
  )

/** The measures that a task was opened with, from the manifests of that time. */
const rubricOf = (log: Log, taskId: string): Effect.Effect<Rubric.Rubric, LogError, Projector> =>
  Effect.gen(function* () {
    const [opened] = yield* log.readPage({ taskId, types: ["TaskOpened"] }, 1)
    if (opened === undefined || !Vocabulary.is(opened, "TaskOpened")) return Rubric.ofManifests([])
    const registry = yield* (yield* Projector)
      .stateAt(PluginRegistry.projection, opened.position)
      .pipe(Effect.catchTag("PositionOutOfRange", Effect.die))
    const all = Rubric.ofManifests(Object.values(registry).map(manifestOf))
    const measures = all.measures.filter((measure) => opened.payload.measures.includes(Rubric.measureName(measure)))
    return { ...all, measures }
  })
