/** Queues tasks for runners, and controls the queue, from any process that can append to the log. */

import { Context, Data, Effect, Layer, Option, Schema } from "effect"
import { firstEvent } from "../../events/log/AppendRequest.ts"
import { type AppendError, EventLog, Exact, type LogError, MAIN, NoStream } from "../../events/log/EventLog.ts"
import { Presence, type WriterState } from "../../events/log/Presence.ts"
import { RunnerSessions } from "../../events/log/RunnerSessions.ts"
import { type Event, newId } from "../../events/vocabulary/Event.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import { DUTIES, onDuty } from "../../projections/queue/Duties.ts"
import * as Queue from "../../projections/queue/Queue.ts"
import type { QueuedTask } from "../../projections/queue/QueuedTasks.ts"
import type { RunnerSession } from "../../projections/queue/Runners.ts"
import { defined } from "../../values/defined.ts"
import * as Options from "../../values/Options.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as TaskId from "../tasks/TaskId.ts"
import { endOfClaim } from "./ClaimEnds.ts"
import { skippedBy } from "./QueueVersion.ts"
import { QueueLimits, SubmitOptions } from "./SubmitOptions.ts"

/** A task that was queued. */
export interface Submitted {
  readonly taskId: string
  /** Where the log recorded it. */
  readonly position: number
}

/** The task is not in the queue, or not in a state that allows the request. Nothing was recorded. */
export class NotQueued extends Data.TaggedError("NotQueued")<{
  readonly taskId: string
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `Task ${this.taskId}: expected a queued task that ${this.expected}, found ${this.found}. Nothing was recorded.`
  }
}

/** No runner of this name or session is in the log. */
export class RunnerNotFound extends Data.TaggedError("RunnerNotFound")<{
  readonly runner: string
  readonly known: ReadonlyArray<string>
}> {
  override get message() {
    const { known } = this
    return `Runner ${JSON.stringify(this.runner)}: expected the name of a runner, found ${known.length === 0 ? "no runner in this log" : `only ${known.join(", ")}`}.`
  }
}

/** A runner, as its events and heartbeats show it. */
export interface RunnerStanding extends RunnerSession {
  readonly session: string
  /** `alive`: its heartbeats arrive. `gone`: they ended. `unknown`: one look does not show it. */
  readonly state: WriterState
  /** How long its program has been busy without a pause, in milliseconds; absent if it is not, or cannot be seen. */
  readonly busyMs?: number
  /** The tasks that it works on. */
  readonly tasks: ReadonlyArray<string>
  /** Work for the log as a whole: one runner does it, and another one takes it over. */
  readonly duties: ReadonlyArray<string>
}

/** Why submitting failed. Nothing was recorded. */
export type SubmitError = Options.InvalidOptions | TaskId.TaskIdInvalid | TaskId.TaskIdTaken | AppendError

/** The queue of a log. */
export class TaskQueue extends Context.Tag("hindcast/TaskQueue")<TaskQueue, TaskQueue.Service>() {}

/** The type of the service: `TaskQueue.Service`. */
export declare namespace TaskQueue {
  /** Queues tasks, and looks at tasks and runners. */
  export interface Service {
    /** Queues a task, which the first suitable runner claims. Returns once the log has it. */
    readonly submit: (options: SubmitOptions) => Effect.Effect<Submitted, SubmitError>
    /** Sets how many queued tasks run at a time, for all runners. Running tasks continue. Replaces earlier limits. */
    readonly limit: (limits: QueueLimits) => Effect.Effect<Event, Options.InvalidOptions | AppendError>
    /** Gives a poisoned task, or one that waits for a time, back to the runners. */
    readonly requeue: (
      taskId: string,
      options: RequeueOptions,
    ) => Effect.Effect<Event, Options.InvalidOptions | NotQueued | AppendError>
    /** Cancels a task that no runner has begun. It leaves the queue. `TaskControl` cancels tasks that have begun. */
    readonly cancel: (
      taskId: string,
      options: CancelOptions,
    ) => Effect.Effect<Event, Options.InvalidOptions | NotQueued | AppendError>
    /** The queued tasks that are not closed, by id, the first submitted first. */
    readonly queued: Effect.Effect<Readonly<Record<string, QueuedTask>>, LogError>
    /** The runners whose sessions did not end in the log, the first started first. */
    readonly runners: Effect.Effect<ReadonlyArray<RunnerStanding>, LogError>
    /** Asks all runners of a name to claim nothing more, and to end once their tasks reach the ends of their steps. */
    readonly drain: (
      runner: string,
      options: RequeueOptions,
    ) => Effect.Effect<ReadonlyArray<Event>, Options.InvalidOptions | RunnerNotFound | AppendError>
  }
}

