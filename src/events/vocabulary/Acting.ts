/** Event types of commands, from request to outcome. */

import { Schema } from "effect"
import { Json } from "../../values/Json.ts"
import {
  AgentId,
  ComponentName,
  eventType,
  Failure,
  Milliseconds,
  optional,
  SHREDDED,
  Sha256,
  unrecorded,
} from "./EventType.ts"
import { Inferred } from "./Inference.ts"
import { ChildUse, TaskBudget } from "./Tasks.ts"

const commandId = Schema.NonEmptyString.annotations({ description: "The command these events are about" })
const settledBy = optional(
  Schema.NonEmptyString.annotations({
    description: "The plugin, as `name@version`, whose `settle` told a later kernel how the command ended",
  }),
)
const rule = Schema.String.annotations({ description: "The gate rule that decided" })
const inferred = optional(Inferred)

/** The reports of a call while it ran (`context.progress`). */
export const Progress = Schema.Struct({
  reports: Schema.Array(
    Schema.Struct({
      afterMs: Milliseconds.annotations({ description: "Milliseconds after the dispatch" }),
      report: Schema.Union(Schema.Finite, Schema.String).annotations({
        description: "A fraction from 0 to 1, or a few words",
      }),
    }),
  ),
  omitted: optional(
    Schema.Positive.pipe(
      Schema.int(),
      Schema.annotations({ description: "Number of further reports before the last" }),
    ),
  ),
}).annotations({ identifier: "Progress" })

export interface Progress extends Schema.Schema.Type<typeof Progress> {}

const SHREDDED_PROGRESS = { reports: [{ afterMs: 0, report: SHREDDED }] }

const child = optional(ChildUse.annotations({ description: "The task of the agent that the command called" }))

const progress = optional(Progress.annotations({ description: "What the call reported while it ran" }))

export const actingEvents = [
  eventType(
    "ActuatorCommanded",
    "An agent requested a command of an actuator.",
    {
      commandId,
      actuator: ComponentName,
      args: Json,
      argsDigest: Sha256.annotations({ description: "Digest of the canonical JSON of `args` (RFC 8785)" }),
      priority: Schema.Finite,
      callId: optional(Schema.NonEmptyString.annotations({ description: "The model's id of the tool call" })),
      budget: optional(TaskBudget.annotations({ description: "What the agent that it calls may use" })),
      agentId: optional(AgentId),
      source: optional(
        Schema.Literal("scenario").annotations({
          description: "Issued by the task's scenario, so it is not a step of an agent",
        }),
      ),
      observed: optional(
        Schema.Literal(true).annotations({
          description:
            "A recorded or imported program carried it out itself, without a gate. Its times are those of the model's call and of the result",
        }),
      ),
    },
    { personal: { args: null } },
  ),
  eventType("CommandAllowed", "The gate allowed a command. For an observed command, the rule names the source.", {
    commandId,
    rule,
  }),
  eventType(
    "CommandDenied",
    "The gate denied a command, which did not run.",
    {
      commandId,
      rule,
      reason: Schema.String,
      inferred,
    },
    { personal: { reason: SHREDDED } },
  ),
  eventType(
    "CommandDispatched",
    "A command is about to leave the kernel.",
    {
      commandId,
      round: optional(
        Schema.NonEmptyString.annotations({
          description: "The first command of its round, if a world receives it as part of one",
        }),
      ),
    },
    { synced: true },
  ),
  eventType(
    "CommandAttemptFailed",
    "An attempt at a command failed, and the kernel tries the command again.",
    {
      commandId,
      attempt: Schema.Positive.pipe(Schema.int()).annotations({ description: "The number of the attempt, from 1" }),
      error: Failure,
      latencyMs: Milliseconds,
      retryInMs: Milliseconds.annotations({ description: "How long the kernel waits before the next attempt, in ms" }),
    },
    { personal: { error: { code: "shredded", message: SHREDDED } } },
  ),
  eventType(
    "CommandSucceeded",
    "A command succeeded.",
    {
      commandId,
      result: Json,
      latencyMs: optional(
        Milliseconds.annotations({
          description:
            "How long it took, in ms; for an observed command, from call to result. Absent if no source says so",
        }),
      ),
      unrecorded,
      settledBy,
      cachedFrom: optional(
        Schema.NonEmptyString.annotations({
          description: "The id of the earlier command whose result this is; this command was not executed",
        }),
      ),
      progress,
      child,
      inferred,
    },
    { personal: { result: null, unrecorded: { reason: SHREDDED }, progress: SHREDDED_PROGRESS } },
  ),
  eventType(
    "CommandFailed",
    "The world refused a command, or the command failed on the way.",
    {
      commandId,
      error: Failure,
      latencyMs: optional(Milliseconds),
      settledBy,
      progress,
      child,
      inferred,
    },
    { personal: { error: { code: "shredded", message: SHREDDED }, progress: SHREDDED_PROGRESS } },
  ),
  eventType(
    "CommandOutcomeUnknown",
    "A kernel ended between a command's dispatch and its outcome, or the source of an observed command gave no outcome.",
    {
      commandId,
      reason: optional(
        Schema.String.annotations({
          description:
            "Why the outcome is unknown: the actuator could not report it when asked, or the source does not state it",
        }),
      ),
      inferred,
    },
    { personal: { reason: SHREDDED } },
  ),
] as const
