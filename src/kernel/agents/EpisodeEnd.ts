/** Finds out from a command's outcome whether a world's episode is over, which ends the run of an agent. */

import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import type { CommandOutcome } from "../acting/Command.ts"
import { type StepResult, stepResultOf } from "../acting/WorldRewards.ts"
import type { Capabilities } from "../tasks/Capabilities.ts"

/** How the world ended an agent's run. */
export interface EpisodeEnd {
  readonly outcome: TaskOutcome
  readonly reason: string
}

/** What an agent got for a step, as far as it says whether its episode is over. */
export type Ending = Pick<StepResult, "terminated" | "truncated"> & { readonly outcome?: StepResult["outcome"] }

/** Whether a command's outcome looks like the last step of an episode. */
export const mayEnd = (outcome: CommandOutcome): boolean => {
  if (outcome.status !== "succeeded") return false
  const step = stepResultOf(outcome.result)
  return step?.terminated === true || step?.truncated === true
}

/** The end of the episode, if the command was a world's step and its last. */
export const of = ({ actuators }: Pick<Capabilities, "actuators">, outcome: CommandOutcome): EpisodeEnd | undefined => {
  if (outcome.status !== "succeeded") return undefined
  if (actuators.find(({ name }) => name === outcome.actuator)?.world !== true) return undefined
  const step = stepResultOf(outcome.result)
  return step === undefined ? undefined : endIn(step)
}

/**
 * How a task of several agents ends by the ends of their runs: `achieved` if one achieved its end, else `failed` if one
 * failed, else `truncated` if one was cut off; undefined if there is no such end.
 */
export const joint = (outcomes: ReadonlyArray<TaskOutcome>): TaskOutcome | undefined =>
  (["achieved", "failed", "truncated"] as const).find((each) => outcomes.includes(each))

/** How the episode ended for an agent that got this for a step; undefined if it goes on. */
export const endIn = (got: Ending): EpisodeEnd | undefined => {
  if (got.terminated) {
    return { outcome: got.outcome ?? "achieved", reason: "the episode ended by the world's rules" }
  }
  return got.truncated ? { outcome: "truncated", reason: "the episode came to its limit of steps" } : undefined
}
