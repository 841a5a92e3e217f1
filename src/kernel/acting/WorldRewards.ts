/**
 * The rewards of a world, as a score set of their own in the task. They can be any number, so they are never added to
 * the weights of measures, from 0 to 1.
 */

import { Schema } from "effect"
import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import { given, started, type TakenStep } from "../../events/steps/ReturnEvents.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { optional } from "../../events/vocabulary/EventType.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { LABEL, scoreSetOf } from "../../projections/state/WorldReturn.ts"
import { type Json, JsonObject } from "../../values/Json.ts"
import * as SchemaPredicate from "../../values/schema/SchemaPredicate.ts"

export { started, type TakenStep } from "../../events/steps/ReturnEvents.ts"

/** The start of the score set, if a crash or a fork point at `at` cut it off after the world's reset. */
export const missingStart = (taskId: string, at: number, past: ReadonlyArray<Event>): ReadonlyArray<CoreNewEvent> =>
  past.some(
    (event) => event.position <= at && is(event, "ScoringStarted") && event.payload.scoreSetId === scoreSetOf(taskId),
  )
    ? []
    : [started(taskId, at)]

/** Larger rewards would break sums of returns; the runner refuses them. */
const Reward = Schema.Finite.pipe(Schema.between(-1e15, 1e15))

const Got = Schema.Struct({
  rewards: Schema.Record({ key: Schema.NonEmptyString, value: Reward }),
  terminated: Schema.Boolean,
  truncated: Schema.Boolean,
  outcome: optional(Schema.Literal("achieved", "failed")),
})

/** `others` holds agents that did not act and still received something. */
export const StepResult = Schema.Struct({
  ...Got.fields,
  reward: Schema.Finite,
  info: JsonObject,
  others: optional(Schema.Record({ key: Schema.String, value: Got })),
})

export type StepResult = typeof StepResult.Type

const isStepResult = SchemaPredicate.is(StepResult)

export const stepResultOf = (result: Json): StepResult | undefined => (isStepResult(result) ? result : undefined)

/** Results by agent. */
export type Gotten = { readonly [agentId: string]: typeof Got.Type }

const isGot = Schema.is(Got)

export const gottenIn = (steps: { readonly [agentId: string]: Json }): Gotten =>
  Object.fromEntries(Object.entries(steps).flatMap(([agentId, step]) => (isGot(step) ? [[agentId, step]] : [])))

/** A reward of 0 has no event. */
export const rewardsOf = (step: TakenStep, result: Json): ReadonlyArray<CoreNewEvent> => {
  const found = stepResultOf(result)
  if (found === undefined) return []
  const { rewards, others = {} } = found
  return [
    ...given(step, rewards),
    ...Object.entries(others).flatMap(([agentId, other]) => given({ ...step, agentId }, other.rewards)),
  ]
}

/** The reward is unknown, not 0. */
export const unknownReward = ({ taskId, plugin, agentId }: TakenStep): CoreNewEvent => ({
  type: "MeasureUnscored",
  payload: {
    scoreSetId: scoreSetOf(taskId),
    measure: `${plugin}/${LABEL}`,
    name: "step",
    reason: `what a step${agentId === undefined ? "" : ` of ${agentId}`} gave is not recorded`,
  },
})
