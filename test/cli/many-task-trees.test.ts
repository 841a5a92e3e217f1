/** Trees of as many tasks as a log may have. */
import { describe, expect, it } from "vitest"
import { arranged } from "../../src/cli/task/looking/TaskTrees.ts"
import type { Task } from "../../src/projections/state/Tasks.ts"

const task = (index: number, parent?: Task["parent"]) =>
  ({
    ...{ id: `t${index}`, from: index + 1, to: index + 1, steps: 1, goal: "Go", agent: "me@1", outcome: null },
    ...(parent === undefined ? {} : { parent }),
  }) as unknown as Task & { readonly id: string; readonly timeline?: string }

describe("trees of many tasks", () => {
  it("are arranged in one pass, where no task has another below it", () => {
    const tasks = Array.from({ length: 30_000 }, (_, index) => task(index))
    expect(arranged(tasks).map(({ id, depth, all }) => [id, depth, all.tasks])).toEqual(
      tasks.map(({ id }) => [id, 0, 1]),
    )
  })

  it("keep the tasks of forks apart from those on main", () => {
    const fork = { ...task(0), timeline: "fork" }
    const tasks = [task(0), task(1, { taskId: "t0" }), fork, task(2, { taskId: "t0", timeline: "fork" })]
    expect(arranged(tasks).map(({ id, timeline, depth }) => [id, timeline, depth])).toEqual([
      ["t0", undefined, 0],
      ["t1", undefined, 1],
      ["t0", "fork", 0],
      ["t2", undefined, 1],
    ])
    // Without the task on main, that of the fork has its own children all the same.
    expect(arranged(tasks.slice(1)).map(({ id, depth }) => [id, depth])).toEqual([
      ["t1", 0],
      ["t0", 0],
      ["t2", 1],
    ])
  })
})
