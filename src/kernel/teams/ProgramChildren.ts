/** The children that a program started with `parent`: no command of the parent's agent counts them, so its budget does. */

import { Effect, Stream } from "effect"
import { CaughtUp, type EventLog, type LogError, MAIN } from "../../events/log/EventLog.ts"
import type { UseBelow } from "../../events/vocabulary/Tasks.ts"
import type { ProjectorService } from "../../projections/projector/Projector.ts"
import * as Tasks from "../../projections/state/Tasks.ts"
import * as Spending from "../../projections/tree/Spending.ts"
import * as TaskTree from "../../projections/tree/TaskTree.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { type BelowOptions, isSame } from "../context/TasksBelow.ts"
import * as InstanceName from "../instances/InstanceName.ts"
import type { SpendingReader } from "./ChildSpending.ts"
import * as TreeLimits from "./TreeLimits.ts"

/** The children of a kernel's tasks that programs started. */
export interface ProgramChildren {
  /** The use of all children of a task; undefined if it has none. See `Task.below`. */
  readonly below: (place: InstanceName.Served, options?: BelowOptions) => Effect.Effect<UseBelow | undefined, LogError>
  readonly opened: (parent: TaskTree.Place, taskId: string) => void
  /** Forgets a task that has ended. */
  readonly forget: (place: InstanceName.Served) => void
}

interface Services {
  readonly log: EventLog.Service
  readonly projector: Pick<ProjectorService, "current">
  readonly spending: SpendingReader
}

/** The children of a task that programs started. */
interface Known {
  readonly children: Set<string>
  /** Whether they are all: not before a look at the log. */
  isWhole: boolean
}

export const make = ({ log, projector, spending }: Services): ProgramChildren => {
  /** The children of tasks that asked for them. Children are opened by this kernel, or were by an earlier one. */
  const known = new Map<string, Known>()

  const knownOf = (place: InstanceName.Served): Known => {
    const name = InstanceName.nameOf(place)
    const found = known.get(name) ?? { children: new Set<string>(), isWhole: false }
    known.set(name, found)
    return found
  }

  const childrenOf = (place: InstanceName.Served) =>
    Effect.gen(function* () {
      const found = knownOf(place)
      if (found.isWhole) return found.children
      const tasks = yield* projector.current(Tasks.projection)
      for (const [id, { parent }] of TaskTree.childrenOf(tasks, place)) {
        if (parent?.commandId === undefined) found.children.add(id)
      }
      found.isWhole = true
      return found.children
    })

  const useOf = (children: ReadonlySet<string>) =>
    Effect.gen(function* () {
      const tasks = yield* projector.current(Tasks.projection)
      const found = [...children].flatMap((id) => {
        const task = SafeRecord.get(tasks, id)
        return task === undefined ? [] : [[id, task] as const]
      })
      const open = found.filter(([, { outcome }]) => outcome === null)
      const taken = yield* takenBy(spending, tasks, found)
      const use = Spending.useOf(taken.reduce(Spending.plus, Spending.none))
      return { use: { tasks: found.length, open: open.length, ...use }, open: new Set(open.map(([id]) => id)) }
    })

  return {
    below: (place, { after, withinMs = Number.POSITIVE_INFINITY } = {}) =>
      Effect.gen(function* () {
        const children = yield* childrenOf(place)
        if (children.size === 0) return undefined
        const { position } = yield* log.head
        const { use, open } = yield* useOf(children)
        if (after === undefined || open.size === 0 || !isSame(use, after)) return use
        const oneEnds = log.follow({ timeline: log.timeline, types: ["TaskClosed"], after: position }).pipe(
          Stream.filter((item) => !(item instanceof CaughtUp) && open.has(item.taskId ?? "")),
          Stream.runHead,
        )
        yield* Number.isFinite(withinMs) ? Effect.raceFirst(oneEnds, Effect.sleep(withinMs)) : oneEnds
        return (yield* useOf(children)).use
      }),
    opened: ({ taskId, timeline = MAIN }, child) => {
      // Also before the first look, which may be under way.
      knownOf({ taskId, timeline }).children.add(child)
    },
    forget: (place) => {
      known.delete(InstanceName.nameOf(place))
    },
  }
}

/** What each of some children takes of their parent's budget. */
export const takenBy = (
  spending: SpendingReader,
  tasks: Tasks.Tasks,
  children: ReadonlyArray<readonly [taskId: string, task: Tasks.Task]>,
): Effect.Effect<ReadonlyArray<Spending.Spending>, LogError> => {
  const below = TaskTree.families(tasks)
  return Effect.forEach(children, ([taskId, { outcome, budget }]) =>
    Effect.gen(function* () {
      const tasks = [taskId, ...below({ taskId }).map(({ taskId }) => taskId)]
      const used = yield* spending.of(tasks)
      return outcome === null ? TreeLimits.taken(used, yield* spending.ended(tasks), budget) : used
    }),
  )
}
