/** A tool that calls an agent: which one, with what goal, and within which limits. `kernel/teams` carries it out. */

import type { Effect } from "effect"
import type { ChildUse, TaskBudget } from "../../events/vocabulary/Tasks.ts"
import type { Json } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import type { KeyedCommand } from "./ProgramFunction.ts"

/** The agent behind a tool. */
export interface AgentCall {
  /** The agent, which the kernel decodes at each call. */
  readonly agent: () => unknown
  /** The goal of the agent's task, from the decoded arguments. */
  readonly goal: (args: unknown) => string
  readonly maxSteps?: number | undefined
  readonly budget?: TaskBudget | undefined
  readonly plugins?: ReadonlyArray<string> | undefined
}

/** Schema of `AgentCall`. Only `Agent.asTool` makes one. */
export const AgentCall = Options.kind<AgentCall>("what `Agent.asTool` returns", Options.has("agent", "goal"))

/** The command that calls an agent. */
export interface CallingCommand extends KeyedCommand {
  /** The event that caused the call. */
  readonly causationId: string | undefined
  /** Limits that the command's agent leaves to the called one. */
  readonly budget: TaskBudget | undefined
  readonly onChild: (child: ChildUse) => void
}

/** Runs the agent on the child task of a command, or continues that task. Returns what the tool returns. */
export type CallAgent = (call: AgentCall, args: unknown, command: CallingCommand) => Effect.Effect<Json, unknown>
