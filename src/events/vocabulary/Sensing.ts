/** Event types of sensors, environments and listeners, and of memories that outlast a task. */

import { Schema } from "effect"
import { Json, JsonObject } from "../../values/Json.ts"
import { AgentId, ComponentName, eventType, Failure, Milliseconds, optional, SHREDDED } from "./EventType.ts"
import { Inferred } from "./Inference.ts"

/** In `plugin`, the name of the environment of a task whose files are recorded. */
export const FILES = "workspace"

const sensor = ComponentName

const perception = optional(
  Schema.Int.annotations({
    description: "Number of the task's perception, from 1; absent for a reading at an interval, or a pushed one",
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
    "A sensor returned no valid reading.",
    { sensor, error: Failure, perception, agentId },
    { personal: { error: { code: "shredded", message: SHREDDED } } },
  ),
  eventType("SensorSkipped", "The kernel skipped a sensor that was due.", {
    sensor,
    reason: Schema.String,
    priority: optional(Schema.Finite.annotations({ description: "The sensor's priority at that moment" })),
    deadlineMs: optional(
      Schema.NonNegative.annotations({ description: "The perception's time limit in ms, if that was the reason" }),
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
    "An environment was set to its first state.",
    {
      plugin,
      seed: Schema.Int,
      options: JsonObject.annotations({ description: "Its configuration, such as a scenario" }),
      agents: optional(Schema.Array(AgentId).annotations({ description: "The initial agents, if it is for several" })),
      state: Json.annotations({ description: "The environment's document after the reset" }),
    },
    { personal: { options: {}, state: null } },
  ),
  eventType(
    "EnvironmentRestored",
    "The kernel restored a plugin's world for a fork or a resumed task, or failed to.",
    {
      plugin,
      by: Schema.Literal("snapshot", "re-execution", "stateless", "reset", "nothing").annotations({
        description: "`stateless`: it keeps no state; `nothing`: it was not rewound and is as it is now",
      }),
      at: Schema.Finite.annotations({
        description: "The position to which it is restored; not whole within a `StepsRecorded`",
      }),
      checked: Schema.Struct({
        document: Schema.Boolean.annotations({
          description: "Whether its document was compared with the recorded one",
        }),
        readings: Schema.NonNegativeInt,
        outcomes: Schema.NonNegativeInt,
      }).annotations({ description: "Checks whose results matched the recording" }),
      reason: optional(Schema.String.annotations({ description: "Why it was not rewound" })),
      engine: optional(
        Schema.Struct({ recorded: Schema.Array(Engine), now: Engine }).annotations({
          description:
            "The JavaScript engines of the recording, and the current one, such as `Deno 2.9.6`; null: unknown. Absent if they are the same",
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
          description:
            "Ids of the commands of the round that changed it, if more than one; for files, ids of the calls that may have changed them",
        }),
      ),
      unattributed: optional(
        Schema.Literal("no-call", "not-watched", "restored").annotations({
          description:
            "Why no call is the cause of changed files. `no-call`: none was in progress, so a person or another program changed them; `not-watched`: nobody saw when, or calls of another recorder were in progress; `restored`: Hindcast brought back the files of an earlier moment",
        }),
      ),
      inferred: optional(Inferred),
    },
    { personal: { patch: [] } },
  ),
] as const

const listener = Schema.NonEmptyString.annotations({ description: "The listener's name" })

/** Types of listeners, which bring signals from outside into the log. */
export const listeningEvents = [
  eventType("ListenerStarted", "A listener began to bring signals in.", {
    listener,
    kind: Schema.NonEmptyString.annotations({
      description: "`webhook`, `websocket`, `lines`, `files`, `cron`, `plugin`, or `program` for a program's own",
    }),
    address: optional(
      Schema.String.annotations({ description: "Its place: a URL, a directory or a schedule, if it has one" }),
    ),
  }),
  eventType(
    "ListenerFailed",
    "A listener failed. It starts again after a back-off.",
    {
      listener,
      reason: Schema.String,
      restartInMs: Milliseconds.annotations({ description: "After how many ms it starts again" }),
    },
    { personal: { reason: SHREDDED } },
  ),
  eventType("ListenerStopped", "A listener stopped. It brings no further signals in until it starts again.", {
    listener,
    reason: Schema.String,
  }),
  eventType(
    "SignalReceived",
    "A listener received a signal. Its sender gets the acknowledgement once this event is on the disk.",
    {
      listener,
      id: Schema.NonEmptyString.annotations({
        description:
          "The signal's own id. A later signal of the listener with this id is a repetition, and not recorded",
      }),
      source: Schema.String.annotations({ description: "Where it came from, such as `webhook:github`" }),
      content: Json,
    },
    { personal: { content: null }, synced: true },
  ),
  eventType(
    "SignalHandled",
    "A signal opened its task, in the same commit; or no rule wanted it, or the task could not be opened.",
    {
      listener,
      signal: Schema.Int.annotations({ description: "Position of its `SignalReceived`" }),
      how: Schema.Literal("task", "ignored", "undelivered", "refused").annotations({
        description:
          "It opened a task; no rule wanted it; its task could not be opened, and the next process that serves its listener tries again; it can have no task",
      }),
      task: optional(Schema.NonEmptyString.annotations({ description: "The id of the task" })),
      rule: optional(Schema.NonNegativeInt.annotations({ description: "Index of the rule that wanted it, from 0" })),
      reason: optional(Schema.String.annotations({ description: "Why the task could not be opened" })),
    },
    { personal: { reason: SHREDDED }, positions: ["signal"] },
  ),
] as const

/** The model that made a vector, and the vector's length. */
export const EmbeddedBy = Schema.Struct({
  model: Schema.NonEmptyString.annotations({ description: "The embedding model's name" }),
  dimensions: Schema.Positive.pipe(Schema.int()).annotations({ description: "The number of the vector's components" }),
}).annotations({ identifier: "EmbeddedBy" })

export type EmbeddedBy = typeof EmbeddedBy.Type

const vector = Schema.String.annotations({
  description: "The vector, of length 1: its components as 32-bit floats, little-endian, in base64",
})

export const rememberingEvents = [
  eventType(
    "MemoryStored",
    "An agent or a program stored a memory, which later tasks can recall.",
    {
      text: Schema.String,
      agent: optional(
        Schema.NonEmptyString.annotations({ description: "The agent that it belongs to, without a version" }),
      ),
      user: optional(Schema.NonEmptyString.annotations({ description: "The user that it is about" })),
      source: Schema.Literal("agent", "program", "guide").annotations({
        description: "Who stored it: an agent by a tool, the program, or an agent's guide (`initialMemories`)",
      }),
      embedding: optional(EmbeddedBy),
      vector: optional(vector),
    },
    { personal: { text: SHREDDED, user: SHREDDED, vector: "" } },
  ),
  eventType(
    "MemoryEmbedded",
    "A memory got a vector by another embedding model, which replaces its earlier one.",
    {
      memory: Schema.Int.annotations({ description: "The position of its `MemoryStored`" }),
      embedding: EmbeddedBy,
      vector,
    },
    { personal: { vector: "" }, positions: ["memory"] },
  ),
] as const
