/** Classifies failures of a world's step: a step without a valid result may still have been taken. */

import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import { failureOf, type PluginFailure } from "../instances/PluginFailure.ts"
import { type TakenStep, unknownReward } from "./WorldRewards.ts"

/** Error codes of the runner for a world that took a step and returned an invalid result. */
export const OF_ANSWERS = [
  "InvalidStep",
  "InvalidReward",
  "InvalidFlag",
  "InvalidStepInfo",
  "NoSuchAgentInStep",
] as const

/**
 * Codes after which a step may have been taken: the result is invalid, or the process received the call and did not
 * answer. A replay knows a failure by its code alone.
 */
const MAY_BE_TAKEN: ReadonlySet<string> = new Set([
  ...OF_ANSWERS,
  ...["PluginExited", "PluginStuck", "CallTimedOut", "AnswerInvalid"],
])

const TAKEN: ReadonlySet<string> = new Set(OF_ANSWERS)

/**
 * The advice that an agent receives next to the error of a failed command, so that it does not repeat a step that was
 * taken; undefined if the failure excludes that. The event holds the failure alone.
 */
export const advice = (code: string): string | undefined => {
  if (TAKEN.has(code))
    return "The step was taken; only its result is missing. Do not repeat it: look at the state first."
  return MAY_BE_TAKEN.has(code)
    ? "It may have been done, although it failed. Find out before you repeat it."
    : undefined
}

/** The reward events after a failed step: unknown rewards, or none if the world refused the step. */
export const rewardsAfter = (failure: PluginFailure, asked: ReadonlyArray<TakenStep>): ReadonlyArray<CoreNewEvent> =>
  MAY_BE_TAKEN.has(failureOf(failure).code) ? asked.map(unknownReward) : []
