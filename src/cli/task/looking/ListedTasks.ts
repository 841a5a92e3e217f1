/** The tasks that lists show: those of `main` first, then those of forks. */
import { Effect } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import { Projector } from "../../../projections/projector/Projector.ts"
import * as ForkedTasks from "../../../projections/state/ForkedTasks.ts"
import * as TaskList from "../../../projections/state/TaskList.ts"
import * as Tasks from "../../../projections/state/Tasks.ts"
import type { ListedTask } from "./ShownTasks.ts"

/** Tasks, those of `main` first. `earlier` tells whether the list leaves some out. */
export interface ListedTasks {
  readonly tasks: ReadonlyArray<ListedTask>
  readonly earlier: boolean
}

export const all = Effect.gen(function* () {
  const tasks = yield* (yield* Projector).current(Tasks.projection)
  return listed(Object.entries(tasks), yield* ForkedTasks.list, false)
})

/** The newest tasks of `main`, and as many of forks. */
export const newest = (limit: number) =>
  Effect.gen(function* () {
    const { tasks, earlier } = yield* TaskList.newest(yield* EventLog, yield* Projector, limit)
    const forks = yield* ForkedTasks.list
    return listed(tasks, forks.slice(-limit), earlier || forks.length > limit)
  })

const listed = (
  tasks: ReadonlyArray<readonly [id: string, task: Tasks.Task]>,
  forks: ReadonlyArray<ForkedTasks.ForkedTask>,
  earlier: boolean,
): ListedTasks => ({
  tasks: [
    ...tasks.map(([id, task]) => ({ id, ...task })),
    ...forks.map(({ taskId, timeline, task }) => ({ id: taskId, timeline, ...task })),
  ],
  earlier,
})
