/** The projection of queued tasks: what waits, and which claim works on what. */

import { Schema } from "effect"
import { EpochMs, type Event, Position } from "../../events/vocabulary/Event.ts"
import { optional } from "../../events/vocabulary/EventType.ts"
import { type CoreName, is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import type { RecordBuilder } from "../fold/RecordBuilder.ts"
import { recordProjection } from "../fold/RecordProjection.ts"

/** The last claim of a task. */
export const CurrentClaim = Schema.Struct({
  claim: Schema.String,
  runner: Schema.String,
  session: Schema.String,
  at: Position,
  ended: optional(Schema.Literal(true).annotations({ description: "The log accepts no further appends under it" })),
}).annotations({ identifier: "CurrentClaim" })

export type CurrentClaim = typeof CurrentClaim.Type

/** A task that was submitted, and is neither closed nor withdrawn. */
export const QueuedTask = Schema.Struct({
  agent: Schema.String,
  priority: Schema.Int,
  labels: Schema.Array(Schema.String),
  plugins: Schema.Array(Schema.String),
  submitted: Position,
  submittedAt: EpochMs,
  notBefore: optional(EpochMs.annotations({ description: "No runner begins or continues it earlier" })),
  epoch: Schema.NonNegativeInt.annotations({ description: "The number of its claims" }),
  requeued: optional(
    Schema.NonNegativeInt.annotations({ description: "How often a person gave it back to the runners" }),
  ),
  attempts: Schema.NonNegativeInt.annotations({ description: "Claims since its last progress; 0 after a release" }),
  claim: optional(CurrentClaim.annotations({ description: "Absent while it waits" })),
  left: optional(CurrentClaim.annotations({ description: "The claim before, whose runner failed" })),
  blamed: optional(
    Schema.UUID.annotations({ description: "The session whose end the last claim counted as an attempt" }),
  ),
  excused: optional(
    Schema.Literal(true).annotations({ description: "The process of its last claim lives: only its session ended" }),
  ),
  failure: optional(Schema.String.annotations({ description: "Why the last attempt ended" })),
  poisoned: optional(Schema.String.annotations({ description: "Why no runner claims it" })),
}).annotations({ identifier: "QueuedTask" })

export type QueuedTask = typeof QueuedTask.Type

/** The number of a task's turn to wait: another one after each claim, and after a person gave it back. */
export const turnOf = ({ epoch, requeued = 0 }: QueuedTask): number => epoch + requeued

/** By task id, the first submitted first. */
export const QueuedTasks = Schema.Record({ key: Schema.String, value: QueuedTask }).annotations({
  identifier: "QueuedTasks",
})

export type QueuedTasks = typeof QueuedTasks.Type

const apply = (tasks: RecordBuilder<QueuedTask>, event: Event): void => {
  if (is(event, "TaskSubmitted")) {
    const { task } = event.payload
    // Only the first event of a task's own stream queues it.
    if (event.version === 1 && tasks.get(task) === undefined) tasks.set(task, submitted(event, event.payload))
  } else if (is(event, "TasksClaimed")) {
    const { runner, session, claims } = event.payload
    for (const { task, claim, epoch, attempts } of claims) {
      tasks.change(task, ({ failure: _, left: _left, blamed: _blamed, excused: _excused, ...queued }) => ({
        ...queued,
        ...(queued.claim !== undefined && attempts > queued.attempts ? { blamed: queued.claim.session } : {}),
        epoch,
        attempts,
        claim: { claim, runner, session, at: event.position },
      }))
    }
  } else if (is(event, "TaskClaimLost")) {
    const { task, claim: lost } = event.payload
    tasks.change(task, ({ claim, ...queued }) =>
      claim?.claim === lost ? { ...queued, claim: { ...claim, ended: true } } : { ...queued, ...defined({ claim }) },
    )
  } else if (is(event, "RunnerStarted")) {
    const { after } = event.payload
    if (after !== undefined) excuse(tasks, after)
  } else if (is(event, "TaskReleased")) {
    const { task, claim, failed, reason, notBefore } = event.payload
    tasks.change(task, (queued) =>
      queued.claim?.claim === claim ? released(queued, { failed, reason, notBefore }) : queued,
    )
  } else if (is(event, "TaskPoisoned")) {
    const { task, reason } = event.payload
    tasks.change(task, ({ claim, ...queued }) => ({
      ...queued,
      ...defined({ left: claim ?? queued.left }),
      poisoned: reason,
    }))
  } else if (is(event, "TaskRequeued")) {
    tasks.change(event.payload.task, ({ poisoned: _, notBefore: _notBefore, failure: _failure, ...queued }) => ({
      ...queued,
      requeued: (queued.requeued ?? 0) + 1,
      attempts: 0,
    }))
  } else if (is(event, "TaskWithdrawn")) tasks.remove(event.payload.task)
  else if (is(event, "TaskClosed") && event.taskId !== null) tasks.remove(event.taskId)
}

/** A session ended, but its process lives: the tasks that it worked on have not ended their runner. */
const excuse = (tasks: RecordBuilder<QueuedTask>, session: string): void => {
  for (const [task, { claim, blamed }] of Object.entries(tasks.record())) {
    if (claim?.session === session) tasks.change(task, (queued) => ({ ...queued, excused: true }))
    else if (blamed === session)
      tasks.change(task, ({ blamed: _, ...queued }) => ({ ...queued, attempts: Math.max(1, queued.attempts - 1) }))
  }
}

const submitted = (
  { position, recordedAt }: Event,
  { agent, priority, labels = [], plugins = [], notBefore }: PayloadOf<"TaskSubmitted">,
): QueuedTask => ({
  agent,
  priority,
  labels,
  plugins,
  submitted: position,
  submittedAt: recordedAt,
  ...defined({ notBefore }),
  epoch: 0,
  attempts: 0,
})

const released = (
  { claim, notBefore: _, blamed: _blamed, excused: _excused, ...queued }: QueuedTask,
  {
    failed,
    reason,
    notBefore,
  }: Record<"failed", true | undefined> & Record<"reason", string> & Record<"notBefore", number | undefined>,
): QueuedTask => ({
  ...queued,
  ...defined({ notBefore }),
  // A runner that was asked to stop is no failed attempt.
  ...(failed === true ? { failure: reason, ...defined({ left: claim }) } : { attempts: 0 }),
})

/** The types of events that concern queued tasks. */
export const TYPES: ReadonlyArray<CoreName> = [
  ...(["TaskSubmitted", "RunnerStarted", "TasksClaimed", "TaskClaimLost", "TaskReleased", "TaskPoisoned"] as const),
  ...(["TaskRequeued", "TaskWithdrawn", "TaskClosed"] as const),
]

/** Every submitted task that is not closed. */
export const projection = recordProjection({ name: "QueuedTasks", version: 2, state: QueuedTasks, apply })
