/** Notices an agent's requests to its task. */

import { Effect } from "effect"
import type { Task } from "./Task.ts"

/** Wraps a task so that each request of the agent calls `notice`. */
export const noticing = (task: Task, notice: () => void): Task => {
  const noticed = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      notice()
      return effect
    })
  const { perceiveAhead } = task
  return {
    ...task,
    perceive: (...args) => noticed(task.perceive(...args)),
    perceiveAhead: perceiveAhead === undefined ? undefined : (...args) => noticed(perceiveAhead(...args)),
    act: (...args) => noticed(task.act(...args)),
    together: (...args) => noticed(task.together(...args)),
    inputs: (...args) => noticed(task.inputs(...args)),
    say: (...args) => noticed(task.say(...args)),
    saying: (...args) => noticed(task.saying(...args)),
    consult: (...args) => noticed(task.consult(...args)),
    ask: (...args) => noticed(task.ask(...args)),
    decided: (...args) => noticed(task.decided(...args)),
    deciding: (...args) => noticed(task.deciding(...args)),
  }
}
