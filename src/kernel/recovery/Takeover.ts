/** Recovers a log after a kernel died, before the next kernel starts its work. */

import { Effect } from "effect"
import { type AppendError, type AppendRequest, EventLog, type LogError } from "../../events/log/EventLog.ts"
import type { HeldLease } from "../../events/log/Lease.ts"
import { Presence } from "../../events/log/Presence.ts"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as QueuedTasks from "../../projections/queue/QueuedTasks.ts"
import * as PluginRegistry from "../../projections/state/PluginRegistry.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import * as Tasks from "../../projections/state/Tasks.ts"
import * as Unfinished from "../../projections/unfinished/Unfinished.ts"
import { manifestOf } from "../registry/Registry.ts"
import * as Rubric from "../rules/Rubric.ts"
import * as Scoring from "../scoring/Scoring.ts"
import * as Closing from "./Closing.ts"
import * as LeftRecordings from "./LeftRecordings.ts"
import * as OrphanProcesses from "./OrphanProcesses.ts"
import * as Recorders from "./Recorders.ts"
import * as RecoveryPlan from "./RecoveryPlan.ts"
import * as StaleForks from "./StaleForks.ts"

/**
 * Closes all unfinished work of the previous kernel, and scores the abandoned tasks. Runs first after a kernel acquires
 * the lease.
 *
 * @param onOpenTasks "resume" leaves tasks on `main` open unless cancelled; forks always close
 * @returns the recorders that may be alive and need watching
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
    const { recordings, left, gone } = yield* recordedTasks(log, state)
    // Runners work on queued tasks: the one that claims a task continues it, and its children.
    const inQueue = yield* queuedAt(position)
    const queued = withDescendants(state, Object.keys(inQueue))
    const asking = withDescendants(state, yield* ofLiving(inQueue, lease))
    const recorded = new Set([...recordings.map(({ taskId }) => taskId), ...left, ...queued])
    if (onOpenTasks === "abandon") {
      yield* sayAbandoned(RecoveryPlan.resumable(state).filter(([taskId]) => !recorded.has(taskId)).length)
    }
    const goneOf: RecoveryPlan.GoneOf = (taskId) =>
      taskId !== null && gone.has(taskId) ? "its recorder ended" : "its kernel ended"
    for (const ending of RecoveryPlan.endings(state, swept, onOpenTasks, recorded, goneOf, asking)) {
      const appended = yield* Closing.close(log, state, ending)
      const closed = appended.find((event) => Vocabulary.is(event, "TaskClosed"))
      if (closed !== undefined) yield* score(log, closed)
    }
    yield* StaleForks.endAll(StaleForks.isLeftByKernel, score)
    if (lease.lostBy !== null) yield* (yield* Presence).forget([lease.lostBy])
    return yield* LeftRecordings.doubtful(recordings)
  })

/** Tasks, and the open ones among their children, grandchildren and so on. */
const withDescendants = ({ tasks }: Unfinished.Unfinished, ids: ReadonlyArray<string>): ReadonlySet<string> => {
  const found = new Set(ids)
  // Parents come before their children.
  for (const [taskId, { parent }] of Tasks.open(tasks)) {
    if (parent !== undefined && parent.timeline === undefined && found.has(parent.taskId)) found.add(taskId)
  }
  return found
}

/** Sorts open recorded tasks: with a recorder that may be alive, left for others to join, with a dead recorder. */
const recordedTasks = (
  log: EventLog.Service,
  { tasks }: Unfinished.Unfinished,
): Effect.Effect<
  {
    readonly recordings: ReadonlyArray<LeftRecordings.Recording>
    readonly left: ReadonlyArray<string>
    readonly gone: ReadonlySet<string>
  },
  LogError,
  Presence
> =>
  Effect.gen(function* () {
    const recordings: Array<LeftRecordings.Recording> = []
    const left: Array<string> = []
    const gone = new Set<string>()
    for (const [taskId, { asked }] of Tasks.open(tasks)) {
      const recorder = yield* Recorders.currentOf(log, taskId)
      if (recorder === "left" && asked?.what !== "cancelled") left.push(taskId)
      if (recorder === undefined || recorder === "left") continue
      if ((yield* Recorders.stateOf(recorder)) === "gone") gone.add(taskId)
      else recordings.push({ taskId, recorder })
    }
    return { recordings, left, gone }
  })

