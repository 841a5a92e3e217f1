/** PiaSE's data structures, field for field. Decoding is strict and fills in pydantic's defaults. */

import { Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { orEmpty, orNull, Timestamp } from "./Fields.ts"

/** A message to an agent. */
export const Message = Schema.Struct({
  sender: Schema.String,
  content: Schema.String,
  timestamp: orNull(Timestamp),
}).annotations({ identifier: "PiaSEMessage" })

export type Message = typeof Message.Type

/** A perception of an agent. A field is null if the environment has no value for it. */
export const PerceptionData = Schema.Struct({
  timestamp: Timestamp,
  raw_observations: orEmpty,
  visible_text: orNull(Schema.String),
  /** Messages to the agent since its last perception. */
  messages: Schema.optionalWith(Schema.Array(Message), { default: () => [] }),
  /** The items gained and lost since the last perception: `{ added, removed }`. */
  inventory_update: orNull(JsonObject),
  self_stats_feedback: orNull(JsonObject),
  visible_entities: orNull(Schema.Array(JsonObject)),
  /** The end of the agent's last action: `{ action_type, status, message }`. */
  last_action_result: orNull(JsonObject),
}).annotations({ identifier: "PiaSEPerceptionData" })

export type PerceptionData = typeof PerceptionData.Type

/** An action of an agent. */
export const ActionCommand = Schema.Struct({
  action_type: Options.Text,
  parameters: orEmpty,
  /** The sequence that the action belongs to. Recorded in the decision that causes the command. */
  sequence_id: orNull(Options.Text),
  /** `submitAll` carries out actions of higher priority first. */
  execution_priority: orNull(Schema.Finite),
}).annotations({ identifier: "PiaSEActionCommand" })

export type ActionCommand = typeof ActionCommand.Type

/** An action as an agent writes it: only the type is required. */
export type ActionInput = typeof ActionCommand.Encoded

/** The result of an action. */
export const ActionResult = Schema.Struct({
  /**
   * `success`; `failure`; `invalid_action` if the environment has no such action; `in_progress` if the action has not
   * ended; or `unknown` if the kernel ended before the outcome was recorded.
   */
  status: Schema.String,
  message: orNull(Schema.String),
  /** The action's changes of the public state, by JSON Pointer; null if a value was removed. */
  state_changes_summary: orNull(JsonObject),
  rewards_obtained: orNull(Schema.Record({ key: Schema.String, value: Schema.Finite })),
  /** The action's own result. Null if it is not an object, or is the step of a world. */
  immediate_perception_snippet: orNull(JsonObject),
  error_details: orNull(Schema.String),
}).annotations({ identifier: "PiaSEActionResult" })

export type ActionResult = typeof ActionResult.Type

/** An action that an environment offers. */
export const ActionSchema = Schema.Struct({
  description: orNull(Schema.String),
  /** JSON Schemas, by name. */
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

/** The description of an environment. */
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
