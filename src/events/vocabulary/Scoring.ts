/** Event types of scoring: score sets, their rewards and punishments, and promotion. */

import { Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import { AgentId, eventType, optional, SHREDDED, Sha256 } from "./EventType.ts"

const scoreSetId = Schema.NonEmptyString
const measure = Schema.NonEmptyString.annotations({ description: "`plugin/measure`, or the rubric's own name for it" })

const verdict = {
  scoreSetId,
  measure,
  name: Schema.NonEmptyString.annotations({ description: "The reward's or punishment's name within the measure" }),
  weight: Schema.Finite,
  amount: Schema.NonNegative.annotations({
    description: "weight × occurrences; for a world's own reward, whose weight is 1, the reward",
  }),
  occurrences: optional(
    Schema.Positive.pipe(Schema.int()).annotations({
      description: "How often it happened, if not once per position in `because`",
    }),
  ),
  because: Schema.Array(Schema.NonNegative).annotations({
    description: "Positions of the events that made it true; one within a `StepsRecorded` is not whole",
  }),
  rationale: optional(Schema.String),
  agentId: optional(AgentId),
}

export const scoringEvents = [
  eventType(
    "ScoringStarted",
    "A scoring of tasks by one rubric and one critic began.",
    {
      scoreSetId,
      taskIds: Schema.Array(Schema.String),
      rubric: JsonObject,
      rubricDigest: Sha256,
      critic: Schema.NonEmptyString,
      criticDigest: Sha256,
      label: Schema.String,
      params: optional(JsonObject.annotations({ description: "How the critics were chosen, if not by rules alone" })),
      range: Schema.Struct({ from: Schema.Int, to: Schema.Int }).annotations({ description: "Positions read" }),
      replaces: optional(Schema.String),
    },
    { positions: ["range"] },
  ),
  eventType("RewardGiven", "A reward's condition held.", verdict, {
    personal: { rationale: SHREDDED },
    positions: ["because"],
  }),
  eventType("PunishmentGiven", "A punishment's condition held. The kernel subtracts its positive `amount`.", verdict, {
    personal: { rationale: SHREDDED },
    positions: ["because"],
  }),
  eventType(
    "MeasureUnscored",
    "Nobody could decide a reward or punishment.",
    {
      scoreSetId,
      measure,
      name: Schema.NonEmptyString,
      reason: Schema.String,
    },
    { personal: { reason: SHREDDED } },
  ),
  eventType("ScoringFinished", "A scoring is complete. `totals` holds earned, lost and net of every task.", {
    scoreSetId,
    totals: JsonObject,
  }),
  eventType("ScoreSetPromoted", "A pointer such as `official` now names this score set.", {
    pointer: Schema.NonEmptyString,
    scoreSetId,
  }),
] as const
