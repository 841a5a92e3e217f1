/** The score sets by which several tasks can be compared: one rubric and one critic for all of them. */

import { groupBy } from "../../values/groupBy.ts"
import * as CountingScore from "../report/CountingScore.ts"
import type { ScoredBy } from "../report/TaskScores.ts"

export type { ScoredBy }

/** A rubric and its critic, by which several tasks can be compared. */
export interface CommonScore {
  /** The labels of its sets, without repetition. */
  readonly labels: ReadonlyArray<string>
  readonly rubric: string
  readonly critic: string
  /** Its score set for each task, in their order; null for a task without one. */
  readonly sets: ReadonlyArray<string | null>
  /** For each task, whether that set still runs, or was interrupted. */
  readonly unfinished: ReadonlyArray<boolean>
  /** All of its sets, each of which names it in a link. */
  readonly all: ReadonlyArray<string>
}

/**
 * The score sets of several tasks, grouped by rubric and critic. The score of two tasks is comparable only within one
 * group. Groups that score more of the tasks come first, then newer ones.
 */
export const of = (tasks: ReadonlyArray<ReadonlyArray<ScoredBy>>): ReadonlyArray<CommonScore> => {
  const groups = groupBy(tasks.flat(), ({ rubricDigest, critic }) => [JSON.stringify([rubricDigest, critic])])
  return [...groups.values()]
    .map((rows) => ({ choice: choiceOf(rows, tasks), newest: Math.max(...rows.map(({ position }) => position)) }))
    .sort((a, b) => coverageOf(b.choice) - coverageOf(a.choice) || b.newest - a.newest)
    .map(({ choice }) => choice)
}

/**
 * The group to compare by: the one with a wanted set; or among those that score the most tasks, the one of the first
 * task's counting set; or the first. Null if no task is scored.
 *
 * @param counting the set that counts for each task, if any
 */
export const chosen = (
  choices: ReadonlyArray<CommonScore>,
  wanted: ReadonlyArray<string>,
  counting: ReadonlyArray<string | undefined>,
): CommonScore | null => {
  const byWanted = choices.find(({ all }) => all.some((set) => wanted.includes(set)))
  if (byWanted !== undefined) return byWanted
  const best = choices.filter((choice) => coverageOf(choice) === coverageOf(choices[0]))
  return best.find(({ sets }) => counting.some((set) => set !== undefined && sets.includes(set))) ?? best[0] ?? null
}

const coverageOf = (choice: CommonScore | undefined): number => choice?.sets.filter((set) => set !== null).length ?? 0

const choiceOf = (rows: ReadonlyArray<ScoredBy>, tasks: ReadonlyArray<ReadonlyArray<ScoredBy>>): CommonScore => {
  const own = tasks.map((sets) => preferred(sets.filter((row) => rows.includes(row))))
  const [first] = rows
  return {
    labels: [...new Set(own.flatMap((row) => row?.label ?? []))],
    rubric: first?.rubric ?? "",
    critic: first?.critic ?? "",
    sets: own.map((row) => row?.set ?? null),
    unfinished: own.map((row) => row !== undefined && !row.finished),
    all: [...new Set(rows.map(({ set }) => set))],
  }
}

/** Of sets with the same rubric and critic: an official one, else the newest finished one, else the newest. */
const preferred = (rows: ReadonlyArray<ScoredBy>): ScoredBy | undefined =>
  rows.find(({ finished, pointers }) => finished && pointers.includes(CountingScore.OFFICIAL)) ??
  rows.findLast(({ finished }) => finished) ??
  rows.at(-1)
