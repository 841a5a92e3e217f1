/** What a failure of a call to step a world says of the step: it may have been taken, although it has no result. */

import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import { failureOf, type PluginFailure } from "../instances/PluginFailure.ts"
import { type TakenStep, unknownReward } from "./WorldRewards.ts"

/** The codes by which the runner says that a world took a step, and answered it with what is no step. */
export const OF_ANSWERS = [
  "InvalidStep",
  "InvalidReward",
  "InvalidFlag",
  "InvalidStepInfo",
  "NoSuchAgentInStep",
] as const

/**
 * The codes of failures after which a step may have been taken: its answer is none, or its process had the call and gave no answer. A
 * replay knows a failure by its code alone.
 */
const MAY_BE_TAKEN: ReadonlySet<string> = new Set([
  ...OF_ANSWERS,
  ...["PluginExited", "PluginStuck", "CallTimedOut", "AnswerInvalid"],
])

const TAKEN: ReadonlySet<string> = new Set(OF_ANSWERS)

/**
 * What an agent is told of a command that failed with this code, next to its error, so that it does not repeat what was done; undefined
 * where the failure says that nothing was. The event has the failure alone, as the world or the plugin said it.
 */
export const advice = (code: string): string | undefined => {
  if (TAKEN.has(code))
    return "The step was taken; only its result is missing. Do not repeat it: look at the state first."
  return MAY_BE_TAKEN.has(code)
    ? "It may have been done, although it failed. Find out before you repeat it."
    : undefined
}

/** What is recorded as the rewards of steps that a world was asked to take: nobody knows them, unless the world refused. */
export const rewardsAfter = (failure: PluginFailure, asked: ReadonlyArray<TakenStep>): ReadonlyArray<CoreNewEvent> =>
  MAY_BE_TAKEN.has(failureOf(failure).code) ? asked.map(unknownReward) : []
