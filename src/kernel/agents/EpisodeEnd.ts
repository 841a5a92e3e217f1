/** Finds out from a command's outcome whether a world's episode is over, which ends the run of an agent. */

import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import type { CommandOutcome } from "../acting/Command.ts"
import { type StepResult, stepResultOf } from "../acting/WorldRewards.ts"
import type { Capabilities } from "../tasks/Capabilities.ts"

export interface EpisodeEnd {
  readonly outcome: TaskOutcome
  readonly reason: string
}

/** The part of a step's result that tells whether the episode is over. */
export type Ending = Pick<StepResult, "terminated" | "truncated"> & { readonly outcome?: StepResult["outcome"] }

/** Whether an outcome looks like the last step of an episode, whatever its actuator. */
export const mayEnd = (outcome: CommandOutcome): boolean => {
  if (outcome.status !== "succeeded") return false
  const step = stepResultOf(outcome.result)
  return step?.terminated === true || step?.truncated === true
}

export const of = ({ actuators }: Pick<Capabilities, "actuators">, outcome: CommandOutcome): EpisodeEnd | undefined => {
  if (outcome.status !== "succeeded") return undefined
  if (actuators.find(({ name }) => name === outcome.actuator)?.world !== true) return undefined
  const step = stepResultOf(outcome.result)
  return step === undefined ? undefined : endIn(step)
}

/**
 * The outcome of a task with several agents: the first of `achieved`, `failed` and `truncated` that any agent has;
 * otherwise undefined.
 */
export const joint = (outcomes: ReadonlyArray<TaskOutcome>): TaskOutcome | undefined =>
  (["achieved", "failed", "truncated"] as const).find((each) => outcomes.includes(each))

export const endIn = (got: Ending): EpisodeEnd | undefined => {
  if (got.terminated) {
    return { outcome: got.outcome ?? "achieved", reason: "the episode ended by the world's rules" }
  }
  return got.truncated ? { outcome: "truncated", reason: "the episode came to its limit of steps" } : undefined
}
