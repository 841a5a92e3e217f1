/** How deep and how large a tree of tasks may grow, and what a new task in it may use. Pure. */

import { Either } from "effect"
import { MAIN } from "../../events/log/EventLog.ts"
import type { TaskBudget } from "../../events/vocabulary/Tasks.ts"
import type * as Tasks from "../../projections/state/Tasks.ts"
import * as TaskTree from "../../projections/tree/TaskTree.ts"
import { defined } from "../../values/defined.ts"
import * as Options from "../../values/Options.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { ChildRefused } from "../context/ChildRefused.ts"

/** Limits of every tree of tasks: a task, the tasks that it starts, and theirs. */
export interface TreeLimits {
  /** How many generations of children a task may have. Default: 4. */
  readonly maxDepth?: number
  /** How many tasks a tree may have in all, ended ones included. Default: 100. */
  readonly maxTasks?: number
}

const MAX_DEPTH = 4
const MAX_TASKS = 100

/** Schema of `TreeLimits`. */
export const TreeLimits = Options.of<TreeLimits>({
  optional: { maxDepth: Options.wholeNumber(0, 100), maxTasks: Options.wholeNumber(1, 1_000_000) },
})

/** A child that is being opened, so that the log does not have it yet. */
export interface Opening {
  readonly parent: TaskTree.Place
  readonly budget: TaskBudget | undefined
}

/** The budget of a new child of a task, as far as its tree allows one. */
export const grant = (
  tasks: Tasks.Tasks,
  parent: TaskTree.Place,
  wanted: TaskBudget | undefined,
  opening: ReadonlyArray<Opening>,
  { maxDepth = MAX_DEPTH, maxTasks = MAX_TASKS }: TreeLimits,
): Either.Either<TaskBudget | undefined, ChildRefused> => {
  const { taskId, timeline = MAIN } = parent
  const refused = (limit: ChildRefused["limit"], expected: string, found: string) =>
    Either.left(new ChildRefused({ parent: taskId, limit, expected, found }))
  // A fork begins a tree of its own.
  const ancestors = timeline === MAIN ? TaskTree.ancestorsOf(tasks, taskId) : []
  if (ancestors.length + 1 > maxDepth) {
    const limit = `at most ${maxDepth} ${maxDepth === 1 ? "generation" : "generations"} of children (\`trees.maxDepth\`)`
    return refused("depth", limit, `one that is ${ancestors.length} below the top`)
  }
  const top = ancestors.at(-1) ?? { taskId, timeline }
  const members = TaskTree.descendantsOf(tasks, top).length + 1
  const count = members + opening.filter((one) => isIn(tasks, one.parent, top)).length
  if (count >= maxTasks) return refused("tasks", `at most ${maxTasks} tasks in a tree (\`trees.maxTasks\`)`, `${count}`)
  const rest = restOf(tasks, parent, opening)
  if (Either.isLeft(rest)) return refused("budget", "a parent whose use is known", rest.left)
  const granted = TaskTree.smaller(wanted, rest.right)
  const usedUp = TaskTree.LIMITS.find((limit) => granted?.[limit] !== undefined && granted[limit] <= 0)
  if (usedUp !== undefined) return refused("budget", `a budget of ${usedUp} that is not used up`, "nothing left of it")
  return Either.right(granted)
}

const isIn = (tasks: Tasks.Tasks, place: TaskTree.Place, top: TaskTree.Place): boolean => {
  const same = (one: TaskTree.Place) => one.taskId === top.taskId && (one.timeline ?? MAIN) === (top.timeline ?? MAIN)
  return same(place) || ((place.timeline ?? MAIN) === MAIN && TaskTree.ancestorsOf(tasks, place.taskId).some(same))
}

/**
 * Rest of a parent's budget once it has paid for itself and its ended children, and reserved the whole budget of
 * each open one; or what is unknown of it.
 */
const restOf = (
  tasks: Tasks.Tasks,
  parent: TaskTree.Place,
  opening: ReadonlyArray<Opening>,
): Either.Either<TaskBudget | undefined, string> => {
  const task = SafeRecord.get(tasks, parent.taskId)
  const budget = task?.budget
  // The use of a fork is on its own timeline: its agent keeps its budget.
  if (task === undefined || budget === undefined || (parent.timeline ?? MAIN) !== MAIN) return Either.right(budget)
  const children = TaskTree.childrenOf(tasks, parent)
  const below = TaskTree.families(tasks)
  const uses = [
    useOf([task]),
    ...children.map(([taskId, child]) => {
      const known = useOf([child, ...below({ taskId }).map(({ task }) => task)])
      return child.outcome === null && child.budget !== undefined ? { ...known, ...child.budget } : known
    }),
    ...opening.flatMap((one) => (one.parent.taskId === parent.taskId && one.budget !== undefined ? [one.budget] : [])),
  ]
  const rest: { -readonly [limit in keyof TaskBudget]: number } = defined({ wallMs: budget.wallMs })
  for (const limit of COUNTED) {
    const most = budget[limit]
    if (most === undefined) continue
    let left = most
    for (const { [limit]: used = 0 } of uses) {
      if (used === null) return Either.left(`unknown ${limit}, which its budget limits`)
      left -= used
    }
    rest[limit] = Math.max(0, left)
  }
  return Either.right(rest)
}

const COUNTED = ["steps", "commands", "tokens", "usd"] as const

/** What some tasks used. Null where a cost is unknown, or all tokens are. */
const useOf = (family: ReadonlyArray<Tasks.Task>): { readonly [limit in (typeof COUNTED)[number]]: number | null } => {
  const models = family.flatMap(({ model }) => (model === undefined ? [] : [model]))
  const total = (numbers: ReadonlyArray<number>) => numbers.reduce((sum, number) => sum + number, 0)
  const isUnmetered = models.some(({ inputTokens, outputTokens, cost }) => {
    return inputTokens + outputTokens === 0 && cost.unpriced > 0
  })
  return {
    steps: total(models.map(({ calls }) => calls)),
    commands: total(family.map(({ steps }) => steps)),
    tokens: isUnmetered ? null : total(models.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens)),
    usd: models.some(({ cost }) => cost.usd === null) ? null : total(models.map(({ cost }) => cost.atLeast)),
  }
}
