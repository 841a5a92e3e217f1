/** Makes tools of agents with promises. */

import type { DataSchema } from "../kernel/program/DataSchema.ts"
import type { Tool, Tools } from "../kernel/program/Tool.ts"
import * as AsTool from "../kernel/teams/AsTool.ts"
import { type Agent, adapted } from "./Agent.ts"
import type { Calls } from "./Calls.ts"

export type { AsToolOptions } from "../kernel/teams/AsTool.ts"

const agents = new WeakMap<object, Agent>()

/**
 * Makes a tool of an agent, like `Agent.asTool` of `hindcast`: each call is a child task of the calling one, and returns
 * `{ task, outcome, answer, reason? }`. Throws `InvalidOptions`.
 */
export const agentAsTool = <const Args extends DataSchema = AsTool.GoalArgs>(
  agent: Agent,
  options: AsTool.AsToolOptions<Args> = {},
): Tool => {
  // The kernel checks the shape, which both kinds of agents share.
  const tool = AsTool.asTool(agent as Parameters<typeof AsTool.asTool>[0], options)
  agents.set(tool, agent)
  return tool
}

/** The tools of a program, with agents that the kernel runs. */
export const adaptedTools = <Of extends Tools>(tools: Of, calls: () => Calls): Of =>
  Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => {
      const agent = agents.get(tool)
      if (agent === undefined) return [name, tool]
      let made: ReturnType<typeof adapted> | undefined
      const ofKernel = () => {
        made ??= adapted(agent, calls())
        return made
      }
      return [name, AsTool.withAgent(tool as Tool, ofKernel)]
    }),
  ) as unknown as Of
