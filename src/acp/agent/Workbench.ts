/** The shared parts of a connection's sessions: a kernel at work on a log, and the agent that it runs. */

import type { Context } from "effect"
import type { Deltas } from "../../agents/channel/Deltas.ts"
import type { EventLog } from "../../events/log/EventLog.ts"
import type { AdvancingAgent } from "../../kernel/agents/Agent.ts"
import type { Confirmations } from "../../kernel/gate/Confirmations.ts"
import type { Kernel, RunOptions } from "../../kernel/Kernel.ts"

export type Services = EventLog | Kernel | Confirmations

export interface Workbench {
  readonly services: Context.Context<Services>
  /** A conversation's agent, whose deltas go to `deltas`. */
  readonly agent: AdvancingAgent
  readonly deltas: Deltas
  /** The options of every task. */
  readonly options: Omit<RunOptions, "goal" | "id">
  /** The directory that plugins work in. */
  readonly cwd: string
  /** The person at the editor. */
  readonly user: string
}

/** The recorded source of what comes from the editor, and the channel of its answers. */
export const SOURCE = "acp"
