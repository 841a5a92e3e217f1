/** What tasks and the tasks below them spent, read from their events. A reader keeps its sums, and reads only news. */

import { Effect } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Use } from "../../events/vocabulary/Tasks.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import * as Spending from "../../projections/tree/Spending.ts"
import * as TaskTree from "../../projections/tree/TaskTree.ts"

/** Reads what tasks spent. */
export interface SpendingReader {
  /**
   * The sum over these tasks, each of which counts once, with what requests reserve that have not ended. They are on the
   * log's own timeline.
   */
  readonly of: (tasks: ReadonlyArray<string>) => Effect.Effect<Spending.Spending, LogError>
  /** The same, without requests that have not ended. */
  readonly ended: (tasks: ReadonlyArray<string>) => Effect.Effect<Spending.Spending, LogError>
  /** Forgets the sums of a task that has ended for good. */
  readonly forget: (taskId: string) => void
}

interface Sum {
  readonly until: number
  readonly spent: Spending.Spending
}

export const reader = (log: EventLog.Service): SpendingReader => {
  const sums = new Map<string, Sum>()
  const one = (taskId: string) =>
    Effect.gen(function* () {
      let { until, spent }: Sum = sums.get(taskId) ?? { until: 0, spent: Spending.none }
      // Forks of a task pay for themselves.
      const query = { timeline: log.timeline, taskId, types: Spending.TYPES, after: until }
      yield* Pages.forEach(log.readPage, query, (page) => {
        for (const event of page) {
          spent = Spending.after(spent, event)
          until = event.position
        }
      })
      sums.set(taskId, { until, spent })
      return spent
    })
  const sumBy = (rule: (spent: Spending.Spending) => Spending.Spending) => (tasks: ReadonlyArray<string>) =>
    Effect.map(Effect.forEach(tasks, one), (all) => all.map(rule).reduce(Spending.plus, Spending.none))
  return {
    of: sumBy(Spending.withOpenLost),
    ended: sumBy(Spending.withoutOpen),
    forget: (taskId) => {
      sums.delete(taskId)
    },
  }
}

/** The spending of a task and the tasks below it. */
export const of = (log: EventLog.Service, taskId: string): Effect.Effect<Use, LogError> =>
  Effect.gen(function* () {
    const below = TaskTree.descendantsOf(yield* TaskList.standings(log), { taskId })
    const spent = yield* reader(log).of([taskId, ...below.map(({ taskId }) => taskId)])
    return Spending.useOf(spent)
  })
