/** Arranges listed tasks as trees: each task before the ones that it started, with the sums of all below it. */
import { MAIN } from "../../../events/log/EventLog.ts"
import * as TaskModelUse from "../../../projections/state/TaskModelUse.ts"
import * as TaskTree from "../../../projections/tree/TaskTree.ts"
import { defined } from "../../../values/defined.ts"
import type { ListedTask } from "./ShownTasks.ts"

/** Sums of a task and the tasks below it, each counted once. */
export interface Below {
  /** The number of tasks, this one included. */
  readonly tasks: number
  readonly steps: number
  readonly model?: TaskModelUse.TaskModelUse
}

/** A listed task with its place in its tree. */
export type TreeTask<Task extends ListedTask> = Task & {
  /** 0 for a task that no listed one started. */
  readonly depth: number
  readonly all: Below
}

/** Each task that no listed one started, in the given order, followed by the listed tasks below it. */
export const arranged = <Task extends ListedTask>(tasks: ReadonlyArray<Task>): ReadonlyArray<TreeTask<Task>> => {
  const byPlace = new Map(tasks.map((task) => [keyOf(task.id, task.timeline), task]))
  const onMain = ({ timeline = MAIN }: Task) => timeline === MAIN
  const inOrder = [...tasks.filter((task) => !onMain(task)), ...tasks.filter(onMain)]
  // The task of a fork may not be on `main`: its parent there gives its place.
  const below = TaskTree.families<Task>(Object.fromEntries(inOrder.map((task) => [task.id, task])))
  const isBelow = (task: Task) => {
    const { id, from, parent } = task
    if (parent === undefined || !onMain(task)) return false
    const listed = byPlace.get(keyOf(parent.taskId, parent.timeline))
    return listed !== undefined && listed.id !== id && listed.from < from
  }
  return tasks
    .filter((task) => !isBelow(task))
    .flatMap((top) => {
      const family = [
        { task: top, depth: 0 },
        ...below({ taskId: top.id, ...defined({ timeline: top.timeline }) }).filter(({ task }) => onMain(task)),
      ]
      return family.map(({ task, depth }, index): TreeTask<Task> => {
        const end = family.findIndex((other, at) => at > index && other.depth <= depth)
        const own = family.slice(index, end === -1 ? undefined : end).map(({ task }) => task)
        const model = TaskModelUse.sum(own.map(({ model }) => model))
        const steps = own.reduce((sum, { steps }) => sum + steps, 0)
        return { ...task, depth, all: { tasks: own.length, steps, ...defined({ model }) } }
      })
    })
}

const keyOf = (taskId: string, timeline = MAIN): string => JSON.stringify([taskId, timeline])