/** Short form of `TaskQueue.Service` for namespace imports. */
export type Service = TaskQueue.Service

/** Who asks. */
export interface RequeueOptions {
  readonly by: string
}

/** Who cancels a task, and why. */
export interface CancelOptions extends RequeueOptions {
  readonly reason?: string
}

/** Schema of `CancelOptions`. */
export const CancelOptions = Options.of<CancelOptions>({
  required: { by: Options.Name },
  optional: { reason: Schema.String },
})

/** Schema of `RequeueOptions`. */
export const RequeueOptions = Options.of<RequeueOptions>({ required: { by: Options.Name } })

/** The service over a log. */
export const layer: Layer.Layer<TaskQueue, never, EventLog | Projector | Presence> = Layer.effect(
  TaskQueue,
  Effect.gen(function* () {
    const log = yield* EventLog
    const projector = yield* Projector
    const presence = yield* Presence
    const queue = projector.current(Queue.projection)
    const sessions = Option.getOrUndefined(yield* Effect.serviceOption(RunnerSessions))
    const runners = Effect.gen(function* () {
      const { runners, tasks } = yield* queue
      const first = onDuty(runners)
      const seen = yield* sessions?.look(Object.keys(runners)) ?? Effect.succeed(undefined)
      return yield* Effect.forEach(Object.entries(runners), ([session, runner]) =>
        Effect.map(presence.stateOf(session), (state): RunnerStanding => {
          const busyMs = seen?.busyMs.get(session)
          const duties = session === first ? DUTIES : []
          return { session, ...runner, state, tasks: claimedBy(tasks, session), duties, ...defined({ busyMs }) }
        }),
      )
    })
    return TaskQueue.of({
      submit: (input) => submit(log, input),
      limit: (input) =>
        Effect.gen(function* () {
          const { by, agents = {}, plugins = {}, total } = yield* Options.decode("tasks.limit", QueueLimits, input)
          const payload = { agents, plugins, ...defined({ total }), by }
          return yield* append(log, Queue.STREAM, by, { type: "QueueLimitsSet", payload })
        }),
      requeue: (taskId, input) =>
        Effect.gen(function* () {
          const { by } = yield* Options.decode("tasks.requeue", RequeueOptions, input)
          return yield* requeue(log, queue, taskId, by)
        }),
      cancel: (taskId, input) =>
        Effect.flatMap(Options.decode("tasks.cancel", CancelOptions, input), (options) =>
          withdraw(log, queue, taskId, options),
        ),
      queued: Effect.map(queue, ({ tasks }) => tasks),
      runners,
      drain: (name, input) =>
        Effect.gen(function* () {
          const { by } = yield* Options.decode("runners.drain", RequeueOptions, input)
          const all = Object.entries((yield* queue).runners)
          const found = all.filter(([session, { runner }]) => runner === name || session === name)
          if (found.length === 0) {
            const known = [...new Set(all.map(([, { runner }]) => runner))]
            return yield* new RunnerNotFound({ runner: name, known })
          }
          return yield* Effect.forEach(found, ([session, { runner }]) =>
            append(log, `${Queue.runnerStream(session)}/requests`, by, {
              type: "RunnerDrainRequested",
              payload: { runner, session, by },
            }),
          )
        }),
    })
  }),
)

const append = (
  log: EventLog.Service,
  stream: string,
  by: string,
  event: Parameters<EventLog.Service["append"]>[0]["events"][number],
) => Effect.flatMap(log.append({ stream, actor: `human:${by}`, events: [event] }), firstEvent)

