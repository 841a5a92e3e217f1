/** Event types of scenarios: what was played, which triggers fired, and how it ended. */

import { Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import { eventType, optional, Sha256 } from "./EventType.ts"

const because = Schema.Array(Schema.Int).annotations({ description: "Positions of the events that made it true" })

/** Events of a scenario. */
export const scenarioEvents = [
  eventType("ScenarioStarted", "A scenario began to be played in a task.", {
    name: Schema.NonEmptyString,
    version: Schema.NonEmptyString,
    digest: Sha256.annotations({ description: "Over the canonical JSON of the scenario (RFC 8785)" }),
    plugin: Schema.NonEmptyString.annotations({ description: "The plugin whose environment is its world" }),
    scenario: JsonObject.annotations({ description: "The whole document" }),
  }),
  eventType(
    "TriggerFired",
    "The trigger of a scenario's event was met, and one of its responses is given.",
    {
      trigger: Schema.NonEmptyString.annotations({ description: "The event's name, or `events/<index>`" }),
      response: JsonObject,
      because,
    },
    { positions: ["because"] },
  ),
  eventType(
    "MilestoneReached",
    "A scenario's milestone was reached.",
    {
      name: Schema.NonEmptyString,
      agentId: optional(
        Schema.NonEmptyString.annotations({ description: "The agent of the scenario that reached it" }),
      ),
      because,
    },
    { positions: ["because"] },
  ),
  eventType(
    "ScenarioEnded",
    "A condition of a scenario was met: it is won or lost.",
    {
      result: Schema.Literal("won", "lost"),
      condition: JsonObject.annotations({ description: "The condition, as the scenario has it" }),
      because,
    },
    { positions: ["because"] },
  ),
] as const
