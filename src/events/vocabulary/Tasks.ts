/** Event types of tasks, the unit of audit, and of the queue in which tasks wait for runners. */

import { Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import { EpochMs } from "./Event.ts"
import { AgentId, eventType, Milliseconds, optional, SHREDDED, Sha256 } from "./EventType.ts"

/** How a task ended. `truncated`: a limit from outside stopped it, such as a number of steps. */
export const TaskOutcome = Schema.Literal("achieved", "failed", "abandoned", "truncated").annotations({
  identifier: "TaskOutcome",
})

export type TaskOutcome = typeof TaskOutcome.Type

/** Limits of a task and the tasks that it starts, together. Default of each: no limit. */
export const TaskBudget = Schema.Struct({
  steps: optional(
    Schema.NonNegativeInt.annotations({ description: "Requests that models answered or may charge for" }),
  ),
  tokens: optional(Schema.NonNegativeInt.annotations({ description: "Tokens of all requests and answers" })),
  usd: optional(Schema.NonNegative.annotations({ description: "Cost of all requests, in US dollars" })),
  wallMs: optional(Milliseconds.annotations({ description: "Time that its agent works, in ms" })),
  commands: optional(Schema.NonNegativeInt.annotations({ description: "Commands to actuators" })),
}).annotations({ identifier: "TaskBudget" })

export interface TaskBudget extends Schema.Schema.Type<typeof TaskBudget> {}

/** The task that started another one, and through which command. */
export const ParentTask = Schema.Struct({
  taskId: Schema.NonEmptyString,
  timeline: optional(
    Schema.NonEmptyString.annotations({ description: "The parent's timeline; absent if it is `main`" }),
  ),
  commandId: optional(
    Schema.NonEmptyString.annotations({
      description: "The parent's command that called the agent; absent without one",
    }),
  ),
}).annotations({ identifier: "ParentTask" })

export interface ParentTask extends Schema.Schema.Type<typeof ParentTask> {}

const use = {
  steps: Schema.NonNegativeInt.annotations({ description: "Requests that models answered or may charge for" }),
  commands: Schema.NonNegativeInt,
  tokens: Schema.NullOr(Schema.NonNegativeInt).annotations({ description: "null if unknown for any answer" }),
  usd: Schema.NullOr(Schema.NonNegative).annotations({ description: "null if unknown for any answer" }),
}

/** What tasks used of a budget. */
export interface Use {
  readonly steps: number
  readonly commands: number
  readonly tokens: number | null
  readonly usd: number | null
}

/** Use of a child task and its own children, as its parent's command records it. */
export const ChildUse = Schema.Struct({
  taskId: Schema.NonEmptyString,
  outcome: optional(TaskOutcome.annotations({ description: "Absent if the child had not ended" })),
  used: optional(Schema.Struct(use).annotations({ description: "Absent if the child had not ended" })),
}).annotations({ identifier: "ChildUse" })

export interface ChildUse extends Schema.Schema.Type<typeof ChildUse> {}

/** The use of all tasks that a program started below a task. An open one that has a part of a budget uses it all. */
export const UseBelow = Schema.Struct({
  tasks: Schema.NonNegativeInt,
  open: Schema.NonNegativeInt.annotations({ description: "Tasks that have not ended" }),
  ...use,
}).annotations({ identifier: "UseBelow" })

export interface UseBelow extends Schema.Schema.Type<typeof UseBelow> {}

/** Limits of an agent's run. */
export const RunLimits = Schema.Struct({
  maxSteps: optional(Schema.Positive.pipe(Schema.int()).annotations({ description: "Counted from the opening" })),
  maxRounds: optional(
    Schema.Positive.pipe(Schema.int()).annotations({ description: "For a group of agents, counted from the opening" }),
  ),
  deadlineMs: optional(Milliseconds.annotations({ description: "How long each perception may take, in ms" })),
  budget: optional(TaskBudget),
}).annotations({ identifier: "RunLimits" })

export interface RunLimits extends Schema.Schema.Type<typeof RunLimits> {}

/** A process that records a program. It takes no lease, and its task ends with it. */
export const Recorder = Schema.Struct({
  host: Schema.NonEmptyString.annotations({ description: "The name of its machine, for people" }),
  pid: Schema.NonNegativeInt.annotations({ description: "Its process id there, for people" }),
  identity: optional(
    Schema.UUID.annotations({
      description: "The random identity of its heartbeats in the log. Absent before 0.3.1",
    }),
  ),
  means: optional(
    Schema.Literal("proxy", "intercept", "hooks", "mcp", "acp").annotations({
      description: "How the recorder sees requests, if the program does not record them itself",
    }),
  ),
  addresses: optional(
    Schema.Record({ key: Schema.String, value: Schema.String }).annotations({
      description: "Addresses of providers in the program's environment, by variable",
    }),
  ),
  keys: optional(
    Schema.Array(Schema.String).annotations({
      description: "Names of variables with keys for providers, none of which a replay needs",
    }),
  ),
}).annotations({ identifier: "Recorder" })

export interface Recorder extends Schema.Schema.Type<typeof Recorder> {}

/** How a recorder other than the program itself sees requests. */
export type RecorderMeans = Pick<Recorder, "means" | "addresses">

/** A moment of another task, whose conversation and files a session began with. */
export const ForkedFrom = Schema.Struct({
  taskId: Schema.NonEmptyString,
  timeline: Schema.NonEmptyString,
  at: Schema.NonNegativeInt.annotations({ description: "The last position that both share" }),
}).annotations({ identifier: "ForkedFrom" })

export interface ForkedFrom extends Schema.Schema.Type<typeof ForkedFrom> {}

const by = Schema.NonEmptyString.annotations({ description: "Who asked for it" })

export const taskEvents = [
  eventType(
    "TaskOpened",
    "A task began.",
    {
      goal: Schema.String,
      environment: optional(
        JsonObject.annotations({ description: "Options of each plugin's environment, by the plugin's name" }),
      ),
      measures: Schema.Array(Schema.String).annotations({
        description: "`plugin/measure` of every measure it is scored by",
      }),
      agent: Schema.String,
      plugins: optional(Schema.Array(Schema.String).annotations({ description: "The plugins that take part" })),
      agents: optional(Schema.Array(AgentId).annotations({ description: "The initial agents, if there are several" })),
      seed: optional(Schema.Int),
      parent: optional(
        ParentTask.annotations({ description: "The task that started it and ends no earlier; absent if nobody did" }),
      ),
      limits: optional(RunLimits.annotations({ description: "How its agent is run" })),
      recorder: optional(
        Recorder.annotations({ description: "The process that records it, if no kernel works on it" }),
      ),
      forkedFrom: optional(
        ForkedFrom.annotations({ description: "The recorded moment from which a new session continues" }),
      ),
      rollout: optional(
        Schema.Struct({
          rolloutId: Schema.NonEmptyString,
          episode: Schema.NonNegativeInt.annotations({ description: "The episode's index in the rollout, from 0" }),
          slot: Schema.NonNegativeInt.annotations({ description: "The place among the episodes at a time, from 0" }),
        }).annotations({
          description: "The rollout whose episode it is. Such a task stays open until its rollout is continued",
        }),
      ),
      begins: optional(
        Schema.Struct({
          with: Schema.NonEmptyString.annotations({ description: "The source's id of its first message" }),
          isCopied: Schema.Boolean.annotations({ description: "Whether it was copied from another run" }),
        }).annotations({
          description: "The beginning of an imported run, if its forks begin the same without naming it",
        }),
      ),
    },
    { personal: { goal: SHREDDED, environment: {} } },
  ),
  eventType(
    "TaskClosed",
    "A task ended.",
    {
      outcome: TaskOutcome,
      unjudged: optional(
        Schema.Literal(true).annotations({
          description: "Nobody judged the result: `achieved` says only that the work finished. Absent if somebody did",
        }),
      ),
      reason: optional(Schema.String),
      exit: optional(
        Schema.Union(Schema.Int, Schema.NonEmptyString).annotations({
          description: "How the process of a recorded program ended: its exit code or signal. Absent if unknown",
        }),
      ),
    },
    { personal: { reason: SHREDDED } },
  ),
  eventType("RecorderJoined", "Another process records a program's work in an open task.", {
    recorder: Recorder,
    agent: Schema.NonEmptyString.annotations({ description: "`name`, or `name@version`, of the program" }),
  }),
  eventType("RecorderLeft", "A process stopped recording an open task, so that another one can join.", {
    identity: optional(Schema.UUID.annotations({ description: "The recorder's own" })),
  }),
  eventType(
    "TaskPaused",
    "The task begins nothing new until it is continued.",
    { by, reason: optional(Schema.String) },
    { personal: { reason: SHREDDED } },
  ),
  eventType("TaskContinued", "A paused task continues.", { by }),
  eventType(
    "TaskCancelled",
    "A request to close the task: the kernel that works on it does so, or else the next one.",
    { by, reason: optional(Schema.String) },
    { personal: { reason: SHREDDED } },
  ),
  eventType("TaskResumed", "A kernel continued a task that an earlier kernel left open.", {
    agent: Schema.NonEmptyString.annotations({ description: "`name@version` of the agent that continues" }),
    at: Schema.Int.annotations({ description: "The position up to which the agent replays the recording" }),
    inDoubt: Schema.Array(Schema.String).annotations({
      description: "Ids of dispatched commands without an outcome",
    }),
  }),
  eventType(
    "TaskHandedOff",
    "Another agent continues the task, with the conversation so far.",
    {
      from: Schema.NonEmptyString.annotations({ description: "`name@version` of the agent that worked on it" }),
      to: Schema.NonEmptyString.annotations({ description: "`name@version` of the agent that continues" }),
      reason: optional(Schema.String),
    },
    { personal: { reason: SHREDDED } },
  ),
  eventType(
    "TasksBelowCounted",
    "The agent counts in its budget what the tasks use that a program started below its own.",
    UseBelow.fields,
  ),
  eventType("ClockChanged", "Somebody set the wall clock, or the machine slept, during work on the task.", {
    byMs: Schema.Int.annotations({
      description:
        "By how many ms the clock ran ahead of the time that passed since the task's last event; negative if it fell behind",
    }),
  }),
  eventType("TaskBundled", "The following events are a copy of one task of another log.", {
    taskId: Schema.NonEmptyString,
    source: Schema.Struct({
      log: Schema.String.annotations({ description: "The other log's file name" }),
      head: Schema.Struct({ position: Schema.Int, hash: Sha256 }).annotations({
        description: "Its head at the time of the copy",
      }),
    }),
    positions: Schema.Array(Schema.Int).annotations({
      description: "The source positions of the events that follow the last TaskBundled, in their order",
    }),
    hashes: Schema.Array(Sha256).annotations({ description: "Their hashes in the source" }),
  }),
] as const

const task = Schema.NonEmptyString.annotations({ description: "The queued task's id" })

const runner = Schema.NonEmptyString.annotations({ description: "The runner's name" })

const session = Schema.UUID.annotations({ description: "The identity of the runner's session and of its heartbeats" })

const claim = Schema.UUID.annotations({ description: "The claim's id, also in the name of its stream" })

const epoch = Schema.Positive.pipe(Schema.int()).annotations({ description: "Counts the claims of the task, from 1" })

const Labels = Schema.Array(Schema.NonEmptyString)

const Maxima = Schema.Record({ key: Schema.NonEmptyString, value: Schema.NonNegativeInt })

/** A claim within `TasksClaimed`. */
export const Claim = Schema.Struct({
  task,
  claim,
  epoch,
  attempts: Schema.Positive.pipe(Schema.int()).annotations({
    description: "Counts the claims since the task's last progress, this one included",
  }),
}).annotations({ identifier: "Claim" })

export interface Claim extends Schema.Schema.Type<typeof Claim> {}

/** Queued tasks. Their events are no events of the task: they have no task id, and streams of their own. */
export const queueEvents = [
  eventType(
    "TaskSubmitted",
    "Somebody queued a task, which waits for a runner.",
    {
      task,
      agent: Schema.NonEmptyString.annotations({ description: "The agent's name, without a version" }),
      goal: Schema.String,
      priority: Schema.Int.annotations({ description: "Higher ones go first" }),
      labels: optional(Labels.annotations({ description: "Labels that its runner must have" })),
      notBefore: optional(EpochMs.annotations({ description: "No runner begins it earlier" })),
      plugins: optional(Schema.Array(Schema.String).annotations({ description: "The plugins that take part" })),
      environment: optional(
        Schema.Record({ key: Schema.String, value: JsonObject }).annotations({
          description: "Options of each plugin's environment, by the plugin's name",
        }),
      ),
      seed: optional(Schema.Int),
      limits: optional(RunLimits),
    },
    { personal: { goal: SHREDDED, environment: {} } },
  ),
  eventType(
    "TasksClaimed",
    "A runner took tasks from the queue. The stream `queue` puts all claims in one order.",
    { runner, session, claims: Schema.Array(Claim) },
    { synced: true },
  ),
  eventType(
    "TaskClaimed",
    "A claim of one task began: its runner may append to the task until this stream goes on.",
    { task, claim, epoch, runner, session },
    { synced: true },
  ),
  eventType(
    "TaskReleased",
    "A runner gave a task back to the queue.",
    {
      task,
      claim,
      reason: Schema.String,
      failed: optional(
        Schema.Literal(true).annotations({ description: "The runner could not work on it: counts as an attempt" }),
      ),
      notBefore: optional(EpochMs.annotations({ description: "No runner continues it earlier" })),
    },
    { synced: true },
  ),
  eventType(
    "TaskClaimLost",
    "The claim's session ended, or somebody withdrew the task. The log accepts no further appends under this claim.",
    {
      task,
      claim,
      by: Schema.NonEmptyString.annotations({ description: "The runner or person that ended the claim" }),
    },
    { synced: true },
  ),
  eventType("TaskPoisoned", "A task ended or failed its runners too often without progress. No runner claims it.", {
    task,
    attempts: Schema.NonNegativeInt.annotations({ description: "Claims since its last progress" }),
    reason: Schema.String,
  }),
  eventType("TaskRequeued", "Somebody gave a poisoned or waiting task back to the runners.", {
    task,
    by: Schema.NonEmptyString,
  }),
  eventType("TaskWithdrawn", "Somebody cancelled a queued task that no runner had begun. It leaves the queue.", {
    task,
    by: Schema.NonEmptyString,
    reason: optional(Schema.String),
  }),
  eventType("QueueLimitsSet", "Somebody set how many queued tasks run at a time. Replaces earlier limits.", {
    agents: Maxima.annotations({ description: "The maximum for each agent, by its name" }),
    plugins: Maxima.annotations({ description: "The maximum for each plugin that tasks name, by its name" }),
    total: optional(Schema.NonNegativeInt.annotations({ description: "The maximum of all. Absent for none" })),
    by: Schema.NonEmptyString,
  }),
] as const
