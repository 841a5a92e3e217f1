/** The scores of tasks by the totals of their score sets, for lists: reads no verdicts. */

import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as Rubric from "../audit/Rubric.ts"
import type { ScoreSets } from "../state/ScoreSets.ts"
import type { ScoreChoice } from "./ScoreChoice.ts"

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

/** A task's score by one score set. */
export interface TaskScore {
  /** The id of the score set. */
  readonly set: string
  /** `live`, or another label. */
  readonly label: string
  readonly earned: number
  readonly lost: number
  readonly net: number
  /** The sum of the weights of the rubric's rewards. */
  readonly possible: number
}

/** A score set that judged a task, with the task's totals: 0 while it is unfinished. */
export type ScoredTask = ScoredBy & TaskScore

/** The score sets that judged a task, in order of their start. */
export const setsOf = (known: ScoreSets, taskId: string): ReadonlyArray<ScoredTask> =>
  (idsByTask(known).get(taskId) ?? [])
    .flatMap((id): ReadonlyArray<ScoredTask> => {
      const set = SafeRecord.get(known.sets, id)
      if (set === undefined) return []
      const { label, critic, rubricDigest, startedAt, finished } = set
      const totals = set.totals === null ? undefined : SafeRecord.get(set.totals, taskId)
      const rubric = SafeRecord.get(known.rubrics, rubricDigest)
      const name = rubric?.name
      const row = {
        ...{ set: id, label, critic, rubric: typeof name === "string" ? name : "", rubricDigest, finished },
        possible: rubric === undefined ? 0 : possibleIn(rubric),
        pointers: Object.keys(known.pointers).filter((pointer) => known.pointers[pointer] === id),
        position: startedAt,
      }
      return [{ ...row, earned: amount(totals, "earned"), lost: amount(totals, "lost"), net: amount(totals, "net") }]
    })
    .sort((a, b) => a.position - b.position)

/** The task's score by the choice; null if no finished scoring of the choice covers it. */
export const of = (known: ScoreSets, taskId: string, choice: ScoreChoice): TaskScore | null => {
  const chosen = choice.pick(setsOf(known, taskId).map((row) => ({ ...row, scoreSetId: row.set })))
  if (chosen === null) return null
  const { set, label, earned, lost, net, possible } = chosen
  return { set, label, earned, lost, net, possible }
}

const amount = (totals: Json | undefined, of: "earned" | "lost" | "net"): number => {
  const found = isObject(totals) ? totals[of] : undefined
  return typeof found === "number" ? found : 0
}

/** The reward that a rubric makes possible, computed once: many score sets share one rubric. */
const possibleIn = (rubric: JsonObject): number => {
  const known = possibleByRubric.get(rubric)
  if (known !== undefined) return known
  const possible = Rubric.possibleOf(Rubric.measuresOf(rubric))
  possibleByRubric.set(rubric, possible)
  return possible
}

const possibleByRubric = new WeakMap<JsonObject, number>()

/** The ids of each task's score sets, computed once per state. */
const idsByTask = ({ sets }: ScoreSets): ReadonlyMap<string, ReadonlyArray<string>> => {
  const known = idsBySets.get(sets)
  if (known !== undefined) return known
  const ids = new Map<string, Array<string>>()
  for (const [id, { taskIds }] of Object.entries(sets)) {
    for (const taskId of taskIds) {
      const found = ids.get(taskId)
      if (found === undefined) ids.set(taskId, [id])
      else found.push(id)
    }
  }
  idsBySets.set(sets, ids)
  return ids
}

const idsBySets = new WeakMap<object, ReadonlyMap<string, ReadonlyArray<string>>>()