// Not `current`: the projector would keep this state, and recovery needs it once.
const unfinishedAt = (position: number) =>
  Effect.flatMap(Projector, (projector) => projector.stateAt(Unfinished.projection, position)).pipe(
    Effect.catchTag("PositionOutOfRange", Effect.die),
  )

const queuedAt = (position: number) =>
  Effect.flatMap(Projector, (projector) => projector.stateAt(QUEUED, position)).pipe(
    Effect.catchTag("PositionOutOfRange", Effect.die),
  )

/** The tasks that runners work on which may live. */
const ofLiving = (queued: QueuedTasks.QueuedTasks, { lostBy }: HeldLease) =>
  Effect.gen(function* () {
    const presence = yield* Presence
    const sessions = new Set(Object.values(queued).flatMap(({ claim }) => claim?.session ?? []))
    const living = new Set<string>()
    for (const session of sessions)
      if (session !== lostBy && (yield* presence.stateOf(session)) !== "gone") living.add(session)
    return Object.entries(queued).flatMap(([task, { claim }]) =>
      claim !== undefined && living.has(claim.session) ? [task] : [],
    )
  })

const QUEUED = { ...QueuedTasks.projection, types: QueuedTasks.TYPES }

const sayAbandoned = (count: number) =>
  count === 0
    ? Effect.void
    : ProgramLog.warning(
        `closing ${count === 1 ? "1 open task" : `${count} open tasks`} of an earlier kernel as abandoned; to resume such tasks, use \`onOpenTasks: "resume"\``,
      )

/**
 * Closes and scores one task that nobody works on, if it is open, and then the tasks below it: they do not outlive it.
 *
 * @param isWorkedOn whether this kernel works on a task: it closes that task itself, once it is cancelled
 */
export const closeTask = (
  taskId: string,
  isWorkedOn: (taskId: string) => boolean = () => false,
): Effect.Effect<void, AppendError, EventLog | Projector> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    yield* Closing.closeTask(taskId, score)
    for (const [child, { parent, asked }] of yield* TaskList.open(log)) {
      if (parent?.taskId !== taskId || parent.timeline !== undefined) continue
      if (asked?.what !== "cancelled") yield* log.append(cancellation(child, taskId))
      if (!isWorkedOn(child)) yield* closeTask(child, isWorkedOn)
    }
  })

/** The append that cancels a task whose parent has ended. */
export const cancellation = (taskId: string, parent: string): AppendRequest => ({
  stream: `task/${taskId}`,
  taskId,
  actor: "kernel",
  events: [{ type: "TaskCancelled", payload: { by: "kernel", reason: `its parent, task ${parent}, ended` } }],
})

/** Closes and scores the tasks of recorders that turn out dead. */
export const closeOnceGone = (doubtful: LeftRecordings.Doubtful) =>
  LeftRecordings.closeOnceGone(doubtful, ({ taskId }) => Closing.closeTask(taskId, score, "its recorder ended"), score)

/** Scores an abandoned task by the measures of its opening, as its `live` score set. */
const score: Closing.OnClosed<Projector> = (log, closed) =>
  Effect.gen(function* () {
    const { taskId } = closed
    if (taskId === null) return
    const rubric = yield* rubricOf(log, taskId)
    yield* Scoring.scoreClosed(log, taskId, rubric, closed.id)
  }).pipe(
    // A missing score can be computed at any time, so it does not keep the kernel from starting.
    Effect.catchTag("SegmentUnavailable", (error) =>
      ProgramLog.warning(
        `task ${closed.taskId} was not scored; put the segment back, then run \`hindcast rescore --rubric FILE --task ${closed.taskId}\``,
        error,
      ),
    ),
  )

const rubricOf = (log: EventLog.Service, taskId: string): Effect.Effect<Rubric.Rubric, LogError, Projector> =>
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