/** Queues a task (see `TaskQueue.Service.submit`). */
export const submit = (log: EventLog.Service, input: SubmitOptions): Effect.Effect<Submitted, SubmitError> =>
  Effect.gen(function* () {
    const decoded = yield* Options.decode("tasks.submit", SubmitOptions, input)
    const { id, agent, goal, priority = 0, labels, notBefore, plugins, environment, seed, by } = decoded
    const task = id === undefined ? newId() : yield* TaskId.checked(id)
    if (id !== undefined) {
      const [opened] = yield* log.readPage({ taskId: id, types: ["TaskOpened"] }, 1)
      if (opened !== undefined) return yield* new TaskId.TaskIdTaken({ taskId: id, position: opened.position })
    }
    const { maxSteps, deadlineMs } = decoded
    const limits = defined({ maxSteps, deadlineMs })
    const payload = {
      ...{ task, agent, goal, priority },
      ...defined({ labels, notBefore, plugins, environment, seed }),
      ...(Object.keys(limits).length === 0 ? {} : { limits }),
    }
    const appended = yield* log
      .append({
        stream: Queue.submissionStream(task),
        actor: by === undefined ? "kernel" : `human:${by}`,
        expected: NoStream,
        events: [{ type: "TaskSubmitted", payload }],
        newIds: true,
      })
      .pipe(
        Effect.catchTag(
          "VersionConflict",
          ({ missed: [first] }) => new TaskId.TaskIdTaken({ taskId: task, position: first?.position ?? 0 }),
        ),
      )
    return { taskId: task, position: appended.position }
  })

/** Appends only directly after the events that the queue shows, so that no claim comes in between. */
const requeue = (
  log: EventLog.Service,
  queue: Effect.Effect<Queue.Queue, LogError>,
  taskId: string,
  by: string,
  skipped = 0,
): Effect.Effect<Event, NotQueued | AppendError> =>
  Effect.gen(function* () {
    const { tasks, head, runners } = yield* queue
    const found = SafeRecord.get(tasks, taskId)
    const wrong = wrongIn(found, runners)
    if (wrong !== undefined) return yield* new NotQueued({ taskId, expected: "no runner may claim now", found: wrong })
    return yield* log
      .append({
        stream: Queue.STREAM,
        actor: `human:${by}`,
        expected: Exact(Math.max(head.version, skipped)),
        events: [{ type: "TaskRequeued", payload: { task: taskId, by } }],
      })
      .pipe(
        Effect.flatMap(firstEvent),
        Effect.catchTag("VersionConflict", (conflict) => requeue(log, queue, taskId, by, skippedBy(conflict))),
      )
  })

/** Appends only if nobody has opened the task, and ends the claim of a runner that is about to. */
const withdraw = (
  log: EventLog.Service,
  queue: Effect.Effect<Queue.Queue, LogError>,
  taskId: string,
  { by, reason }: CancelOptions,
  skipped = 0,
): Effect.Effect<Event, NotQueued | AppendError> =>
  Effect.gen(function* () {
    const { tasks, head } = yield* queue
    const queued = SafeRecord.get(tasks, taskId)
    const refused = (found: string) => new NotQueued({ taskId, expected: "no runner has begun", found })
    if (queued === undefined) return yield* refused("one that was never submitted, or is closed")
    if ((yield* log.versionOf(`task/${taskId}`, MAIN)) > 0) return yield* refused("one that a runner has begun")
    const { claim } = queued
    return yield* log
      .append({
        stream: Queue.STREAM,
        actor: `human:${by}`,
        expected: Exact(Math.max(head.version, skipped)),
        fence: { timeline: MAIN, stream: `task/${taskId}`, version: 0 },
        events: [{ type: "TaskWithdrawn", payload: { task: taskId, by, ...defined({ reason }) } }],
        with: claim === undefined || claim.ended === true ? [] : [endOfClaim(taskId, claim.claim, by, `human:${by}`)],
      })
      .pipe(
        Effect.flatMap(firstEvent),
        Effect.catchTag("VersionConflict", (conflict) =>
          withdraw(log, queue, taskId, { by, ...defined({ reason }) }, skippedBy(conflict)),
        ),
      )
  })

const wrongIn = (task: QueuedTask | undefined, runners: Queue.Queue["runners"]): string | undefined => {
  if (task === undefined) return "one that was never submitted, or is closed"
  if (task.poisoned !== undefined) return undefined
  if (task.claim !== undefined && Object.hasOwn(runners, task.claim.session))
    return `one that runner "${task.claim.runner}" works on`
  return task.notBefore === undefined ? "one that waits for a runner already" : undefined
}

const claimedBy = (tasks: Queue.Queue["tasks"], session: string): ReadonlyArray<string> =>
  Object.entries(tasks).flatMap(([task, { claim }]) => (claim?.session === session ? [task] : []))
