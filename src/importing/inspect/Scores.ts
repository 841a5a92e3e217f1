/** Converts a sample's scores to numbers. */

import type { MappedRun } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { field, isObject, nameFrom, textOf } from "../runs/Untrusted.ts"
import { resolved } from "./Messages.ts"

/** Adds each scorer's scores to its score set; a scorer with several values gets one for each. */
export const addScores = (runs: MappedRuns, run: MappedRun, sample: unknown, attachments: unknown): void => {
  const scores = field(sample, "scores")
  if (!isObject(scores)) return
  for (const [scorer, score] of Object.entries(scores)) {
    const value = field(score, "value")
    const explained = [textOf(score, "answer"), textOf(score, "explanation")]
      .filter((text) => text !== undefined)
      .join("\n")
    const rationale = explained === "" ? null : String(resolved(explained, attachments))
    const values = isObject(value) ? Object.entries(value) : [[scorer, value] as const]
    for (const [name, one] of values)
      runs.score({ taskId: run.taskId, scorer, name: nameFrom(name), value: scoreOf(one), rationale })
  }
}

/**
 * The outcome that a sample's scorers agree on: `achieved` if each says 1, `failed` if each says 0. Otherwise
 * `finished`, since other scales and other answers do not say whether the goal was reached.
 */
export const judgedBy = (sample: unknown): "achieved" | "failed" | "finished" => {
  const scores = field(sample, "scores")
  const values = isObject(scores) ? Object.values(scores).map((score) => scoreOf(field(score, "value"))) : []
  if (values.length === 0) return "finished"
  if (values.every((value) => value === 1)) return "achieved"
  return values.every((value) => value === 0) ? "failed" : "finished"
}

/** A score's number, as Inspect's own metrics read it; null if it has none. */
export const scoreOf = (value: unknown): number | null => {
  if (typeof value === "number") return Number.isFinite(value) ? value : null
  if (typeof value === "boolean") return value ? 1 : 0
  if (typeof value !== "string") return null
  const known = WORDS.get(value) ?? WORDS.get(value.toLowerCase())
  if (known !== undefined) return known
  const number = value.trim() === "" ? Number.NaN : Number(value)
  return Number.isFinite(number) ? number : null
}

const WORDS = new Map<string, number>([
  ["C", 1],
  ["P", 0.5],
  ["I", 0],
  ["N", 0],
  ["yes", 1],
  ["true", 1],
  ["no", 0],
  ["false", 0],
])
