/** The score sets by which several tasks can be compared: one rubric and one critic for all of them. */

import { groupBy } from "../../values/groupBy.ts"
import type { CommonScore } from "../wire/Scoring.ts"
import type { ScoreSetRow } from "../wire/Task.ts"

/**
 * The score sets of several tasks, grouped by rubric and critic. The score of two tasks is comparable only within one
 * group. Groups that score more of the tasks come first, then newer ones.
 */
export const of = (tasks: ReadonlyArray<ReadonlyArray<ScoreSetRow>>): ReadonlyArray<CommonScore> => {
  const groups = groupBy(tasks.flat(), ({ rubricDigest, critic }) => [JSON.stringify([rubricDigest, critic])])
  return [...groups.values()]
    .map((rows) => ({ choice: choiceOf(rows, tasks), newest: Math.max(...rows.map(({ position }) => position)) }))
    .sort((a, b) => coverageOf(b.choice) - coverageOf(a.choice) || b.newest - a.newest)
    .map(({ choice }) => choice)
}

/**
 * The group to compare by: the one with the wanted set; else, among those that score the most tasks, the one of the
 * first task's counting set; else the first. Null if no task is scored.
 *
 * @param counting the set that counts for each task, if any
 */
export const chosen = (
  choices: ReadonlyArray<CommonScore>,
  wanted: string | undefined,
  counting: ReadonlyArray<string | undefined>,
): CommonScore | null => {
  const byWanted = choices.find(({ all }) => wanted !== undefined && all.includes(wanted))
  if (byWanted !== undefined) return byWanted
  const best = choices.filter((choice) => coverageOf(choice) === coverageOf(choices[0]))
  return best.find(({ sets }) => counting.some((set) => set !== undefined && sets.includes(set))) ?? best[0] ?? null
}

const coverageOf = (choice: CommonScore | undefined): number => choice?.sets.filter((set) => set !== null).length ?? 0

const choiceOf = (rows: ReadonlyArray<ScoreSetRow>, tasks: ReadonlyArray<ReadonlyArray<ScoreSetRow>>): CommonScore => {
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
const preferred = (rows: ReadonlyArray<ScoreSetRow>): ScoreSetRow | undefined =>
  rows.find(({ finished, pointers }) => finished && pointers.includes("official")) ??
  rows.findLast(({ finished }) => finished) ??
  rows.at(-1)
