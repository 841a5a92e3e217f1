/** Groups of agents with promises. */

import * as KernelGroup from "../worlds/group/AgentGroup.ts"
import { type Agent, adapted, standIn } from "./Agent.ts"

/** A change of a group's members. */
export type MemberChange =
  | { readonly join: string; readonly agent: Agent }
  | Exclude<KernelGroup.MemberChange, { readonly join: string }>

/** Options of `agentGroup`: those of `AgentGroup.make`. */
export interface AgentGroupOptions extends Omit<KernelGroup.AgentGroupOptions, "agents" | "changes"> {
  /** The agents by their names in the task. */
  readonly agents: { readonly [agentId: string]: Agent }
  /** Members that join, leave or are suspended at the start of a round; rounds count from 0. Default: none. */
  readonly changes?: (round: number) => ReadonlyArray<MemberChange>
}

/**
 * Combines agents into one, like `AgentGroup.make` of `hindcast/worlds`. Run it with the `agents` of its names. Throws
 * `InvalidOptions`.
 */
export const agentGroup = (options: AgentGroupOptions): Agent => {
  const made = (adapt: (agent: Agent) => ReturnType<typeof adapted>) => {
    const { agents, changes, ...others } = options
    return KernelGroup.make({
      ...others,
      agents: Object.fromEntries(Object.entries(agents ?? {}).map(([name, agent]) => [name, adapt(agent)])),
      ...(changes === undefined
        ? {}
        : {
            changes: (round) =>
              changes(round).map((change) => ("join" in change ? { ...change, agent: adapt(change.agent) } : change)),
          }),
    })
  }
  // Validates the options now; the adapted agents do not matter for that.
  const { name, version } = made((agent) => agent as ReturnType<typeof adapted>)
  return standIn({ name, version }, (calls) => made((agent) => adapted(agent, calls)))
}
