/** Agents: values that decide or advance by themselves, and agents that think with a model. */

export * from "../kernel/agents/Agent.ts"
export { ChildTaskEnded } from "../kernel/teams/AgentCalls.ts"
export { type AsToolOptions, asTool } from "../kernel/teams/AsTool.ts"
export type { Budget } from "./Budget.ts"
export * as Conversation from "./Conversation.ts"
export { answerIn } from "./Conversation.ts"
export * as Guide from "./Guide.ts"
export type { MemoryPolicy } from "./Memory.ts"
export { fromModel } from "./ModelAgent.ts"
export type { ModelAgentOptions } from "./ModelAgentOptions.ts"
export type { AgentDelta } from "./Turns.ts"
