import type { Task, Tasks } from "../../projections/state/Tasks.ts"

/** A task that is to be scored: where it was opened, and where it ends as far as the scoring reads. */
export interface Planned {
  readonly taskId: string
  readonly from: number
  readonly to: number
  /** Whether it was closed by then. */
  readonly closed: boolean
}

/** A stretch of the log that is read once: all of it, or of it the events of each task by themselves. */
export interface ScanPart {
  readonly after: number
  readonly until: number
  /** In the order in which they end. */
  readonly tasks: ReadonlyArray<Planned>
  readonly alone: boolean
}

/**
 * Tasks in the order in which they are scored: as they end. Those that are not closed by the last position end there, in
 * the order in which they were opened. It is the same order whatever has been appended since.
 */
export const inOrder = (tasks: Tasks, taskIds: ReadonlyArray<string>, last: number): ReadonlyArray<Planned> =>
  taskIds
    .flatMap((taskId): ReadonlyArray<Planned> => {
      const task = Object.hasOwn(tasks, taskId) ? tasks[taskId] : undefined
      if (task === undefined) return []
      const closed = task.outcome !== null && task.to <= last
      return [{ taskId, from: task.from, to: closed ? task.to : last, closed }]
    })
    .sort((a, b) => a.to - b.to || Number(b.closed) - Number(a.closed) || a.from - b.from)

/** Events between two tasks that are read along: cheaper than to ask anew. */
const NEAR = 1_000

/** Where fewer than one in so many tasks of a stretch are to be scored, each is read by itself. */
const FEW = 4

/** Divides what there is to read. No event of a task is read twice, and what no task needs is not read. */
export const parts = (tasks: Tasks, planned: ReadonlyArray<Planned>): ReadonlyArray<ScanPart> => {
  const count = counter(Object.values(tasks))
  return stretches(planned).map((stretch) => {
    const alone = stretch.tasks.length * FEW <= count(stretch.after + 1, stretch.until)
    return { ...stretch, alone }
  })
}

/** Each task by itself, in the order in which they are listed. */
export const oneByOne = (planned: ReadonlyArray<Planned>, taskIds: ReadonlyArray<string>): ReadonlyArray<ScanPart> => {
  const byId = new Map(planned.map((task) => [task.taskId, task]))
  return taskIds.flatMap((taskId) => {
    const task = byId.get(taskId)
    return task === undefined ? [] : [{ after: task.from - 1, until: task.to, tasks: [task], alone: true }]
  })
}

/** How many positions are read, at most. */
export const length = (parts: ReadonlyArray<ScanPart>): number =>
  parts.reduce((sum, { after, until }) => sum + until - after, 0)

/** Overlapping and neighbouring tasks, in the order of their ends. */
const stretches = (planned: ReadonlyArray<Planned>): ReadonlyArray<Omit<ScanPart, "alone">> => {
  const found: Array<{ after: number; until: number; tasks: Array<Planned> }> = []
  for (const task of [...planned].sort((a, b) => a.from - b.from)) {
    const last = found.at(-1)
    if (last !== undefined && task.from - 1 <= last.until + NEAR) {
      last.until = Math.max(last.until, task.to)
      last.tasks.push(task)
    } else found.push({ after: task.from - 1, until: task.to, tasks: [task] })
  }
  const place = new Map(planned.map((task, index) => [task, index]))
  const order = (task: Planned) => place.get(task) ?? 0
  return found.map(({ tasks, ...range }) => ({ ...range, tasks: tasks.sort((a, b) => order(a) - order(b)) }))
}

/** Counts the tasks that have a part in a range of positions. */
const counter = (tasks: ReadonlyArray<Task>): ((first: number, last: number) => number) => {
  const openings = tasks.map(({ from }) => from).sort((a, b) => a - b)
  const ends = tasks.map(({ outcome, to }) => (outcome === null ? Number.MAX_SAFE_INTEGER : to)).sort((a, b) => a - b)
  return (first, last) => below(openings, last + 1) - below(ends, first)
}

/** How many of these numbers, which rise, are below a limit. */
const below = (numbers: ReadonlyArray<number>, limit: number): number => {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] ?? 0) < limit) low = middle + 1
    else high = middle
  }
  return low
}
