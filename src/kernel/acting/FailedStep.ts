/** What a failure of a call to step a world says of the step: it may have been taken, although it has no result. */

import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import type { Failure } from "../../events/vocabulary/EventType.ts"
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

/** The failures of a call that its plugin had: whether it took effect is not known. */
const IN_DOUBT: ReadonlySet<string> = new Set(["PluginExited", "PluginStuck", "CallTimedOut", "AnswerInvalid"])

const isTaken = (failure: PluginFailure): boolean =>
  failure._tag === "CallFailed" && OF_ANSWERS.some((code) => code === failure.error.code)

/** What is recorded as the rewards of steps that a world was asked to take: nobody knows them, unless the world refused. */
export const rewardsAfter = (failure: PluginFailure, asked: ReadonlyArray<TakenStep>): ReadonlyArray<CoreNewEvent> =>
  isTaken(failure) || IN_DOUBT.has(failure._tag) ? asked.map(unknownReward) : []

/** The failure that the log records. It says where the step was taken, so that nobody takes it for refused and repeats it. */
export const failureOfStep = (failure: PluginFailure): Failure => {
  const recorded = failureOf(failure)
  return isTaken(failure) ? { ...recorded, message: `${recorded.message}. The world had taken the step.` } : recorded
}
