/** Agents of several whose commands were under way when their task was forked or resumed. */

import { Effect } from "effect"
import type { LeftCommand } from "../acting/LeftCommand.ts"
import type { Task } from "../tasks/Task.ts"

/**
 * A task in which no agent is late before it has requested again what it had under way: it had handed that in, however long
 * it takes now to be led there.
 */
export const withOwed = (task: Task, left: ReadonlyArray<LeftCommand>): Task => {
  const owing = new Set(left.map(({ commanded }) => commanded.payload.agentId))
  if (owing.size === 0) return task
  return {
    ...task,
    late: (agentId, ...time) => Effect.suspend(() => (owing.has(agentId) ? Effect.never : task.late(agentId, ...time))),
    act: (actuator, args, options = {}) =>
      Effect.suspend(() => {
        owing.delete(options.agentId)
        return task.act(actuator, args, options)
      }),
    together: (commands) =>
      Effect.suspend(() => {
        for (const { agentId } of commands) owing.delete(agentId)
        return task.together(commands)
      }),
  }
}
