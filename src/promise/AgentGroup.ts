/** Groups of agents with promises. */

import * as KernelGroup from "../worlds/group/AgentGroup.ts"
import { type Agent, adapted, standIn } from "./Agent.ts"

/** A change of who takes part in a group. */
export type MemberChange =
  | { readonly join: string; readonly agent: Agent }
  | Exclude<KernelGroup.MemberChange, { readonly join: string }>

/** Options of `agentGroup`: those of `AgentGroup.make`. */
export interface AgentGroupOptions extends Omit<KernelGroup.AgentGroupOptions, "agents" | "changes"> {
  /** The agents by their names in the task. */
  readonly agents: { readonly [agentId: string]: Agent }
  /** Who joins, leaves or is suspended at the start of a round, which is numbered from 0. Default: nobody. */
  readonly changes?: (round: number) => ReadonlyArray<MemberChange>
}

/**
 * A group of agents as one agent, as `AgentGroup.make` of `hindcast/worlds` makes it. Run it with the `agents` of its
 * names. Throws `InvalidOptions` where the options are wrong.
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
  // Wrong options are found before it runs; what makes an agent does not matter for that.
  const { name, version } = made((agent) => agent as ReturnType<typeof adapted>)
  return standIn({ name, version }, (calls) => made((agent) => adapted(agent, calls)))
}
