/** Plans a scoring: the order of tasks, and the ranges of the log to read. Pure. */

import type { TaskPart } from "../../events/log/EventLog.ts"
import { has } from "../../events/read/PartHash.ts"
import type { Task, Tasks } from "../../projections/state/Tasks.ts"

export interface PlannedTask {
  readonly taskId: string
  readonly from: number
  readonly to: number
  /** Closed within the range. */
  readonly closed: boolean
}

/** Reads all its events, or each task's events separately (`alone`). */
export interface ScanPart {
  readonly after: number
  readonly until: number
  /** In the order of their ends. */
  readonly tasks: ReadonlyArray<PlannedTask>
  readonly alone: boolean
  /** The part that its tasks belong to, so that the rest need not be read. */
  readonly part?: TaskPart
}

/**
 * Orders tasks by their ends. Tasks still open at the last position end there, in the order of their openings. Later
 * appends do not change the order.
 */
export const inOrder = (tasks: Tasks, taskIds: ReadonlyArray<string>, last: number): ReadonlyArray<PlannedTask> =>
  taskIds
    .flatMap((taskId): ReadonlyArray<PlannedTask> => {
      const task = Object.hasOwn(tasks, taskId) ? tasks[taskId] : undefined
      if (task === undefined) return []
      const closed = task.outcome !== null && task.to <= last
      return [{ taskId, from: task.from, to: closed ? task.to : last, closed }]
    })
    .sort((a, b) => a.to - b.to || Number(b.closed) - Number(a.closed) || a.from - b.from)

/** Larger gaps are worth a new query. */
const MAX_GAP = 1_000

/** Tasks are read separately if at most one in this many of a range is selected. */
const SPARSE_FACTOR = 4

/** Reads no event of a task twice, and skips gaps without tasks. */
export const parts = (tasks: Tasks, planned: ReadonlyArray<PlannedTask>): ReadonlyArray<ScanPart> => {
  const count = counter(Object.values(tasks))
  return mergedRanges(planned).map((range) => {
    const alone = range.tasks.length * SPARSE_FACTOR <= count(range.after + 1, range.until)
    return { ...range, alone }
  })
}

/** One range per task, in the listed order. */
export const oneByOne = (
  planned: ReadonlyArray<PlannedTask>,
  taskIds: ReadonlyArray<string>,
): ReadonlyArray<ScanPart> => {
  const byId = new Map(planned.map((task) => [task.taskId, task]))
  return taskIds.flatMap((taskId) => {
    const task = byId.get(taskId)
    return task === undefined ? [] : [{ after: task.from - 1, until: task.to, tasks: [task], alone: true }]
  })
}

/** The same for the tasks of a part alone. */
export const ofPart = (parts: ReadonlyArray<ScanPart>, part: TaskPart): ReadonlyArray<ScanPart> =>
  parts.flatMap(({ tasks: all, alone }) => {
    const tasks = all.filter(({ taskId }) => has(part, taskId))
    if (tasks.length === 0) return []
    const after = tasks.reduce((least, { from }) => Math.min(least, from - 1), Number.MAX_SAFE_INTEGER)
    const until = tasks.reduce((most, { to }) => Math.max(most, to), 0)
    return [{ after, until, tasks, alone, part }]
  })

/** The maximum number of positions to read. */
export const length = (parts: ReadonlyArray<ScanPart>): number =>
  parts.reduce((sum, { after, until }) => sum + until - after, 0)

/** Merges overlapping and neighbouring tasks, ordered by their ends. */
const mergedRanges = (planned: ReadonlyArray<PlannedTask>): ReadonlyArray<Omit<ScanPart, "alone">> => {
  const found: Array<{ after: number; until: number; tasks: Array<PlannedTask> }> = []
  for (const task of [...planned].sort((a, b) => a.from - b.from)) {
    const last = found.at(-1)
    if (last !== undefined && task.from - 1 <= last.until + MAX_GAP) {
      last.until = Math.max(last.until, task.to)
      last.tasks.push(task)
    } else found.push({ after: task.from - 1, until: task.to, tasks: [task] })
  }
  const ranks = new Map(planned.map((task, index) => [task, index]))
  const order = (task: PlannedTask) => ranks.get(task) ?? 0
  return found.map(({ tasks, ...range }) => ({ ...range, tasks: tasks.sort((a, b) => order(a) - order(b)) }))
}

const counter = (tasks: ReadonlyArray<Task>): ((first: number, last: number) => number) => {
  const openings = tasks.map(({ from }) => from).sort((a, b) => a - b)
  const ends = tasks.map(({ outcome, to }) => (outcome === null ? Number.MAX_SAFE_INTEGER : to)).sort((a, b) => a - b)
  return (first, last) => below(openings, last + 1) - below(ends, first)
}

const below = (numbers: ReadonlyArray<number>, limit: number): number => {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] ?? 0) < limit) low = middle + 1
    else high = middle
  }
  return low
}
