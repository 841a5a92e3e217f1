/**
 * The entry `hindcast/worlds`. `World` opens a world on a kernel; adapters give it the names of other frameworks, and
 * each wrapper changes it in one respect. `AgentGroup` makes one agent of several, and `Scenario` declares how a world
 * begins and ends.
 *
 * @module hindcast/worlds
 */

export type { Space } from "../plugins/spaces/Space.ts"
export * as Spaces from "../plugins/spaces/Space.ts"
export type { Json, JsonObject } from "../values/Json.ts"
export * as AgentOS from "./adapters/AgentOS.ts"
export * as DmEnv from "./adapters/DmEnv.ts"
export * as Gymnasium from "./adapters/Gymnasium.ts"
export * as Hal from "./adapters/Hal.ts"
export * as PettingZoo from "./adapters/PettingZoo.ts"
export * as PiaSE from "./adapters/PiaSE.ts"
export * as Curriculum from "./curriculum/Curriculum.ts"
export * as Environment from "./Environment.ts"
export * as AgentGroup from "./group/AgentGroup.ts"
export * as Rollout from "./rollout/Rollout.ts"
export * as VectorWorld from "./rollout/VectorWorld.ts"
export * as Scenario from "./scenario/Scenario.ts"
export * as World from "./World.ts"
export { ClipAction, RescaleAction } from "./wrappers/ActionWrappers.ts"
export { OrderEnforcing, RecordEpisodeStatistics, TimeLimit } from "./wrappers/EpisodeWrappers.ts"
export { FrameStack, TimeAware } from "./wrappers/ObservationWrappers.ts"
export { type Changes, changed, DoesNotFit, type Wrapper, wrapped } from "./wrappers/Wrapper.ts"
