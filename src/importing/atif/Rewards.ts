/** Files that Harbor writes near a trajectory: the verifier's rewards and the trial's result. */

import { field, isObject, parsed, textOf } from "../runs/Untrusted.ts"
import type { SourceFile } from "../Source.ts"

const RESULT = "../result.json"
const REWARDS = "../verifier/reward.json"
const REWARD = "../verifier/reward.txt"

/** A trial is a directory with `agent/trajectory.json`, `verifier/` and `result.json`. */
export const COMPANIONS = [RESULT, REWARDS, REWARD, "reward.json", "reward.txt"]

/** `value` is null if it is no number. */
export interface Reward {
  readonly name: string
  readonly value: number | null
}

/** The rewards in the trial's result, otherwise in the verifier's files. */
export const rewardsOf = ({ beside }: Pick<SourceFile, "beside">): ReadonlyArray<Reward> => {
  const result = field(field(parsed(beside(RESULT) ?? ""), "verifier_result"), "rewards")
  const named = [result, parsed(beside(REWARDS) ?? ""), parsed(beside("reward.json") ?? "")].find(isObject)
  if (named !== undefined) return Object.entries(named).map(([name, value]) => ({ name, value: numberIn(value) }))
  const text = beside(REWARD) ?? beside("reward.txt")
  return text === undefined || text.trim() === "" ? [] : [{ name: "reward", value: numberIn(text.trim()) }]
}

const numberIn = (value: unknown): number | null => {
  const number = typeof value === "string" ? Number(value) : value
  return typeof number === "number" && Number.isFinite(number) ? number : null
}

/** Why the trial failed according to its result; undefined if it did not. */
export const failureOf = ({ beside }: Pick<SourceFile, "beside">): string | undefined => {
  const exception = field(parsed(beside(RESULT) ?? ""), "exception_info")
  if (!isObject(exception)) return undefined
  const [type, message] = [textOf(exception, "exception_type"), textOf(exception, "exception_message")]
  return [type, message].filter((text) => text !== undefined).join(": ") || "the trial failed"
}
