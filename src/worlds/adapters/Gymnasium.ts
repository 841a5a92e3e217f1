/** Gymnasium's `Env` over a world: its names, and its tuples. */

import { Effect } from "effect"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { ResetOptions, Spaces, World } from "../handle/World.ts"
import type { WorldError } from "../handle/WorldError.ts"

/** `env.spec`. */
export interface Spec {
  readonly id: string
  readonly max_episode_steps: number | null
}

/** Gymnasium's `Env`. */
export interface Env {
  readonly spec: Spec
  readonly observation_space: Spaces["observation"]
  readonly action_space: Spaces["action"]
  /** Begins a new episode and returns its first observation and `info`. */
  readonly reset: (
    options?: Omit<ResetOptions, "agents">,
  ) => Effect.Effect<readonly [observation: Json, info: JsonObject], WorldError>
  /** Takes an action and returns observation, reward, terminated, truncated and `info`. */
  readonly step: (
    action: Json,
  ) => Effect.Effect<
    readonly [observation: Json, reward: number, terminated: boolean, truncated: boolean, info: JsonObject],
    WorldError
  >
  /** Ends the episode and releases the world. */
  readonly close: () => Effect.Effect<void, WorldError>
}

/** A world under Gymnasium's names, for its first agent. Stateless. */
export const of = (world: World): Env => {
  const { observation, action } = world.spaces()
  return {
    spec: { id: world.name, max_episode_steps: world.info.maxEpisodeSteps },
    observation_space: observation,
    action_space: action,
    reset: (options) => Effect.map(world.reset(options), ({ observation, info }) => [observation, info] as const),
    step: (action) =>
      Effect.map(
        world.step(action),
        ({ observation, reward, terminated, truncated, info }) =>
          [observation, reward, terminated, truncated, info] as const,
      ),
    close: () => world.close,
  }
}
