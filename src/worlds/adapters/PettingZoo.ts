/** PettingZoo over a world: the parallel API here, the AEC API, in which agents take turns, in `AgentCycle`. */

import { Effect } from "effect"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { ResetOptions, Spaces, StepResults, World } from "../handle/World.ts"
import type { WorldError } from "../handle/WorldError.ts"
import { infoOf } from "./AgentCycle.ts"

export { type AECEnv, aec, type Last } from "./AgentCycle.ts"

/** A value for each agent. */
export interface ByAgent<A> {
  readonly [agent: string]: A
}

/** PettingZoo's `ParallelEnv`: all agents act at once. */
export interface ParallelEnv {
  /** All agents that can take part. */
  readonly possible_agents: () => ReadonlyArray<string>
  /** The agents whose episode is active; none before the first reset. */
  readonly agents: () => Effect.Effect<ReadonlyArray<string>, WorldError>
  /** An agent's observation space. */
  readonly observation_space: (agent: string) => Spaces["observation"]
  /** An agent's action space. */
  readonly action_space: (agent: string) => Spaces["action"]
  /** Begins a new episode with all agents. */
  readonly reset: (
    options?: ResetOptions,
  ) => Effect.Effect<readonly [observations: ByAgent<Json>, infos: ByAgent<JsonObject>], WorldError>
  /**
   * Steps a round. Each returned map has an entry for each agent that took part. If the world refused an agent's action
   * and carried out others, that agent's info has `refused`: `{ code, reason }`.
   */
  readonly step: (
    actions: ByAgent<Json>,
  ) => Effect.Effect<
    readonly [
      observations: ByAgent<Json>,
      rewards: ByAgent<number>,
      terminations: ByAgent<boolean>,
      truncations: ByAgent<boolean>,
      infos: ByAgent<JsonObject>,
    ],
    WorldError
  >
  /** The world's document, which all agents share. */
  readonly state: () => Effect.Effect<JsonObject, WorldError>
  /** Ends the episode and releases the world. */
  readonly close: () => Effect.Effect<void, WorldError>
}

/** A world under the names of PettingZoo's parallel API. Stateless. */
export const parallel = (world: World): ParallelEnv => ({
  possible_agents: world.agents,
  agents: () => live(world),
  observation_space: (agent) => world.spaces(agent).observation,
  action_space: (agent) => world.spaces(agent).action,
  reset: (options) =>
    Effect.map(
      world.reset(options),
      ({ agents }) => [each(agents, ({ observation }) => observation), each(agents, ({ info }) => info)] as const,
    ),
  step: (actions) => Effect.map(world.stepTogether(actions), tablesOf),
  state: () => world.state,
  close: () => world.close,
})

const live = (world: World): Effect.Effect<ReadonlyArray<string>, WorldError> =>
  Effect.filter(world.agents(), (agent) => Effect.map(world.status(agent), (status) => status === "active")).pipe(
    Effect.catchTag("NoEpisode", () => Effect.succeed([])),
  )

const tablesOf = (results: StepResults) =>
  [
    each(results, ({ observation }) => observation),
    each(results, ({ reward }) => reward),
    each(results, ({ terminated }) => terminated),
    each(results, ({ truncated }) => truncated),
    each(results, infoOf),
  ] as const

const each = <A, B>(byAgent: ByAgent<A>, of: (value: A) => B): ByAgent<B> =>
  Object.fromEntries(Object.entries(byAgent).map(([agent, value]) => [agent, of(value)]))
