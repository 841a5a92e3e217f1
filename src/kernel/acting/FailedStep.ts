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
 * The world's result is invalid, or the process received the call and did not answer. A replay knows a failure by its
 * code alone.
 */
const MAY_BE_TAKEN: ReadonlySet<string> = new Set([
  ...OF_ANSWERS,
  ...["PluginExited", "PluginStuck", "CallTimedOut", "AnswerInvalid"],
])

const TAKEN: ReadonlySet<string> = new Set(OF_ANSWERS)

/**
 * Advice for the agent, next to the error of a failed command: do not repeat a step that was or may have been taken.
 * The event contains only the error.
 */
export const advice = (code: string): string | undefined => {
  if (TAKEN.has(code))
    return "The step was taken; only its result is missing. Do not repeat it: look at the state first."
  return MAY_BE_TAKEN.has(code)
    ? "It may have been done, although it failed. Find out before you repeat it."
    : undefined
}

/** The rewards of a failed step are unknown, unless the world refused it. */
export const rewardsAfter = (failure: PluginFailure, asked: ReadonlyArray<TakenStep>): ReadonlyArray<CoreNewEvent> =>
  MAY_BE_TAKEN.has(failureOf(failure).code) ? asked.map(unknownReward) : []
