/** The typed handle of a world, which adapters and wrappers use. */

import type { Effect } from "effect"
import type { Spaces } from "../../plugins/author.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { ActionRefused, WorldError } from "./WorldError.ts"

/** The agent's name in a world for one. */
export const AGENT = "agent"

export type { Spaces } from "../../plugins/author.ts"

/** How time passes in a world. */
export type TimeModel = "discrete_steps" | "simulated_time" | "real_time_ms"

/** Who acts when. `single`: one agent. `parallel`: all at once. `turn-based`: one after another. */
export type Mode = "single" | "parallel" | "turn-based"

/** The description of a world. */
export interface WorldInfo {
  /** The display name, such as `Cart pole`. */
  readonly name: string
  readonly description: string
  readonly version: string
  readonly rules: ReadonlyArray<string>
  readonly conventions: ReadonlyArray<string>
  readonly maxAgents: number
  readonly timeModel: TimeModel
  /** The step at which an episode is truncated; null without a limit. */
  readonly maxEpisodeSteps: number | null
}

/** An agent's observation and info. */
export interface Shown {
  readonly observation: Json
  readonly info: JsonObject
}

/** The result of a reset: `observation` and `info` are the first agent's, `agents` has every agent's. */
export interface Reset extends Shown {
  readonly agents: { readonly [agent: string]: Shown }
}

/** One agent's result of a step. `reward` is the sum of `rewards` if these have names. */
export interface StepResult extends Shown {
  readonly reward: number
  readonly rewards: { readonly [name: string]: number }
  /** The episode reached an end of its own: nothing follows its last state. */
  readonly terminated: boolean
  /** The episode was cut off, for example by a limit of steps: its last state still has a value. */
  readonly truncated: boolean
  /** Why the world refused the agent's action in a round in which others acted. Absent if it was carried out. */
  readonly refused?: ActionRefused
}

/** The results of a round, by agent. */
export interface StepResults {
  readonly [agent: string]: StepResult
}

/** An agent's status in its episode. `left`: it no longer takes part. */
export type Status = "active" | "terminated" | "truncated" | "left"

/** Options of `reset`. */
export interface ResetOptions {
  /** Default: drawn at random. */
  readonly seed?: number
  /** Options of the episode, for example a map. Default: those given at `open`. */
  readonly options?: JsonObject
  /** The names of the agents that take part. Default: those given at `open`. */
  readonly agents?: ReadonlyArray<string>
}

/**
 * A world, one episode at a time. Functions that take an agent default to the first one. Functions that need an episode
 * fail with `NoEpisode` before the first `reset` and after `close`. A call that begins during a reset waits for it; a
 * step in progress at that time fails with `EpisodeReplaced`.
 */
export interface World {
  /** The plugin's name. */
  readonly name: string
  readonly info: WorldInfo
  /** The agents that take part in the episode, or in the next one before the first reset. */
  readonly agents: () => ReadonlyArray<string>
  /** Before the first reset, a world for several agents counts as `parallel`. */
  readonly mode: () => Mode
  /** An agent's spaces, which the options of an episode can change. */
  readonly spaces: (agent?: string) => Spaces
  /** Begins an episode. An unfinished episode before it ends as truncated. */
  readonly reset: (options?: ResetOptions) => Effect.Effect<Reset, WorldError>
  /** Acts as one agent. In a world of mode `parallel`, this is a round in which only that agent acts. */
  readonly step: (action: Json, agent?: string) => Effect.Effect<StepResult, WorldError>
  /**
   * Acts as several agents in one round. Returns a result for each agent that took part. If the world refuses some of
   * the actions, their results have `refused`. If an action is invalid (`ActionOutsideSpace`, `NoSuchAgent`) or the
   * world refuses all of them, the call fails and no agent has acted.
   */
  readonly stepTogether: (actions: { readonly [agent: string]: Json }) => Effect.Effect<StepResults, WorldError>
  /**
   * Lets time pass in a world that moves by itself; actions never do. Returns a result for each agent that got
   * something meanwhile. Fails with `EnvironmentRefused` in other worlds.
   */
  readonly tick: (milliseconds: number) => Effect.Effect<StepResults, WorldError>
  /** Returns the agent's current observation. */
  readonly observe: (agent?: string) => Effect.Effect<Json, WorldError>
  /** Returns the legal actions, in the shape of the action space; null if the world has no mask. */
  readonly mask: (agent?: string) => Effect.Effect<Json | null, WorldError>
  /** The whole state as one document. Agents do not see it. */
  readonly state: Effect.Effect<JsonObject, WorldError>
  /** The agent's status in its episode. */
  readonly status: (agent?: string) => Effect.Effect<Status, WorldError>
  /**
   * The agent whose turn it is in a world of mode `turn-based`; null in other worlds and after the end of the episode.
   */
  readonly turn: Effect.Effect<string | null, WorldError>
  /** The id of the episode's task, under which the log has its events. */
  readonly taskId: Effect.Effect<string, WorldError>
  /** Ends the episode, if there is one. */
  readonly close: Effect.Effect<void, WorldError>
}

/** Whether a step ended an agent's episode. */
export const isLast = ({ terminated, truncated }: Pick<StepResult, "terminated" | "truncated">): boolean =>
  terminated || truncated
