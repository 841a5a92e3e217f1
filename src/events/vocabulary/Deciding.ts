/** Event types of an agent: its inputs, decisions, messages, state and model calls. */

import { Schema } from "effect"
import { Json, JsonObject } from "../../values/Json.ts"
import { eventType, Milliseconds, optional, SHREDDED, Sha256 } from "./EventType.ts"

/** Events of an agent. */
export const decidingEvents = [
  eventType(
    "InputReceived",
    "Something was said to the agent.",
    { source: Schema.String, content: Json },
    { personal: { content: null } },
  ),
  eventType(
    "DecisionMade",
    "An agent chose what to do next.",
    {
      agent: Schema.NonEmptyString.annotations({ description: "`name@version`" }),
      choice: JsonObject.annotations({ description: "A command, a message, or done with an outcome" }),
      basedOn: optional(
        Schema.Array(Schema.Int).annotations({ description: "Positions of what the decision was made on" }),
      ),
      rationale: optional(Schema.String),
    },
    { personal: { choice: {}, rationale: SHREDDED }, positions: ["basedOn"] },
  ),
  eventType(
    "MessageSent",
    "The agent said something.",
    {
      content: Schema.String,
      format: Schema.Literal("text", "markdown"),
    },
    { personal: { content: SHREDDED } },
  ),
  eventType("AgentStateChanged", "The agent's own state changed.", { state: Json }, { personal: { state: null } }),
  eventType(
    "ModelCalled",
    "An agent or a critic asked a language model.",
    {
      provider: Schema.String,
      model: Schema.String,
      requestDigest: Sha256.annotations({ description: "Digest of the whole request" }),
      request: Json.annotations({
        description: "The whole request; of a critic's question that follows others about a task, what is new in it",
      }),
    },
    { personal: { request: null } },
  ),
  eventType(
    "ModelResponded",
    "A language model answered.",
    {
      response: Json,
      usage: Schema.Struct({ inputTokens: Schema.NonNegativeInt, outputTokens: Schema.NonNegativeInt }),
      latencyMs: Milliseconds,
    },
    { personal: { response: null } },
  ),
  eventType("RandomDrawn", "A random value that no recorded seed determines.", {
    purpose: optional(Schema.String),
    value: Json,
  }),
] as const
