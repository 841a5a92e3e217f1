/** Checks the answers of a world's `step`. */

import type { JsonObject } from "../../author.ts"
import { inspect } from "../Captured.ts"
import { refusal } from "./Refusal.ts"

/** An agent's checked step: the result of its command. */
export interface AgentStep {
  /** The sum of `rewards`. */
  readonly reward: number
  readonly rewards: { readonly [name: string]: number }
  readonly terminated: boolean
  readonly truncated: boolean
  readonly outcome?: "achieved" | "failed"
  readonly info: JsonObject
}

/** Maximum reward per name and step, so that returns do not overflow. */
const MAX_REWARD = 1e15

const FIELDS: ReadonlyArray<string> = ["reward", "terminated", "truncated", "outcome", "info"]

/** The name of an unnamed reward. */
const REWARD = "reward"

/** The step of an agent that the world did not mention. */
export const NOTHING: AgentStep = { reward: 0, rewards: {}, terminated: false, truncated: false, info: {} }

/**
 * Fills in defaults. Throws `InvalidReward`, `InvalidFlag`, `InvalidStepInfo` or, for other mistakes, `InvalidStep`.
 */
export const checkStep = (agent: string, step: unknown): AgentStep => {
  const wrong = (where: string, expected: string, found: unknown, code = "InvalidStep"): Error =>
    refusal(code, `the step of ${agent}${where}: expected ${expected}, found ${inspect(found).slice(0, 100)}`)
  if (!isRecord(step) || step.reward === undefined) throw wrong("", "an object with a reward", step)
  for (const field of Object.keys(step)) {
    if (!FIELDS.includes(field)) {
      throw wrong("", "the fields reward, terminated, truncated, outcome and info", `${field} besides`)
    }
  }
  const { reward, terminated = false, truncated = false, outcome, info = {} } = step
  const rewards = isRecord(reward) ? reward : { [REWARD]: reward }
  let sum = 0
  for (const name of Object.keys(rewards)) {
    const value = rewards[name]
    if (name === "") throw wrong("/reward", "rewards with names", "one without", "InvalidReward")
    if (typeof value !== "number" || !(Math.abs(value) <= MAX_REWARD)) {
      throw wrong(`/reward/${name}`, `a finite number of at most ${MAX_REWARD}`, value, "InvalidReward")
    }
    sum += value
  }
  if (typeof terminated !== "boolean") throw wrong("/terminated", "true or false", terminated, "InvalidFlag")
  if (typeof truncated !== "boolean") throw wrong("/truncated", "true or false", truncated, "InvalidFlag")
  if (outcome !== undefined && outcome !== "achieved" && outcome !== "failed") {
    throw wrong("/outcome", "achieved or failed", outcome)
  }
  if (!isRecord(info)) throw wrong("/info", "an object", info, "InvalidStepInfo")
  const given = { reward: sum, rewards: rewards as AgentStep["rewards"], terminated, truncated }
  return outcome === undefined || !terminated
    ? { ...given, info: info as JsonObject }
    : { ...given, outcome, info: info as JsonObject }
}

export const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)
