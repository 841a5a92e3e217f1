/** The task of an agent that is led over the recording of an open task, up to where it asks for something new. */

import { Effect } from "effect"
import type { LeftCommand } from "../acting/LeftCommand.ts"
import { isSame } from "../acting/LeftCommands.ts"
import { between, choiceOf } from "../replay/Divergence.ts"
import { positionOf, type RecordedTask } from "../replay/RecordedTask.ts"
import type { Task } from "../tasks/Task.ts"

/** A task that notices whether anything was asked of it. */
export interface NoticingTask {
  readonly live: Task
  readonly wentLive: () => boolean
}

/** Wraps a task so that it notices when something is asked of it. */
export const noticing = (task: Task): NoticingTask => {
  let asked = false
  const notice = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      asked = true
      return effect
    })
  return {
    wentLive: () => asked,
    live: {
      ...task,
      perceive: (...args) => notice(task.perceive(...args)),
      act: (...args) => notice(task.act(...args)),
      together: (...args) => notice(task.together(...args)),
      inputs: (...args) => notice(task.inputs(...args)),
      say: (...args) => notice(task.say(...args)),
      consult: (...args) => notice(task.consult(...args)),
      ask: (...args) => notice(task.ask(...args)),
      decided: (...args) => notice(task.decided(...args)),
    },
  }
}

/**
 * The task in the turn that was not finished. Tool calls of that turn that are not recorded, and commands that were left
 * without an outcome, are carried out, also while others are still answered from the recording. A call that is recorded
 * as another command is a divergence, as is an end before the recording ends.
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
      const { callId } = options
      if (recorded.turnsLeft() > 0) return led.act(actuator, args, options)
      const requested = { actuator, args, ...(callId === undefined ? {} : { callId }) }
      const same = left.some((command) => isSame(command, requested))
      if (callId === undefined) {
        const isLeft = same && !recorded.hasCommand(actuator, args)
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
  close: (outcome, reason) =>
    Effect.suspend(() => {
      const next = recorded.next()
      if (next === undefined) return led.close(outcome, reason)
      const found = { done: outcome, ...(reason === undefined ? {} : { reason }) }
      const expected = choiceOf(next)
      return recorded.diverge({ kind: "done-earlier", position: positionOf(next), path: "", expected, found })
    }),
})
