/** Event types of tasks, the unit of audit. */

import { Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import { AgentId, eventType, Milliseconds, optional, SHREDDED, Sha256 } from "./EventType.ts"

/** How a task ended. `truncated`: a limit from outside stopped it, such as a number of steps. */
export const TaskOutcome = Schema.Literal("achieved", "failed", "abandoned", "truncated").annotations({
  identifier: "TaskOutcome",
})

export type TaskOutcome = typeof TaskOutcome.Type

/** Limits of an agent's run. */
export const RunLimits = Schema.Struct({
  maxSteps: optional(Schema.Positive.pipe(Schema.int()).annotations({ description: "From the opening on" })),
  maxRounds: optional(
    Schema.Positive.pipe(Schema.int()).annotations({ description: "Of a group of agents: from the opening on" }),
  ),
  deadlineMs: optional(Milliseconds.annotations({ description: "How long each perception may take, in ms" })),
}).annotations({ identifier: "RunLimits" })

export interface RunLimits extends Schema.Schema.Type<typeof RunLimits> {}

/** A process that records what a program does. It takes no lease, and its task ends with it. */
export const Recorder = Schema.Struct({
  host: Schema.NonEmptyString.annotations({ description: "The name of its machine, for people" }),
  pid: Schema.NonNegativeInt.annotations({ description: "Its process id there, for people" }),
  identity: optional(
    Schema.UUID.annotations({
      description: "What it drew for itself; its heartbeats in the log's file are under this. Absent before 0.3.1",
    }),
  ),
  means: optional(
    Schema.Literal("proxy", "intercept", "hooks").annotations({
      description: "How it sees requests where it is not the program itself that records them",
    }),
  ),
  addresses: optional(
    Schema.Record({ key: Schema.String, value: Schema.String }).annotations({
      description: "The addresses of providers that variables of the program named, by the variable",
    }),
  ),
  keys: optional(
    Schema.Array(Schema.String).annotations({
      description: "The names of variables that held a key for a provider: a replay needs none of the keys",
    }),
  ),
}).annotations({ identifier: "Recorder" })

export interface Recorder extends Schema.Schema.Type<typeof Recorder> {}

/** How a recorder other than the program itself sees requests. */
export type RecorderMeans = Pick<Recorder, "means" | "addresses">

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
      agents: optional(
        Schema.Array(AgentId).annotations({ description: "Who takes part from the start, where it is several" }),
      ),
      seed: optional(Schema.Int),
      limits: optional(RunLimits.annotations({ description: "How its agent is run" })),
      recorder: optional(
        Recorder.annotations({ description: "The process that records it, where no kernel works on it" }),
      ),
      begins: optional(
        Schema.Struct({
          with: Schema.NonEmptyString.annotations({ description: "The source's id of its first message" }),
          isCopied: Schema.Boolean.annotations({ description: "Whether that was copied from another run" }),
        }).annotations({
          description: "What an imported run begins with, where its forks begin with the same and do not name it",
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
      reason: optional(Schema.String),
      exit: optional(
        Schema.Union(Schema.Int, Schema.NonEmptyString).annotations({
          description:
            "How the process of a recorded program ended: its exit code, or the signal. Absent where it is not known",
        }),
      ),
    },
    { personal: { reason: SHREDDED } },
  ),
  eventType("RecorderJoined", "Another process records what a program does in an open task.", {
    recorder: Recorder,
    agent: Schema.NonEmptyString.annotations({ description: "`name`, or `name@version`, of the program" }),
  }),
  eventType("RecorderLeft", "A process ceased to record an open task, so that another one can join it.", {
    identity: optional(Schema.UUID.annotations({ description: "The recorder's own" })),
  }),
  eventType(
    "TaskPaused",
    "Nothing new is begun in the task until it is continued.",
    { by, reason: optional(Schema.String) },
    { personal: { reason: SHREDDED } },
  ),
  eventType("TaskContinued", "A paused task goes on.", { by }),
  eventType(
    "TaskCancelled",
    "The task is to be closed, by the kernel that works on it or by the next one.",
    { by, reason: optional(Schema.String) },
    { personal: { reason: SHREDDED } },
  ),
  eventType("TaskResumed", "A kernel went on with a task that an earlier one left open.", {
    agent: Schema.NonEmptyString.annotations({ description: "`name@version` of the agent that goes on" }),
    at: Schema.Int.annotations({ description: "The position up to which the agent is led over what is recorded" }),
    inDoubt: Schema.Array(Schema.String).annotations({
      description: "Ids of the commands that had been dispatched and had no outcome",
    }),
  }),
  eventType("ClockChanged", "The wall clock was set, or the machine slept, while somebody worked on the task.", {
    byMs: Schema.Int.annotations({
      description:
        "How far the clock went ahead of the time that passed since the task's last event; negative: behind; ms",
    }),
  }),
  eventType("TaskBundled", "The events that follow are one task's of another log, which was copied from there.", {
    taskId: Schema.NonEmptyString,
    source: Schema.Struct({
      log: Schema.String.annotations({ description: "The other log's file name" }),
      head: Schema.Struct({ position: Schema.Int, hash: Sha256 }).annotations({
        description: "Its end, when it was copied",
      }),
    }),
    positions: Schema.Array(Schema.Int).annotations({
      description:
        "Where each of the events stood there, in the order in which they stand here after the last TaskBundled",
    }),
    hashes: Schema.Array(Sha256).annotations({ description: "With which hash" }),
  }),
] as const
