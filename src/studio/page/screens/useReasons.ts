/** Why the visible tasks of a list ended badly, as a hook. The rows do not wait for it. */
import { useEffect, useRef } from "preact/hooks"
import { isBad } from "../../../projections/summary/Activity.ts"
import type { TaskRow } from "../../wire/Task.ts"
import { useAnswer } from "../parts/useAnswer.ts"

/** Maximum number of tasks in one request. */
const MOST = 100

/** Returns a task's sentence; undefined for tasks that stand well, and until it is known. */
export const useReasons = (
  timeline: string,
  scores: string,
  tasks: ReadonlyArray<TaskRow>,
): ((task: TaskRow) => string | undefined) => {
  const known = useRef(new Map<string, string>())
  const keyOf = ({ id, to }: TaskRow) => JSON.stringify([timeline, scores, id, to])
  const lacking = tasks.filter((task) => isBad(task) && !known.current.has(keyOf(task))).slice(0, MOST)
  const ids = lacking.map(({ id }) => id)
  const { answer } = useAnswer("reasons", ids.length === 0 ? null : { timeline, scores, tasks: JSON.stringify(ids) })
  const sentences = new Map(answer?.map(({ id, sentence }) => [id, sentence]))
  useEffect(() => {
    for (const task of lacking) {
      const sentence = sentences.get(task.id)
      if (sentence !== undefined) known.current.set(keyOf(task), sentence)
    }
  })
  return (task) => known.current.get(keyOf(task)) ?? sentences.get(task.id)
}
