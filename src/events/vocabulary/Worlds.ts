/** Event types of tasks with several agents, of worlds that move by themselves, and of scenarios. */

import { Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import { AgentId, eventType, Milliseconds, optional, SHREDDED, Sha256 } from "./EventType.ts"
import { TaskOutcome } from "./Tasks.ts"

const reason = optional(Schema.String)

export const agentEvents = [
  eventType("AgentJoined", "An agent takes part in a task with several.", {
    agentId: AgentId,
    agent: Schema.NonEmptyString.annotations({ description: "`name@version` of the agent behind the name" }),
    midway: optional(Schema.Literal(true).annotations({ description: "It joined after the world's reset" })),
  }),
  eventType(
    "AgentLeft",
    "An agent left a task with several.",
    {
      agentId: AgentId,
      outcome: TaskOutcome,
      reason,
      midway: optional(
        Schema.Literal(true).annotations({ description: "The world was informed before its episode was over" }),
      ),
    },
    { personal: { reason: SHREDDED } },
  ),
  eventType(
    "AgentSuspended",
    "An agent gets no turns until it is continued.",
    { agentId: AgentId, reason },
    { personal: { reason: SHREDDED } },
  ),
  eventType("AgentContinued", "A suspended agent gets turns again.", { agentId: AgentId }),
  eventType("AgentLate", "An agent had not decided when its round closed.", {
    agentId: AgentId,
    waitedMs: Milliseconds,
  }),
  eventType(
    "WorldTicked",
    "A world changed by itself.",
    {
      plugin: Schema.NonEmptyString,
      milliseconds: Milliseconds.annotations({ description: "How much of the world's time passed" }),
      steps: optional(
        Schema.Record({ key: AgentId, value: JsonObject }).annotations({
          description: "The agents' results meanwhile, in the form of a step's result",
        }),
      ),
    },
    { personal: { steps: {} } },
  ),
] as const

const because = Schema.Array(Schema.Int).annotations({ description: "Positions of the events that made it true" })

export const scenarioEvents = [
  eventType(
    "ScenarioStarted",
    "A task began to play a scenario.",
    {
      name: Schema.NonEmptyString,
      version: Schema.NonEmptyString,
      digest: Sha256.annotations({ description: "Digest of the canonical JSON of the scenario (RFC 8785)" }),
      plugin: Schema.NonEmptyString.annotations({ description: "The plugin whose environment is its world" }),
      scenario: JsonObject.annotations({ description: "The whole document" }),
    },
    { personal: { scenario: {} } },
  ),
  eventType(
    "TriggerFired",
    "A trigger of a scenario's event fired, and the scenario gave one of its responses.",
    {
      trigger: Schema.NonEmptyString.annotations({ description: "The event's name, or `events/<index>`" }),
      response: JsonObject,
      because,
    },
    { positions: ["because"], personal: { response: {} } },
  ),
  eventType(
    "MilestoneReached",
    "The task reached a milestone of the scenario.",
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
    "A condition of the scenario holds: won or lost.",
    {
      result: Schema.Literal("won", "lost"),
      condition: JsonObject.annotations({ description: "The condition, as the scenario has it" }),
      agentId: optional(AgentId.annotations({ description: "The agent that met it, in a task with several" })),
      because,
    },
    { positions: ["because"], personal: { condition: {} } },
  ),
] as const
