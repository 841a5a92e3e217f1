/** Holds the commands without an outcome when a task is resumed or forked, until its agent requests them again. */

import { Effect } from "effect"
import type { AppendError } from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { ActingTask } from "./ActingTask.ts"
import * as CommandState from "./CommandState.ts"
import { isObserved, type LeftCommand } from "./LeftCommand.ts"

export interface Requested {
  readonly actuator: string
  readonly args: JsonObject
  readonly callId?: string
  readonly agentId?: string
}

export interface LeftCommands {
  /** Takes the command with the id of the model's call or, without such an id, the first equal one. */
  readonly take: (requested: Requested) => LeftCommand | undefined
  readonly endAll: (task: ActingTask) => Effect.Effect<void, AppendError>
}

export interface Left {
  readonly commands: ReadonlyArray<LeftCommand>
  /** `resume`: an earlier kernel left them, on the same timeline. `fork`: they were unfinished at the fork point. */
  readonly by: "resume" | "fork"
  readonly answers?: ReadonlyMap<string, Pick<LeftCommand, "settled" | "doubt">>
}

export const make = ({ commands, by, answers }: Left): LeftCommands => {
  const left = [...commands]
  // The map is read late: actuators are asked when the task is set up, after this.
  const answered = (command: LeftCommand): LeftCommand => ({
    ...command,
    ...answers?.get(command.commanded.payload.commandId),
  })
  return {
    take: (requested) => {
      const index = left.findIndex((command) => isSame(command, requested))
      const [command] = index === -1 ? [] : left.splice(index, 1)
      return command && answered(command)
    },
    endAll: (task) =>
      Effect.whileLoop({
        while: () => left.length > 0,
        body: () => (left[0] === undefined ? Effect.void : end(task, answered(left[0]), by)),
        step: () => {
          left.shift()
        },
      }),
  }
}

export const isSame = (left: LeftCommand, { actuator, args, callId, agentId }: Requested): boolean => {
  const { payload } = left.commanded
  return (
    !isObserved(left) &&
    payload.actuator === actuator &&
    payload.callId === callId &&
    payload.agentId === agentId &&
    JsonPatch.equal(payload.args, args)
  )
}

const end = (task: ActingTask, left: LeftCommand, by: Left["by"]) =>
  Effect.gen(function* () {
    if (left.settled !== undefined) return
    const { question } = left.state
    const reason = `${NOT_REQUESTED[by]}; it was not executed`
    const step = CommandState.refusal(CommandState.takenUp(left.state), by, reason)
    if (step.do === "deny" && question !== undefined) yield* task.kernel.confirmations.withdraw(question, reason)
    // The fork causes the denial, so that a replay of the fork does not expect the request.
    const last = step.do === "deny" && by === "fork" ? task.openedBy : left.state.last
    const ends = { id: newId(), request: left.commanded.payload, doubt: left.doubt }
    const event = CommandState.eventOf({ ...left.state, last }, step, ends)
    if (event !== undefined) yield* task.recordAll([event])
  })

const NOT_REQUESTED = {
  resume: "its agent did not request it again after the task was resumed",
  fork: "its agent did not request it again in the fork",
}
