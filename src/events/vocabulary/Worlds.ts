/**
 * Event types of tasks with several agents, of worlds that move by themselves, of scenarios, of curricula, and of
 * rollouts: many episodes of one world, stepped by one policy.
 */

import { Schema } from "effect"
import { Json, JsonObject } from "../../values/Json.ts"
import { MAX_STEPS } from "../../values/StepAddress.ts"
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

/**
 * Curricula: stages that an agent works through, the decisions between them, and the help of tutors. Their events have no
 * `taskId` in the envelope; the attempts name their tasks.
 */
const curriculumId = Schema.NonEmptyString
const stage = Schema.NonEmptyString.annotations({ description: "The stage's name in the curriculum" })
const attempt = Schema.Positive.pipe(
  Schema.int(),
  Schema.annotations({ description: "The number of the attempt at this stage, from 1" }),
)
/** The decisions that can follow an attempt. */
export const CurriculumDecision = Schema.Literal(
  "PROCEED",
  "REPEAT_STEP",
  "BRANCH_TO",
  "APPLY_HINT",
  "FAIL",
).annotations({
  identifier: "CurriculumDecision",
})

export type CurriculumDecision = typeof CurriculumDecision.Type

/** The kinds of help that a tutor can give. */
export const GuidanceKind = Schema.Literal("hint", "demonstration", "feedback").annotations({
  identifier: "GuidanceKind",
})

export type GuidanceKind = typeof GuidanceKind.Type

/** What became of one criterion in a decision. */
export const CriterionVerdict = Schema.Struct({
  path: Schema.String.annotations({ description: "Its place in the curriculum, as a JSON Pointer" }),
  rule: Schema.String.annotations({ description: "Its text" }),
  digest: Sha256.annotations({ description: "Digest of its text" }),
  result: Schema.Literal("held", "not held", "unknown", "used up").annotations({
    description:
      "`unknown`: it reads a value that the log does not have. `used up`: it held, but its limit or its tutor's budget allows no more",
  }),
  reason: optional(Schema.String.annotations({ description: "Why it is unknown or used up" })),
}).annotations({ identifier: "CriterionVerdict" })

export type CriterionVerdict = typeof CriterionVerdict.Type

export const curriculumEvents = [
  eventType(
    "CurriculumStarted",
    "An agent began a curriculum.",
    {
      curriculumId,
      name: Schema.NonEmptyString,
      version: Schema.NonEmptyString,
      digest: Sha256.annotations({ description: "Digest of the curriculum with its scenarios and rubrics" }),
      curriculum: JsonObject.annotations({ description: "The whole document" }),
      scenarios: optional(JsonObject.annotations({ description: "The scenarios that it plays, by file" })),
      rubrics: optional(JsonObject.annotations({ description: "The rubrics that it scores by, by label" })),
      agent: Schema.NonEmptyString.annotations({ description: "`name@version` of the agent that learns" }),
      seed: Schema.NonNegativeInt.annotations({ description: "Seeds the episodes of stages without a seed" }),
    },
    { personal: { curriculum: {}, scenarios: {} } },
  ),
  eventType("StageAttempted", "An agent began an attempt at a stage of a curriculum.", {
    curriculumId,
    stage,
    attempt,
    taskIds: Schema.Array(Schema.NonEmptyString).annotations({
      description: "Ids of the attempt's tasks, which the kernel opens one after another",
    }),
  }),
  eventType(
    "CurriculumDecided",
    "A curriculum decided what follows an attempt.",
    {
      curriculumId,
      stage,
      attempt,
      decision: CurriculumDecision,
      to: optional(Schema.NonEmptyString.annotations({ description: "The next stage; absent at the end" })),
      rule: optional(
        CriterionVerdict.fields.path.annotations({
          description: "The criterion that decided, as a JSON Pointer; absent if none held",
        }),
      ),
      verdicts: Schema.Array(CriterionVerdict).annotations({
        description: "The criteria in their order, up to that one",
      }),
      guidance: optional(
        Schema.Struct({
          tutor: Schema.NonEmptyString,
          gives: GuidanceKind,
          taskId: optional(Schema.NonEmptyString.annotations({ description: "The task in which the tutor works" })),
        }).annotations({ description: "What a tutor gives next" }),
      ),
      reason: optional(Schema.String),
      evidence: JsonObject.annotations({ description: "The values that the criteria read" }),
      taskIds: Schema.Array(Schema.NonEmptyString).annotations({ description: "The tasks of the attempt" }),
      scoreSets: Schema.Array(Schema.NonEmptyString).annotations({ description: "The score sets behind the evidence" }),
      because,
    },
    { positions: ["because"], personal: { reason: SHREDDED } },
  ),
  eventType(
    "GuidanceGiven",
    "A tutor gave a hint, a demonstration or feedback, which the agent receives at the next attempts of the stage.",
    {
      curriculumId,
      stage,
      attempt,
      tutor: Schema.NonEmptyString,
      gives: GuidanceKind,
      content: optional(Schema.String.annotations({ description: "Its text; absent if the tutor gave nothing" })),
      missing: optional(Schema.String.annotations({ description: "Why the tutor gave nothing" })),
      taskId: optional(Schema.NonEmptyString.annotations({ description: "The task in which the tutor worked" })),
      left: optional(
        Schema.NonNegativeInt.annotations({ description: "How many of this kind the tutor may still give" }),
      ),
      because,
    },
    { positions: ["because"], personal: { content: SHREDDED, missing: SHREDDED } },
  ),
  eventType(
    "AgentDeveloped",
    "An agent reached a stage of development.",
    {
      curriculumId,
      agent: Schema.NonEmptyString,
      from: optional(Schema.NonEmptyString.annotations({ description: "Absent if it had none" })),
      to: Schema.NonEmptyString,
      because,
    },
    { positions: ["because"] },
  ),
  eventType(
    "CurriculumEnded",
    "An agent completed a curriculum, or failed it.",
    {
      curriculumId,
      result: Schema.Literal("completed", "failed"),
      reason: optional(Schema.String),
      because,
    },
    { positions: ["because"], personal: { reason: SHREDDED } },
  ),
] as const

