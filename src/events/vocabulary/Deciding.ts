/** Event types of an agent (inputs, decisions, messages, state, model calls), and of a recorded program's calls. */

import { Schema } from "effect"
import { Json, JsonObject } from "../../values/Json.ts"
import { AgentId, eventType, Failure, Milliseconds, optional, SHREDDED, Sha256, unrecorded } from "./EventType.ts"
import { Inferred } from "./Inference.ts"

const count = (description: string) => optional(Schema.NonNegativeInt.annotations({ description }))

/** A model's usage, as far as its provider says. An absent count is unknown, not 0. */
export const ModelUsage = Schema.Struct({
  inputTokens: Schema.NonNegativeInt.annotations({ description: "All tokens of the request, cached ones included" }),
  outputTokens: Schema.NonNegativeInt.annotations({ description: "All tokens of the answer, reasoning included" }),
  cachedTokens: count("Part of `inputTokens`, read from the provider's cache"),
  cacheWriteTokens: count("Part of `inputTokens`, written to the provider's cache, for any time"),
  cacheWrite1hTokens: count("Part of `cacheWriteTokens`, written for an hour; the rest, for five minutes"),
  reasoningTokens: count("Part of `outputTokens`"),
  inputAudioTokens: count("Part of `inputTokens`: audio"),
  inputImageTokens: count("Part of `inputTokens`: images and documents"),
  inputVideoTokens: count("Part of `inputTokens`: video"),
  cachedAudioTokens: count("Part of `cachedTokens`: audio"),
  cachedImageTokens: count("Part of `cachedTokens`: images and documents"),
  cachedVideoTokens: count("Part of `cachedTokens`: video"),
  outputAudioTokens: count("Part of `outputTokens`: audio"),
  outputImageTokens: count("Part of `outputTokens`: images"),
  outputVideoTokens: count("Part of `outputTokens`: video"),
  webSearches: count("Web searches by the provider, which it prices individually"),
  otherModelTokens: count("Tokens of other models that the provider called for the answer; not in any other count"),
  serviceTier: optional(
    Schema.NonEmptyString.annotations({
      description: "The tier that the provider reports: `standard`, `default`, `priority`, `flex`, `batch` …",
    }),
  ),
  unknown: optional(
    Schema.NonEmptyArray(Schema.Literal("inputTokens", "outputTokens")).annotations({
      description: "Unknown counts, which are 0 here only because they are required",
    }),
  ),
}).annotations({ identifier: "ModelUsage" })

export interface ModelUsage extends Schema.Schema.Type<typeof ModelUsage> {}

/** The cost of a model's answer, by a table of prices or as its source says. */
export const ModelCost = Schema.Struct({
  usd: Schema.NonNegative.annotations({ description: "In US dollars" }),
  prices: Schema.NonEmptyString.annotations({
    description: "The table of prices, `name@version`; `source` if the provider or the imported file states the cost",
  }),
  savedUsd: optional(
    Schema.Finite.annotations({
      description:
        "For a call that used the provider's cache: how much more it would have cost without one, in US dollars. Negative if writing cost more than reading saved. Absent: unknown",
    }),
  ),
}).annotations({ identifier: "ModelCost" })

export interface ModelCost extends Schema.Schema.Type<typeof ModelCost> {}

/** Why a model gave no answer or an incomplete one. */
export const ModelFailureKind = Schema.Literal(
  ...["unauthorized", "unknown-model", "invalid-request", "context-too-long", "refused"],
  ...["rate-limited", "overloaded", "unreachable", "timed-out", "cut-off", "unreadable", "empty"],
  ...["cancelled", "interrupted", "not-recorded"],
).annotations({ identifier: "ModelFailureKind" })

export type ModelFailureKind = typeof ModelFailureKind.Type

/**
 * When an agent receives an input: once it is done with its work (`queued`), before its next turn (`steering`), or at
 * once, ending its model's current answer (`interrupting`).
 */
export const InputDelivery = Schema.Literal("queued", "steering", "interrupting").annotations({
  identifier: "InputDelivery",
})

export type InputDelivery = typeof InputDelivery.Type

const latencyMs = optional(Milliseconds.annotations({ description: "Absent: unknown, as in many imported files" }))

const agentId = optional(AgentId)

