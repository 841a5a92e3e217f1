/** A command on its way: what was requested, what was judged about it, where it stands, and its outcome once it has one. */

import type { PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"
import { defined } from "../../values/defined.ts"
import type { ActingTask } from "./ActingTask.ts"
import type { Command, CommandIdentity, CommandOutcome, Stop } from "./Command.ts"
import * as CommandState from "./CommandState.ts"
import type * as Interpreter from "./Interpreter.ts"
import { commandOf, type LeftCommand } from "./LeftCommand.ts"
import type { TakenStep } from "./WorldRewards.ts"

export interface Traveller extends Interpreter.Traveller {
  readonly command: Command
  /** Where it stood when this kernel took it up. */
  readonly begun: CommandState.CommandState
  /** Its plugin's entry in the registry when a person was asked about it or it was requested, if an earlier kernel did that. */
  readonly plugin: Plugin | undefined
  /** The step that it is, once a world was asked to take it. */
  step?: TakenStep
  outcome?: CommandOutcome | undefined
}

/** A command as it sets out: what is known before it is judged. */
export type Setout = Omit<Traveller, "request" | "judgement"> & {
  /** What its request says, for the priority of its actuator. */
  readonly requestFor: (priority: number) => PayloadOf<"ActuatorCommanded">
}

/** A command of which nothing is recorded. */
export const requested = (
  command: Command,
  { callId, source }: Omit<CommandIdentity, "agentId">,
  causationId: string,
): Setout => {
  const { commandId, actuator, args, argsDigest, agentId } = command
  const state = CommandState.unrecorded(causationId)
  return {
    command,
    state,
    begun: state,
    plugin: undefined,
    requestFor: (priority) => ({
      commandId,
      actuator,
      args,
      argsDigest,
      priority,
      ...defined({ callId, agentId, source }),
    }),
  }
}

/** A command that an earlier kernel left. Where its actuator told what became of it, it has ended. */
export const left = (task: ActingTask, left: LeftCommand, stop?: Stop): Setout => {
  const { plugin, doubt, settled: outcome, commanded } = left
  const state = outcome === undefined ? CommandState.takenUp(left.state) : CommandState.ended(left.state)
  const command = { ...commandOf(task, left), stop }
  return { command, state, begun: state, plugin, doubt, outcome, requestFor: () => commanded.payload }
}
