/** The schemas of the environment's scopes: the shared one and one per task. */

import { Schema } from "effect"
import { TaskOutcome } from "../../../events/vocabulary/Tasks.ts"
import { Json } from "../../../values/Json.ts"
import { AgentScopes } from "./AgentScopes.ts"

/** The status of a pending command. The command leaves the state with its outcome or denial. */
export const CommandStatus = Schema.Literal("commanded", "allowed", "confirming", "dispatched").annotations({
  identifier: "CommandStatus",
})

/** A command without an outcome. */
export const PendingCommand = Schema.Struct({
  actuator: Schema.String.annotations({ description: "`plugin/component`" }),
  args: Json,
  status: CommandStatus,
}).annotations({ identifier: "PendingCommand" })

export type PendingCommand = typeof PendingCommand.Type

/** Why a plugin's document is no longer reliable. */
export const OutOfStep = Schema.Struct({
  position: Schema.Int.annotations({ description: "The event whose patch did not fit" }),
  path: Schema.String.annotations({ description: "JSON Pointer of the operation that did not fit" }),
  reason: Schema.String,
}).annotations({ identifier: "OutOfStep" })

const scope = {
  readings: Schema.Record({ key: Schema.String, value: Json }).annotations({
    description: "The latest reading of every sensor, by `plugin/sensor`",
  }),
  environment: Schema.Record({ key: Schema.String, value: Json }).annotations({
    description: "The environment's document of every plugin, by its name",
  }),
  pending: Schema.Record({ key: Schema.String, value: PendingCommand }).annotations({
    description: "Commands without an outcome, by their id",
  }),
  outOfStep: Schema.optionalWith(Schema.Record({ key: Schema.String, value: OutOfStep }), { exact: true }).annotations({
    description: "Plugins whose document stopped following its events, by name; absent while all is well",
  }),
}

/** One scope of the environment: a task's, or the shared one. */
export const Scope = Schema.Struct(scope).annotations({ identifier: "Scope" })

export type Scope = typeof Scope.Type

/** The scope of a task. */
export const TaskScope = Schema.Struct({
  ...scope,
  goal: Schema.NullOr(Schema.String).annotations({
    description: "null where events came in before the task was opened",
  }),
  open: Schema.Boolean,
  outcome: Schema.optionalWith(TaskOutcome, { exact: true }),
  agents: Schema.optionalWith(AgentScopes, { exact: true }).annotations({
    description:
      "Its agents by name, where there are several; absent where there is one, unless it recorded its inner state: then as `agent`",
  }),
}).annotations({ identifier: "TaskScope" })

export type TaskScope = typeof TaskScope.Type
