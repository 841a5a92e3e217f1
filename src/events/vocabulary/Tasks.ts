import { Schema } from "effect"
import { eventType, optional, SHREDDED } from "../EventType.ts"
import { JsonObject } from "../Json.ts"

/** How a task can end. `truncated`: stopped by a limit from outside, such as a number of steps. */
export const TaskOutcome = Schema.Literal("achieved", "failed", "abandoned", "truncated").annotations({
  identifier: "TaskOutcome",
})

export type TaskOutcome = typeof TaskOutcome.Type

/** The unit of audit. */
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
      seed: optional(Schema.Int),
    },
    { personal: { goal: SHREDDED, environment: {} } },
  ),
  eventType(
    "TaskClosed",
    "A task ended.",
    { outcome: TaskOutcome, reason: optional(Schema.String) },
    { personal: { reason: SHREDDED } },
  ),
] as const