export const decidingEvents = [
  eventType(
    "InputReceived",
    "Somebody sent a message to the agent.",
    {
      source: Schema.String.annotations({ description: "Who or what it came from, such as `chat`" }),
      content: Json.annotations({ description: "Text, or content parts as messages to models have them" }),
      delivery: optional(InputDelivery.annotations({ description: "When the agent receives it; default: `queued`" })),
      signal: optional(
        Schema.Struct({ listener: Schema.NonEmptyString, id: Schema.NonEmptyString }).annotations({
          description: "The listener that received it (`SignalReceived`), and its own id",
        }),
      ),
      agentId,
    },
    { personal: { content: null } },
  ),
  eventType(
    "InputDelivered",
    "The agent read the messages that had arrived.",
    {
      inputs: Schema.Array(Schema.Int).annotations({ description: "Positions of the inputs, oldest first" }),
      agentId,
    },
    { positions: ["inputs"] },
  ),
  eventType(
    "GuideApplied",
    "The agent's system prompt and memories, before its first turn and at each change.",
    {
      digest: Sha256.annotations({ description: "Digest of the canonical JSON of the other fields (RFC 8785)" }),
      systemPrompt: Schema.String.annotations({ description: "The whole prompt, including the kernel's additions" }),
      temperature: optional(Schema.Finite),
      memoryPolicy: JsonObject,
      conversation: optional(
        Schema.Literal(true).annotations({ description: "It waits for people instead of finishing" }),
      ),
      initialMemories: Schema.Array(Schema.String),
    },
    { personal: { systemPrompt: SHREDDED, initialMemories: [] } },
  ),
  eventType(
    "DecisionMade",
    "An agent chose its next action.",
    {
      agent: Schema.NonEmptyString.annotations({ description: "`name@version`" }),
      choice: JsonObject.annotations({ description: "A command, a message, or done with an outcome" }),
      basedOn: optional(
        Schema.Array(Schema.Int).annotations({ description: "Positions of the events behind the decision" }),
      ),
      rationale: optional(
        Schema.String.annotations({
          description: "The agent's own reason; for a model, its words beside its calls, at most 4,000 characters",
        }),
      ),
      reasoning: optional(
        Schema.String.annotations({
          description: "The model's reasoning before its answer, at most 4,000 characters; the answer has it whole",
        }),
      ),
      agentId,
    },
    { personal: { choice: {}, rationale: SHREDDED, reasoning: SHREDDED }, positions: ["basedOn"] },
  ),
  eventType(
    "MessageSent",
    "The agent sent a message.",
    {
      content: Schema.String,
      format: Schema.Literal("text", "markdown"),
      agentId,
      audience: optional(
        Schema.Array(AgentId).annotations({ description: "The addressed agents; absent: everyone who listens" }),
      ),
    },
    { personal: { content: SHREDDED } },
  ),
  eventType(
    "AgentStateChanged",
    "The agent's own state changed.",
    { state: Json, agentId },
    { personal: { state: null } },
  ),
  eventType(
    "ModelCalled",
    "An agent or a critic sent a request to a language model.",
    {
      provider: Schema.String,
      model: Schema.String,
      requestDigest: Sha256.annotations({ description: "Digest of the whole request" }),
      request: Json.annotations({
        description: "The whole request; for a critic's follow-up question about a task, its new part",
      }),
      workedMs: optional(
        Milliseconds.annotations({
          description:
            "For how many ms the agent had worked on the task before this call, by the monotonic clocks of all processes, not counting waits for people",
        }),
      ),
      reserves: optional(
        Schema.Struct({
          tokens: Schema.NonNegativeInt.annotations({ description: "Of the request and its longest answer" }),
          usd: optional(
            Schema.NonNegative.annotations({ description: "Their price, in US dollars, if money is limited" }),
          ),
        }).annotations({
          identifier: "ReservedUse",
          description:
            "What the request may use at most, as its agent estimates it: its budget counts this if the end of a kernel cuts the request off. Absent without a budget of tokens or money",
        }),
      ),
      retryOf: optional(
        Schema.NonEmptyString.annotations({
          description: "For a recorded program's retry: the id of the first attempt's event",
        }),
      ),
      hedgeOf: optional(
        Schema.NonEmptyString.annotations({
          description: "For an agent's second request for the same answer: the id of the first one's event",
        }),
      ),
      batch: optional(
        Schema.Struct({
          id: optional(Schema.String.annotations({ description: "The provider's id of the batch, if known" })),
          customId: Schema.String.annotations({ description: "The program's id of the call" }),
        }).annotations({
          description: "For a recorded program's call in a batch, which had no request of its own",
        }),
      ),
      observed: optional(
        Schema.Literal(true).annotations({
          description: "Seen only by the telemetry of a recorded program's framework, so a replay cannot answer it",
        }),
      ),
      inferred: optional(Inferred),
      agentId,
    },
    { personal: { request: null } },
  ),
  eventType(
    "ModelCallDelayed",
    "An agent's request to a language model waits, because the rate limit that all tasks of the kernel share leaves no room for it yet.",
    {
      provider: Schema.String,
      model: Schema.String,
      waitMs: Milliseconds.annotations({ description: "How long it waits, in ms" }),
      because: Schema.Literal("requests", "tokens", "retry-after").annotations({
        description: "Requests or tokens a minute, or the provider's own request to wait",
      }),
      agentId,
    },
  ),
  eventType(
    "ModelResponded",
    "A language model answered.",
    {
      response: Json,
      usage: ModelUsage,
      cost: optional(ModelCost),
      unread: optional(
        Schema.Array(Schema.Struct({ kind: Schema.String, count: Schema.Positive.pipe(Schema.int()) })).annotations({
          description: "Unread items of the answer, by the provider's name of their type. The response keeps them",
        }),
      ),
      latencyMs,
    },
    { personal: { response: null } },
  ),
  eventType(
    "ModelFailed",
    "A language model gave no answer, or an incomplete one.",
    {
      kind: ModelFailureKind,
      reason: Schema.String,
      response: optional(Json.annotations({ description: "The partial answer" })),
      usage: optional(ModelUsage),
      cost: optional(ModelCost),
      retryAfterMs: optional(Milliseconds.annotations({ description: "How long the provider asked to wait, in ms" })),
      retryInMs: optional(
        Milliseconds.annotations({
          description: "How long the agent waits before it retries, in ms; absent: it does not retry",
        }),
      ),
      fallbackTo: optional(
        Schema.NonEmptyString.annotations({
          description: "The model, as `provider/model`, that the agent asks instead; absent: none",
        }),
      ),
      latencyMs,
    },
    { personal: { reason: SHREDDED, response: null } },
  ),
  eventType(
    "MemoryCompacted",
    "From now on, a summary replaces a part of the conversation in requests to the model. The log keeps the whole conversation.",
    {
      policy: Schema.NonEmptyString,
      messages: Schema.Positive.pipe(Schema.int()).annotations({
        description: "Number of messages, from the start of the conversation, that the summary stands for",
      }),
      summary: Schema.String,
    },
    { personal: { summary: SHREDDED } },
  ),
  eventType("BudgetExceeded", "An agent used up a budget, and sends no further requests to models.", {
    budget: Schema.Literal("steps", "tokens", "usd", "wallMs", "commands"),
    limit: Schema.NonNegative,
    used: Schema.NonNegative,
  }),
  eventType("RandomDrawn", "A random value that no recorded seed determines.", {
    purpose: optional(Schema.String),
    value: Json,
  }),
] as const

