/**
 * The entry `hindcast/promise`: Hindcast for programs without Effect. Errors are instances of the classes that
 * `hindcast` exports, such as `Lease.LeaseHeld`, and have a `_tag`.
 *
 * @module hindcast/promise
 */

export type { Delivery, Offer, Settled, Waiting } from "./kernel/queue/Delivery.ts"
export type { SeenMessage } from "./projections/request/RequestMessage.ts"
export type { PartSize } from "./projections/request/RequestSizes.ts"
export type { SeenTurn } from "./projections/request/SeenTurn.ts"
export type {
  Memory as AppliedMemory,
  Part as RequestPart,
  RecordedBy,
  RequestUsage,
  SeenTool,
  WholeRequest,
} from "./projections/request/WholeRequest.ts"
export {
  type AdvancingAgent,
  type Agent,
  agentFromEffect,
  defineAgent,
  fromModel,
  type ModelAgentOptions,
} from "./promise/Agent.ts"
export { type AgentGroupOptions, agentGroup, type MemberChange } from "./promise/AgentGroup.ts"
export { type AsToolOptions, agentAsTool } from "./promise/AgentTool.ts"
export { type CallOptions, Closed } from "./promise/Calls.ts"
export type { Channel, ChannelOptions, Served } from "./promise/Channel.ts"
export { type FileUrl, playCassette, readGate } from "./promise/Files.ts"
export type {
  AgentOptions,
  Annotations,
  Confirmations,
  Events,
  Hindcast,
  Memories,
  OpenOptions,
  Plugins,
  RescoreOptions,
  TimeTravel,
  WaitingConfirmation,
} from "./promise/Hindcast.ts"
export { defineListener, type ListenerContext, type ListenerOptions } from "./promise/Listener.ts"
export type { Listening, ListenOptions, ListenRule } from "./promise/Listeners.ts"
export { open, openQueue, runner } from "./promise/open.ts"
export type { Rollouts } from "./promise/Rollouts.ts"
export type { Queue, QueueOptions, Runner, RunnerOptions } from "./promise/Runner.ts"
export type { Players, Scenarios } from "./promise/Scenarios.ts"
export type { AgentTask, Task } from "./promise/Task.ts"
export type { Tasks } from "./promise/Tasks.ts"
export type { World, WorldOptions } from "./promise/World.ts"
