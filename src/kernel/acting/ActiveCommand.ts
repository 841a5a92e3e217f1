/** A command on its way to its end. */

import type { ChildUse } from "../../events/vocabulary/Tasks.ts"
import type { PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"
import { defined } from "../../values/defined.ts"
import type { ActingTask } from "./ActingTask.ts"
import type { Command, CommandIdentity, CommandOutcome, Stop } from "./Command.ts"
import * as CommandState from "./CommandState.ts"
import type * as Interpreter from "./Interpreter.ts"
import { commandOf, type LeftCommand } from "./LeftCommand.ts"
import type { Reports } from "./policies/Progress.ts"
import type { TakenStep } from "./WorldRewards.ts"

export interface ActiveCommand extends Interpreter.ActiveCommand {
  readonly command: Command
  readonly begun: CommandState.CommandState
  /**
   * For a command of an earlier kernel: its plugin's registry entry at the question to a person or, without one, at the
   * request.
   */
  readonly plugin: Plugin | undefined
  step?: TakenStep
  /** What its call reported; undefined before the call. */
  reports?: Reports
  /** The task of the agent that it called. */
  child?: ChildUse
  outcome?: CommandOutcome | undefined
}

export type UnjudgedCommand = Omit<ActiveCommand, "request" | "judgement"> & {
  readonly requestFor: (priority: number) => PayloadOf<"ActuatorCommanded">
}

export const requested = (
  command: Command,
  { callId, source, budget }: Omit<CommandIdentity, "agentId">,
  causationId: string,
): UnjudgedCommand => {
  const { commandId, actuator, args, argsDigest, agentId } = command
  const state = CommandState.unrecorded(causationId)
  return {
    command: { ...command, budget },
    state,
    begun: state,
    plugin: undefined,
    requestFor: (priority) => ({
      commandId,
      actuator,
      args,
      argsDigest,
      priority,
      ...defined({ callId, agentId, source, budget }),
    }),
  }
}

export const left = (task: ActingTask, left: LeftCommand, stop?: Stop): UnjudgedCommand => {
  const { plugin, doubt, settled: outcome, commanded } = left
  const state = outcome === undefined ? CommandState.takenUp(left.state) : CommandState.ended(left.state)
  const command = { ...commandOf(task, left), stop }
  return { command, state, begun: state, plugin, doubt, outcome, requestFor: () => commanded.payload }
}
