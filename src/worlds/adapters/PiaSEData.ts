/** The data structures of PiaSE's design, field for field. Decoding is strict, and fills in what pydantic would. */

import { Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { orEmpty, orNull, Timestamp } from "./Fields.ts"

/** Something that was said to an agent. */
export const Message = Schema.Struct({
  sender: Schema.String,
  content: Schema.String,
  timestamp: orNull(Timestamp),
}).annotations({ identifier: "PiaSEMessage" })

export type Message = typeof Message.Type

/** What an agent perceives. Fields that the environment has nothing for are null. */
export const PerceptionData = Schema.Struct({
  /** Seconds since 1970. */
  timestamp: Timestamp,
  /** The readings, by sensor. */
  raw_observations: orEmpty,
  visible_text: orNull(Schema.String),
  /** What was said to the agent since it perceived last. */
  messages: Schema.optionalWith(Schema.Array(Message), { default: () => [] }),
  /** What the agent carries more and less than when it perceived last: `{ added, removed }`. */
  inventory_update: orNull(JsonObject),
  self_stats_feedback: orNull(JsonObject),
  visible_entities: orNull(Schema.Array(JsonObject)),
  /** How the agent's last action ended: `{ action_type, status, message }`. */
  last_action_result: orNull(JsonObject),
}).annotations({ identifier: "PiaSEPerceptionData" })

export type PerceptionData = typeof PerceptionData.Type

/** What an agent does. */
export const ActionCommand = Schema.Struct({
  action_type: Options.Text,
  parameters: orEmpty,
  /** The sequence that the action is part of. It is recorded in the decision that causes the command. */
  sequence_id: orNull(Options.Text),
  /** Of several actions that are submitted together, those of higher priority are carried out first. */
  execution_priority: orNull(Schema.Finite),
}).annotations({ identifier: "PiaSEActionCommand" })

export type ActionCommand = typeof ActionCommand.Type

/** An action as an agent writes it: only its type is needed. */
export type ActionInput = typeof ActionCommand.Encoded

/** What came of an action. */
export const ActionResult = Schema.Struct({
  /**
   * `success`, `failure`, `invalid_action` for what is no action of the environment, `in_progress` for what has not ended
   * yet, `unknown` if the kernel ended before the outcome was recorded.
   */
  status: Schema.String,
  message: orNull(Schema.String),
  /** What the action changed in the public parts of the state, by JSON Pointer; null where a value is gone. */
  state_changes_summary: orNull(JsonObject),
  /** The rewards of the step, by name. */
  rewards_obtained: orNull(Schema.Record({ key: Schema.String, value: Schema.Finite })),
  /** What the action itself answered with. Null if that was no object, or the step of a world. */
  immediate_perception_snippet: orNull(JsonObject),
  /** The code of a failure. */
  error_details: orNull(Schema.String),
}).annotations({ identifier: "PiaSEActionResult" })

export type ActionResult = typeof ActionResult.Type

/** An action that an environment has. */
export const ActionSchema = Schema.Struct({
  description: orNull(Schema.String),
  /** By name: its JSON Schema. */
  parameters: orEmpty,
}).annotations({ identifier: "PiaSEActionSchema" })

export type ActionSchema = typeof ActionSchema.Type

/** A field of `raw_observations`, or of `PerceptionData` itself. */
export const PerceptionFieldSchema = Schema.Struct({
  type: Schema.String,
  description: orNull(Schema.String),
  is_optional: Schema.optionalWith(Schema.Boolean, { default: () => false }),
}).annotations({ identifier: "PiaSEPerceptionFieldSchema" })

export type PerceptionFieldSchema = typeof PerceptionFieldSchema.Type

/** What an environment says of itself. */
export const EnvironmentInfo = Schema.Struct({
  environment_name: Schema.String,
  description: Schema.String,
  version: orNull(Schema.String),
  action_schema: Schema.Record({ key: Schema.String, value: ActionSchema }),
  perception_schema: Schema.Record({ key: Schema.String, value: PerceptionFieldSchema }),
  max_agents: Schema.optionalWith(Schema.NullOr(Schema.Int), { default: () => 1 }),
  time_model: Schema.String,
  custom_properties: orNull(JsonObject),
}).annotations({ identifier: "PiaSEEnvironmentInfo" })

export type EnvironmentInfo = typeof EnvironmentInfo.Type
