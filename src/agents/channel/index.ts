/** Channels between people and agents at work: in a program, and over HTTP. */

export { PortUnavailable } from "../../platform/loopback/PortUnavailable.ts"
export type { AgentState } from "./AgentState.ts"
export {
  type Channel,
  type ChannelOptions,
  type ConfirmationAnswer,
  type InputContent,
  type InputOptions,
  make,
} from "./Channel.ts"
export type { ChannelEvent } from "./ChannelEvent.ts"
export { layer, type Served, type ServeOptions, Server, serve } from "./ChannelServer.ts"
export { type Deltas, make as deltas } from "./Deltas.ts"
