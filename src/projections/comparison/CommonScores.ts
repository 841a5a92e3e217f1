/** The score sets by which several tasks can be compared: one rubric and one critic for all of them. */

import { groupBy } from "../../values/groupBy.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { ScoreSets } from "../state/ScoreSets.ts"

/** A score set that judged a task. */
export interface ScoredBy {
  /** Its id. */
  readonly set: string
  /** `live`, or another label. */
  readonly label: string
  readonly critic: string
  /** The rubric's name, which may be empty. */
  readonly rubric: string
  /** Identifies the rubric: two of one name may differ. */
  readonly rubricDigest: string
  /** Pointers to the set, such as `official`. */
  readonly pointers: ReadonlyArray<string>
  /** The position of its start. */
  readonly position: number
  readonly finished: boolean
}

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

/** The score sets that judged a task, in order of their start. */
export const setsOf = ({ sets, rubrics, pointers }: ScoreSets, taskId: string): ReadonlyArray<ScoredBy> =>
  Object.entries(sets)
    .filter(([, { taskIds }]) => taskIds.includes(taskId))
    .map(([set, { label, critic, rubricDigest, startedAt, finished }]) => {
      const name = SafeRecord.get(rubrics, rubricDigest)?.name
      return {
        set,
        label,
        critic,
        rubric: typeof name === "string" ? name : "",
        rubricDigest,
        pointers: Object.keys(pointers).filter((pointer) => pointers[pointer] === set),
        position: startedAt,
        finished,
      }
    })
    .sort((a, b) => a.position - b.position)

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
 * The group to compare by: the one with a wanted set; else, among those that score the most tasks, the one of the
 * first task's counting set; else the first. Null if no task is scored.
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
  rows.find(({ finished, pointers }) => finished && pointers.includes("official")) ??
  rows.findLast(({ finished }) => finished) ??
  rows.at(-1)
