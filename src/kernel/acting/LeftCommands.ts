/** The commands that had no outcome when a task was resumed or forked, until its agent requests them again. */

import { Effect } from "effect"
import type { AppendError } from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { ActingTask } from "./ActingTask.ts"
import * as CommandState from "./CommandState.ts"
import { isObserved, type LeftCommand } from "./LeftCommand.ts"

/** A command as an agent requests it. */
export interface Requested {
  readonly actuator: string
  readonly args: JsonObject
  readonly callId?: string
  readonly agentId?: string
}

/** The commands that were left. */
export interface LeftCommands {
  /** Takes the one that is requested: by the id of the model's call, or else the first that is equal. */
  readonly take: (requested: Requested) => LeftCommand | undefined
  /** Records the ends of those that were not requested again. */
  readonly endAll: (task: ActingTask) => Effect.Effect<void, AppendError>
}

/** What was left, and by what. */
export interface Left {
  readonly commands: ReadonlyArray<LeftCommand>
  /** `resume`: by an earlier kernel, on the same timeline. `fork`: by the moment at which the task was forked. */
  readonly by: "resume" | "fork"
  /** What their actuators said about those that were dispatched, by the ids of the commands. */
  readonly answers?: ReadonlyMap<string, Pick<LeftCommand, "settled" | "doubt">>
}

export const make = ({ commands, by, answers }: Left): LeftCommands => {
  const left = [...commands]
  // The actuators are asked when the task is set up, which is after this.
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

/** Whether a command that was left is the one that is requested. */
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
    // What a fork ends is caused by the fork: a replay of it does not expect the request.
    const last = step.do === "deny" && by === "fork" ? task.openedBy : left.state.last
    const ends = { id: newId(), request: left.commanded.payload, doubt: left.doubt }
    const event = CommandState.eventOf({ ...left.state, last }, step, ends)
    if (event !== undefined) yield* task.recordAll([event])
  })

const NOT_REQUESTED = {
  resume: "its agent did not request it again after the task was resumed",
  fork: "its agent did not request it again in the fork",
}
