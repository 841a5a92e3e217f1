/**
 * The entry `hindcast/record`: records programs with an agent of their own, replays them without a network, and forks
 * them. A Promise API.
 */

export { NotReplayable } from "../kernel/context/NotReplayable.ts"
export { aiSdkTools } from "./adapters/AiSdk.ts"
export type { OptionsByTool } from "./adapters/FrameworkTools.ts"
export { langChainTools } from "./adapters/LangChain.ts"
export { type AgentsTracing, openAiAgentsTools, openAiAgentsTracing } from "./adapters/OpenAiAgents.ts"
export type { Changes } from "./fork/Changes.ts"
export { type Forked, type ForkOptions, forked } from "./fork/Forked.ts"
export { type ForkPlace, NotForkable } from "./fork/ForkPlace.ts"
export { record } from "./LiveRun.ts"
export { type OnLogFailure, RecordingFailed } from "./log/RunLog.ts"
export type { RecordOptions } from "./RecordOptions.ts"
export { NameTaken, type Recorded, type Run, RunEnded, RunNotOpen, ToolDenied, type ToolOptions } from "./Run.ts"
export { Diverged, type Live, NothingReplayed } from "./replay/Diverged.ts"
export { PartNeeded } from "./replay/Parts.ts"
export { RunNotFound } from "./replay/RecordedEvents.ts"
export { type RecordedRun, replayed } from "./replay/ReplayedRun.ts"
export type { Difference } from "./replay/RequestDifference.ts"
