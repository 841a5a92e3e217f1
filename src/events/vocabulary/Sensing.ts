/** Event types of sensors and environments. */

import { Schema } from "effect"
import { Json, JsonObject } from "../../values/Json.ts"
import { AgentId, ComponentName, eventType, Failure, Milliseconds, optional, SHREDDED } from "./EventType.ts"

const sensor = ComponentName

const perception = optional(
  Schema.Int.annotations({
    description: "Which perceiving of the task it is of, from 1; absent where it was read at its interval, or pushed",
  }),
)

const agentId = optional(AgentId)

export const sensingEvents = [
  eventType(
    "SensorRead",
    "A sensor returned a reading.",
    {
      sensor,
      reading: Json,
      priority: Schema.Finite.annotations({ description: "The sensor's priority at that moment" }),
      latencyMs: Milliseconds,
      perception,
      agentId,
    },
    { personal: { reading: null } },
  ),
  eventType(
    "SensorFailed",
    "A sensor was asked and gave no reading.",
    { sensor, error: Failure, perception, agentId },
    { personal: { error: { code: "shredded", message: SHREDDED } } },
  ),
  eventType("SensorSkipped", "A sensor was due and was not asked.", {
    sensor,
    reason: Schema.String,
    priority: optional(Schema.Finite.annotations({ description: "The sensor's priority at that moment" })),
    deadlineMs: optional(
      Schema.NonNegative.annotations({ description: "How long perceiving had, in ms, where that was the reason" }),
    ),
    perception,
    agentId,
  }),
] as const

/** An operation of a JSON Patch (RFC 6902), of the three kinds that Hindcast writes. */
export const PatchOperation = Schema.Union(
  Schema.Struct({ op: Schema.Literal("add", "replace"), path: Schema.String, value: Json }),
  Schema.Struct({ op: Schema.Literal("remove"), path: Schema.String }),
).annotations({ identifier: "PatchOperation", description: "RFC 6902 add, replace or remove" })

export type PatchOperation = typeof PatchOperation.Type

const plugin = Schema.NonEmptyString.annotations({ description: "The plugin whose environment it is" })

const Engine = Schema.NullOr(Schema.NonEmptyString)

export const environmentEvents = [
  eventType("EnvironmentDescribed", "A plugin's environment as its manifest describes it, for a task that uses it.", {
    plugin,
    name: Schema.String,
    description: Schema.String,
    rules: Schema.Array(Schema.String),
    conventions: Schema.Array(Schema.String),
  }),
  eventType(
    "EnvironmentReset",
    "An environment was put in its first state.",
    {
      plugin,
      seed: Schema.Int,
      options: JsonObject.annotations({ description: "What it was configured with, such as a scenario" }),
      agents: optional(
        Schema.Array(AgentId).annotations({ description: "Who takes part from the start, where it is for several" }),
      ),
      state: Json.annotations({ description: "The environment's document after the reset" }),
    },
    { personal: { options: {}, state: null } },
  ),
  eventType(
    "EnvironmentRestored",
    "A plugin's world was brought to where it was at a moment of a fork or a resumed task, or was not.",
    {
      plugin,
      by: Schema.Literal("snapshot", "re-execution", "stateless", "reset", "nothing").annotations({
        description:
          "`stateless`: it keeps nothing that could be lost; `nothing`: it is as it is now, and was not rewound",
      }),
      at: Schema.Int.annotations({ description: "The position at which it stands again" }),
      checked: Schema.Struct({
        document: Schema.Boolean.annotations({
          description: "Whether its document was compared with the recorded one",
        }),
        readings: Schema.NonNegativeInt,
        outcomes: Schema.NonNegativeInt,
      }).annotations({ description: "What was found to be the same as recorded" }),
      reason: optional(Schema.String.annotations({ description: "Why it was not rewound" })),
      engine: optional(
        Schema.Struct({ recorded: Schema.Array(Engine), now: Engine }).annotations({
          description:
            "The JavaScript engines that it was recorded under, and the one that it goes on under, such as `Deno 2.9.6`; null: nobody knows. Absent where they are the same",
        }),
      ),
    },
    { personal: { reason: SHREDDED } },
  ),
  eventType(
    "EnvironmentChanged",
    "An environment's document changed.",
    {
      plugin,
      patch: Schema.Array(PatchOperation),
      commands: optional(
        Schema.Array(Schema.String).annotations({
          description: "Ids of the commands of the round that changed it, where it was more than one",
        }),
      ),
    },
    { personal: { patch: [] } },
  ),
] as const
