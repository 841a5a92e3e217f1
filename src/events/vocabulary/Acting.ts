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

const commandId = Schema.NonEmptyString.annotations({ description: "The command these events are about" })
const settledBy = optional(
  Schema.NonEmptyString.annotations({
    description: "The plugin, as `name@version`, whose `settle` told a later kernel how the command ended",
  }),
)
const rule = Schema.String.annotations({ description: "The gate rule that decided" })
const inferred = optional(Inferred)

export const actingEvents = [
  eventType(
    "ActuatorCommanded",
    "A command was requested of an actuator.",
    {
      commandId,
      actuator: ComponentName,
      args: Json,
      argsDigest: Sha256.annotations({ description: "Over the canonical JSON of `args` (RFC 8785)" }),
      priority: Schema.Finite,
      callId: optional(Schema.NonEmptyString.annotations({ description: "The model's id of the tool call" })),
      agentId: optional(AgentId),
      source: optional(
        Schema.Literal("scenario").annotations({
          description: "The scenario of the task gave it: it is no step of an agent",
        }),
      ),
      observed: optional(
        Schema.Literal(true).annotations({
          description:
            "A recorded or imported program carried it out itself: no gate ruled on it. Its times are those at which its model called it and was told its result",
        }),
      ),
    },
    { personal: { args: null } },
  ),
  eventType("CommandAllowed", "The gate let a command pass. Of an observed command the rule names the source.", {
    commandId,
    rule,
  }),
  eventType(
    "CommandDenied",
    "The gate refused a command; it was not executed.",
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
          description: "The first command of its round, if it reaches a world in one",
        }),
      ),
    },
    { synced: true },
  ),
  eventType(
    "CommandSucceeded",
    "A command was executed.",
    {
      commandId,
      result: Json,
      latencyMs: optional(
        Milliseconds.annotations({
          description:
            "How long it took, in ms; of an observed command between its call and its result. Absent where no source says so",
        }),
      ),
      unrecorded,
      settledBy,
      inferred,
    },
    { personal: { result: null, unrecorded: { reason: SHREDDED } } },
  ),
  eventType(
    "CommandFailed",
    "A command was refused by the world, or failed on the way.",
    {
      commandId,
      error: Failure,
      latencyMs: optional(Milliseconds),
      settledBy,
      inferred,
    },
    { personal: { error: { code: "shredded", message: SHREDDED } } },
  ),
  eventType(
    "CommandOutcomeUnknown",
    "A kernel ended between a command's dispatch and its outcome, or nobody told an observed one's.",
    {
      commandId,
      reason: optional(
        Schema.String.annotations({
          description:
            "Why nobody can tell: its actuator, which was asked, could not, or what it was observed in does not say",
        }),
      ),
      inferred,
    },
    { personal: { reason: SHREDDED } },
  ),
] as const
