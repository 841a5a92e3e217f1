/** The task of an agent that replays an open task's recording, up to its first new request. */

import { Effect } from "effect"
import { defined } from "../../values/defined.ts"
import type { LeftCommand } from "../acting/LeftCommand.ts"
import { isSame } from "../acting/LeftCommands.ts"
import { between, choiceOf } from "../replay/Divergence.ts"
import { positionOf, type RecordedTask } from "../replay/RecordedTask.ts"
import { roundInPart } from "../replay/ReplayThenLive.ts"
import type { Task } from "../tasks/Task.ts"

/**
 * Tool calls without a record, and commands without an outcome, run live, even while the recording still answers
 * others. A call recorded as another command is a divergence, and so is an early end.
 */
export const withUnfinishedTurn = (
  led: Task,
  live: Task,
  recorded: RecordedTask,
  left: ReadonlyArray<LeftCommand>,
): Task => ({
  ...led,
  act: (actuator, args = {}, options = {}) =>
    Effect.suspend(() => {
      const { callId, agentId } = options
      if (recorded.turnsLeft() > 0) return led.act(actuator, args, options)
      const named = agentId === undefined ? {} : { agentId }
      const requested = { actuator, args, ...named, ...defined({ callId }) }
      const same = left.some((command) => isSame(command, requested))
      if (callId === undefined) {
        const isLeft = same && !recorded.hasCommand(actuator, args, agentId)
        return isLeft ? live.act(actuator, args, options) : led.act(actuator, args, options)
      }
      if (recorded.hasCall(callId)) return led.act(actuator, args, options)
      const other = same ? undefined : left.find(({ commanded }) => commanded.payload.callId === callId)
      if (other === undefined) return live.act(actuator, args, options)
      const { payload, position } = other.commanded
      const expected = { act: payload.actuator, args: payload.args }
      const found = { act: actuator, args }
      const different = { kind: "another-command", position, path: "", expected, found } as const
      return recorded.diverge(between(position, expected, found) ?? different)
    }),
  together: roundInPart(led.together, live.together, recorded, left),
  close: (outcome, reason) =>
    Effect.suspend(() => {
      const next = recorded.next()
      if (next === undefined) return led.close(outcome, reason)
      const found = { done: outcome, ...defined({ reason }) }
      const expected = choiceOf(next)
      return recorded.diverge({ kind: "done-earlier", position: positionOf(next), path: "", expected, found })
    }),
})
