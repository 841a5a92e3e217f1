/** How deep and how large a tree of tasks may grow, and what a new task in it may use. Pure. */

import { Either } from "effect"
import { MAIN } from "../../events/log/EventLog.ts"
import type { TaskBudget } from "../../events/vocabulary/Tasks.ts"
import type * as Tasks from "../../projections/state/Tasks.ts"
import * as Spending from "../../projections/tree/Spending.ts"
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

/** A child that is being opened, so that the log may not have it yet. */
export interface Opening {
  readonly taskId: string
  readonly parent: TaskTree.Place
  readonly budget: TaskBudget | undefined
}

/** The place of a new child in its tree, as far as the tree has room for one. */
export const room = (
  tasks: Tasks.Tasks,
  { taskId, timeline = MAIN }: TaskTree.Place,
  opening: ReadonlyArray<Opening>,
  { maxDepth = MAX_DEPTH, maxTasks = MAX_TASKS }: TreeLimits,
): Either.Either<void, ChildRefused> => {
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
  const count = members + unknownOf(tasks, opening).filter((one) => isIn(tasks, one.parent, top)).length
  if (count >= maxTasks) return refused("tasks", `at most ${maxTasks} tasks in a tree (\`trees.maxTasks\`)`, `${count}`)
  return Either.right(undefined)
}

/** The openings that the log does not have yet. */
const unknownOf = (tasks: Tasks.Tasks, opening: ReadonlyArray<Opening>): ReadonlyArray<Opening> =>
  opening.filter(({ taskId }) => SafeRecord.get(tasks, taskId) === undefined)

const isIn = (tasks: Tasks.Tasks, place: TaskTree.Place, top: TaskTree.Place): boolean => {
  const same = (one: TaskTree.Place) => one.taskId === top.taskId && (one.timeline ?? MAIN) === (top.timeline ?? MAIN)
  return same(place) || ((place.timeline ?? MAIN) === MAIN && TaskTree.ancestorsOf(tasks, place.taskId).some(same))
}

/**
 * The part of its parent's budget that an open child takes: the whole part. More if it used more, since an agent may finish
 * the turn in which its budget ends. What its requests under way may use at most (in `used`, not in `ended`) is in the part:
 * otherwise a child would be refused only because its sibling is asking its model.
 */
export const taken = (
  used: Spending.Spending,
  ended: Spending.Spending,
  part: TaskBudget | undefined,
): Spending.Spending => {
  if (part === undefined) return used
  const most = (limit: Counted) => {
    if (part[limit] === undefined) return used[limit]
    return ended[limit] === undefined ? undefined : Math.max(ended[limit], part[limit])
  }
  return {
    ...{ steps: most("steps") ?? 0, commands: most("commands") ?? 0, tokens: most("tokens"), usd: most("usd") },
    unknown: 0,
  }
}

/** The budgets that children take as a whole, because the log does not have them yet. */
export const takenByOpening = (
  tasks: Tasks.Tasks,
  parent: TaskTree.Place,
  opening: ReadonlyArray<Opening>,
): ReadonlyArray<Spending.Spending> =>
  unknownOf(tasks, opening)
    .filter((one) => one.parent.taskId === parent.taskId && (one.parent.timeline ?? MAIN) === (parent.timeline ?? MAIN))
    .map(({ budget }) => taken(Spending.none, Spending.none, budget))

/** The budget of a new child: what it wants, within what is left of its parent's. */
export const grant = (
  parent: string,
  budget: TaskBudget | undefined,
  used: Spending.Spending,
  wanted: TaskBudget | undefined,
): Either.Either<TaskBudget | undefined, ChildRefused> => {
  const refused = (expected: string, found: string) =>
    Either.left(new ChildRefused({ parent, limit: "budget", expected, found }))
  const rest: { -readonly [limit in keyof TaskBudget]: number } = defined({ wallMs: budget?.wallMs })
  for (const limit of COUNTED) {
    const most = budget?.[limit]
    if (most === undefined) continue
    const spent = used[limit]
    if (spent === undefined) {
      return refused("a parent whose use is known", `unknown ${limit}, which its budget limits`)
    }
    rest[limit] = Math.max(0, most - spent)
  }
  const granted = TaskTree.smaller(wanted, budget === undefined ? undefined : rest)
  const usedUp = TaskTree.LIMITS.find((limit) => granted?.[limit] !== undefined && granted[limit] <= 0)
  if (usedUp !== undefined) return refused(`a budget of ${usedUp} that is not used up`, "nothing left of it")
  return Either.right(granted)
}

/** The limits that count something. */
export const COUNTED = ["steps", "commands", "tokens", "usd"] as const

type Counted = (typeof COUNTED)[number]
