/** Event types of tasks with several agents, and of worlds that move by themselves. */

import { Schema } from "effect"
import { AgentId, eventType, Milliseconds, optional, SHREDDED } from "./EventType.ts"
import { TaskOutcome } from "./Tasks.ts"

const reason = optional(Schema.String)

/** Events of the agents of a task with several. */
export const agentEvents = [
  eventType("AgentJoined", "An agent takes part in a task with several.", {
    agentId: AgentId,
    agent: Schema.NonEmptyString.annotations({ description: "`name@version` of the agent behind the name" }),
    midway: optional(Schema.Literal(true).annotations({ description: "It joined after the world's reset" })),
  }),
  eventType(
    "AgentLeft",
    "An agent takes no further part in a task with several.",
    {
      agentId: AgentId,
      outcome: TaskOutcome,
      reason,
      midway: optional(
        Schema.Literal(true).annotations({ description: "The world was told: its episode was not over" }),
      ),
    },
    { personal: { reason: SHREDDED } },
  ),
  eventType(
    "AgentSuspended",
    "An agent is not asked to act until it is continued.",
    { agentId: AgentId, reason },
    { personal: { reason: SHREDDED } },
  ),
  eventType("AgentContinued", "An agent that was suspended is asked to act again.", { agentId: AgentId }),
  eventType("AgentLate", "An agent had not decided when its round was closed.", {
    agentId: AgentId,
    waitedMs: Milliseconds,
  }),
  eventType("WorldTicked", "A world moved by itself.", {
    plugin: Schema.NonEmptyString,
    milliseconds: Milliseconds.annotations({ description: "How much of the world's time passed" }),
  }),
] as const