/** Maximum size of the columns of one event before compression, in bytes. */
export const MAX_COLUMN_BYTES = 8 * 1024 * 1024

const count = Schema.NonNegativeInt

/** The next step after the last one of an episode, by the names of Gymnasium's vector environments. */
export const Autoreset = Schema.Literal("Disabled", "NextStep", "SameStep").annotations({
  identifier: "Autoreset",
  description:
    "`Disabled`: each episode begins with a seed of its own. `NextStep`, `SameStep`: the next episode continues the random numbers of the previous one in its slot",
})

export type Autoreset = typeof Autoreset.Type

const rolloutId = Schema.NonEmptyString.annotations({ description: "The rollout these events are about" })

/** The beginning of an episode, in its first `StepsRecorded`. */
const Begin = Schema.Struct({
  seed: Schema.Int,
  options: JsonObject.annotations({ description: "The environment's configuration" }),
  state: Json.annotations({ description: "The environment's document after the reset" }),
  readings: JsonObject.annotations({ description: "The first readings, by the sensor's own name" }),
  continued: optional(
    Schema.Literal(true).annotations({
      description:
        "The reset continued the random numbers of the previous episode, so the seed alone does not repeat it",
    }),
  ),
})

export const rolloutEvents = [
  eventType(
    "RolloutStarted",
    "A rollout began: many episodes of one world, stepped by one policy. Each episode is a task.",
    {
      rolloutId,
      plugin: Schema.NonEmptyString.annotations({ description: "The plugin whose environment is the world" }),
      version: Schema.NonEmptyString.annotations({ description: "The plugin's version" }),
      policy: Schema.NonEmptyString.annotations({ description: "`name@version` of the policy" }),
      episodes: optional(
        Schema.Positive.pipe(Schema.int()).annotations({
          description: "Absent if a program steps the episodes itself",
        }),
      ),
      seed: Schema.Int.annotations({ description: "The first episode's seed; the others follow by one" }),
      parallel: Schema.Positive.pipe(Schema.int()).annotations({ description: "Episodes at a time" }),
      autoreset: Autoreset,
      options: JsonObject.annotations({ description: "Options of the world" }),
      maxSteps: optional(
        Schema.Positive.pipe(Schema.int()).annotations({ description: "Maximum steps of an episode" }),
      ),
      rule: Schema.String.annotations({ description: "The gate rule that allowed all its steps, asked once" }),
    },
    { personal: { options: {} } },
  ),
  eventType(
    "StepsRecorded",
    "A run of steps of one episode, in columns. It stands for the reset, commands, outcomes, changes, rewards and readings of these steps, which reads of the log return in its place.",
    {
      plugin: Schema.NonEmptyString,
      encoding: Schema.Literal(1, 2).annotations({
        description: "The version of the columns: 2, or 1 in logs of earlier versions",
      }),
      first: count.annotations({ description: "The index of its first step in the episode, from 0" }),
      steps: Schema.Int.pipe(Schema.between(0, MAX_STEPS)).annotations({ description: "The number of its steps" }),
      rule: Schema.String.annotations({ description: "The gate rule that allowed them" }),
      latencyMs: optional(
        Milliseconds.annotations({
          description: "The mean time of a step's call, in ms; absent: unknown, as in imports",
        }),
      ),
      priorities: Schema.Record({ key: Schema.String, value: Schema.Finite }).annotations({
        description: "The priority of each sensor that is read, by its own name",
      }),
      begin: optional(Begin.annotations({ description: "The episode's beginning, in its first event" })),
      totals: optional(JsonObject.annotations({ description: "Totals of the return, in its last event" })),
      bytes: Schema.Int.pipe(Schema.between(0, MAX_COLUMN_BYTES)).annotations({
        description: "The size of the columns before compression",
      }),
      digest: Sha256.annotations({ description: "Digest of the columns before compression" }),
      columns: Schema.String.annotations({ description: "The columns, compressed, in base64" }),
    },
    { personal: { begin: { seed: 0, options: {}, state: null, readings: {} }, columns: "" } },
  ),
  eventType("RolloutEnded", "A rollout ended. Without this event, it can be continued.", {
    rolloutId,
    episodes: count.annotations({ description: "Episodes that ended" }),
    steps: count.annotations({ description: "Steps of all its episodes" }),
  }),
] as const
