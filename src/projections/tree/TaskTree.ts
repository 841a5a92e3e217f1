/**
 * The tree of tasks that a task and its agents started: parents, children, depth, and what all of them used. Each task
 * counts once. Pure.
 */

import { MAIN } from "../../events/log/EventLog.ts"
import type { ParentTask, TaskBudget } from "../../events/vocabulary/Tasks.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"

/** A task as far as trees need it. `Tasks.Task` and `TaskList.Standing` have these fields. */
export interface Member {
  readonly parent?: ParentTask | undefined
  readonly from: number
}

/** Tasks by id. */
export type Members<Of extends Member> = Readonly<Record<string, Of>>

/** A task on one timeline. */
export interface Place {
  readonly taskId: string
  /** Default: `main`. */
  readonly timeline?: string | undefined
}

/** A task within a tree. */
export interface Placed<Of extends Member> {
  readonly taskId: string
  readonly task: Of
  /** 0 for the task at the top. */
  readonly depth: number
}

/**
 * A task's children, oldest first. A parent that nobody opened has none, and a task that names itself, or a later task,
 * as its parent has none either: foreign logs may contain anything.
 */
export const childrenOf = <Of extends Member>(
  tasks: Members<Of>,
  { taskId, timeline = MAIN }: Place,
): ReadonlyArray<readonly [taskId: string, task: Of]> => {
  const parent = SafeRecord.get(tasks, taskId)
  if (parent === undefined) return []
  return Object.entries(tasks)
    .filter(([, { parent: named, from }]) => {
      return named?.taskId === taskId && (named.timeline ?? MAIN) === timeline && from > parent.from
    })
    .sort(([, a], [, b]) => a.from - b.from)
}

/** All tasks below one, each once: a child before its own children, siblings oldest first. */
export const descendantsOf = <Of extends Member>(tasks: Members<Of>, place: Place): ReadonlyArray<Placed<Of>> =>
  families(tasks)(place)

/** `descendantsOf` for several places among the same tasks, which it reads once. */
export const families = <Of extends Member>(tasks: Members<Of>): ((place: Place) => ReadonlyArray<Placed<Of>>) => {
  const byParent = new Map<string, Array<readonly [string, Of]>>()
  for (const [taskId, task] of Object.entries(tasks)) {
    const key = keyOf(task.parent)
    const parent = task.parent === undefined ? undefined : SafeRecord.get(tasks, task.parent.taskId)
    if (key === undefined || parent === undefined || parent.from >= task.from) continue
    const siblings = byParent.get(key)
    if (siblings === undefined) byParent.set(key, [[taskId, task]])
    else siblings.push([taskId, task])
  }
  for (const siblings of byParent.values()) siblings.sort(([, a], [, b]) => b.from - a.from)
  /** The youngest first, since the last one leaves the stack first. */
  const below = (key: string | undefined, depth: number) =>
    (key === undefined ? [] : (byParent.get(key) ?? [])).map(([taskId, task]) => ({ taskId, task, depth }))
  return (place) => {
    const found: Array<Placed<Of>> = []
    const stack = below(keyOf(place), 1)
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      found.push(next)
      // Children are younger than their parents, so that this ends.
      for (const child of below(keyOf(next), next.depth + 1)) stack.push(child)
    }
    return found
  }
}

const keyOf = (place: Place | undefined): string | undefined =>
  place === undefined ? undefined : JSON.stringify([place.taskId, place.timeline ?? MAIN])

/** The ancestors of a task, its parent first. */
export const ancestorsOf = <Of extends Member>(tasks: Members<Of>, taskId: string): ReadonlyArray<ParentTask> => {
  const found: Array<ParentTask> = []
  for (let task = SafeRecord.get(tasks, taskId); task?.parent !== undefined; ) {
    const parent = SafeRecord.get(tasks, task.parent.taskId)
    if (parent === undefined || parent.from >= task.from) return found
    found.push(task.parent)
    // The timeline of a fork has no parent of its own.
    if ((task.parent.timeline ?? MAIN) !== MAIN) return found
    task = parent
  }
  return found
}

/** The smaller of two budgets, limit by limit. */
export const smaller = (a: TaskBudget | undefined, b: TaskBudget | undefined): TaskBudget | undefined => {
  if (a === undefined || b === undefined) return a ?? b
  return Object.fromEntries(
    LIMITS.flatMap((limit) => {
      const both = [a[limit], b[limit]].filter((value) => value !== undefined)
      return both.length === 0 ? [] : [[limit, Math.min(...both)]]
    }),
  )
}

/** The limits of a budget. */
export const LIMITS = ["steps", "commands", "tokens", "usd", "wallMs"] as const