const io = Schema.NonEmptyString.annotations({
  description: "The call: `fetch`, `now`, or a name from the program",
})

export const ioEvents = [
  eventType(
    "IoCalled",
    "A recorded program made a call outside itself, except to a language model.",
    {
      io,
      request: Json.annotations({ description: "For `fetch`, the request without its keys; otherwise the arguments" }),
      requestDigest: Sha256.annotations({ description: "Digest by which a replay finds the call" }),
      inferred: optional(Inferred),
    },
    { personal: { request: null } },
  ),
  eventType(
    "IoAnswered",
    "A recorded program's call returned. For `fetch`: the response, with the pieces of its body as they came.",
    { io, result: Json, latencyMs: optional(Milliseconds), unrecorded },
    { personal: { result: null, unrecorded: { reason: SHREDDED } } },
  ),
  eventType(
    "IoFailed",
    "A call of a recorded program failed.",
    { io, error: Failure, latencyMs: Milliseconds },
    { personal: { error: { code: "shredded", message: SHREDDED } } },
  ),
] as const

const whole = Schema.NonNegativeInt

/** The state in which the rounds of a searched run begin. */
const SearchedFrom = Schema.Union(
  Schema.Struct({ step: whole.annotations({ description: "The episode's state after this many of its steps" }) }),
  Schema.Struct({ run: whole.annotations({ description: "The state after the run with this index in the search" }) }),
  Schema.Struct({ state: Json.annotations({ description: "A state that the search does not know otherwise" }) }),
).annotations({ identifier: "SearchedFrom" })

/** A run of rounds in one clone. */
export const SearchedRun = Schema.Struct({
  clone: whole.annotations({ description: "The clone's number in the search, from 0" }),
  from: SearchedFrom,
  rounds: whole.annotations({ description: "The number of its rounds" }),
  actions: optional(
    Schema.Array(JsonObject).annotations({
      description: "The actions of each round, by agent, if the program chose them",
    }),
  ),
  seed: optional(Schema.Int.annotations({ description: "Its agents chose at random, by this seed" })),
  returns: JsonObject.annotations({ description: "The sum of each agent's rewards in these rounds" }),
  ended: optional(Schema.Literal(true).annotations({ description: "No agent can act in its last state" })),
  refused: optional(Schema.String.annotations({ description: "Why the world refused an action of the last round" })),
}).annotations({ identifier: "SearchedRun" })

export type SearchedRun = typeof SearchedRun.Type

/** Steps that a program tried in clones of a task's world. They are not steps of the episode. */
export const searchEvents = [
  eventType(
    "SearchStarted",
    "A program began to try steps in clones of a task's world. The world itself stays as it is.",
    {
      searchId: Schema.NonEmptyString,
      plugin: Schema.NonEmptyString.annotations({ description: "The plugin whose environment was cloned" }),
      version: Schema.NonEmptyString.annotations({ description: "The plugin's version" }),
      rule: Schema.String.annotations({ description: "The gate rule that allowed all tried steps, asked once" }),
    },
  ),
  eventType(
    "StepsSearched",
    "Steps that a program tried in clones of a task's world. The agent took none of them, and no score counts their rewards.",
    {
      searchId: Schema.NonEmptyString,
      plugin: Schema.NonEmptyString,
      first: whole.annotations({ description: "The index of its first run in the search, from 0" }),
      steps: whole.annotations({ description: "The number of rounds in all its runs" }),
      runs: Schema.Array(SearchedRun),
    },
    { personal: { runs: [] } },
  ),
] as const
