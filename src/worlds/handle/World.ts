/** The typed handle of a world, which adapters and wrappers use. */

import type { Effect } from "effect"
import type { Spaces } from "../../plugins/author.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { ActionRefused, CloneError, WorldError } from "./WorldError.ts"

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
  /**
   * Copies the episode in its current state into another process, to try steps before the agent takes one. Fails with
   * `CloneRefused` if the plugin was granted anything, or cannot restore a state.
   */
  readonly clone: Effect.Effect<WorldClone, WorldError>
  /** A clone in a state that `state` returned earlier. The episode itself stays where it is. */
  readonly restore: (state: JsonObject) => Effect.Effect<WorldClone, WorldError>
  /** Ends the episode, if there is one. */
  readonly close: Effect.Effect<void, WorldError>
}

/** Options of `playOut`. */
export interface PlayOutOptions {
  /** Seeds the agents' choices. Default: 0. */
  readonly seed?: number
  /** Maximum number of rounds, from 1 to 100,000. Default: 1,000. */
  readonly maxRounds?: number
}

/** An episode that was played out. */
export interface PlayedOut {
  readonly rounds: number
  /** The sum of each agent's rewards in these rounds. */
  readonly returns: { readonly [agent: string]: number }
  /** False if it came to `maxRounds`, or if the world refused an action. */
  readonly ended: boolean
}

/**
 * A copy of an episode in another process. Its steps change neither the world nor the log's states, returns and scores.
 * The log has them as `StepsSearched`. It ends with the episode that it copied, or when it is closed. Functions that take
 * an agent default to the first one.
 */
export interface WorldClone {
  /** The agents that take part. */
  readonly agents: () => ReadonlyArray<string>
  /** An agent's spaces. */
  readonly spaces: (agent?: string) => Spaces
  /** Acts as one agent. In a world of mode `parallel`, this is a round in which only that agent acts. */
  readonly step: (action: Json, agent?: string) => Effect.Effect<StepResult, CloneError>
  /** Acts as several agents in one round. If the world refuses some of the actions, their results have `refused`. */
  readonly stepTogether: (actions: { readonly [agent: string]: Json }) => Effect.Effect<StepResults, CloneError>
  /** Plays on until no agent can act. The agents choose among their legal actions at random, within the world's process. */
  readonly playOut: (options?: PlayOutOptions) => Effect.Effect<PlayedOut, CloneError>
  /** The agent's current observation. */
  readonly observe: (agent?: string) => Effect.Effect<Json, CloneError>
  /** The legal actions, in the shape of the action space; null if the world has no mask. */
  readonly mask: (agent?: string) => Effect.Effect<Json, CloneError>
  /** The whole state as one document. */
  readonly state: Effect.Effect<JsonObject, CloneError>
  /** The agent's status in its episode. */
  readonly status: (agent?: string) => Effect.Effect<Status, CloneError>
  /** The agent whose turn it is; null in a world without turns, and after the end. */
  readonly turn: Effect.Effect<string | null, CloneError>
  /**
   * Puts this clone into a state that `state` of the world or of any of its clones returned. Fails with
   * `UnexpectedAnswer` if the world arrives at another state.
   */
  readonly restore: (state: JsonObject) => Effect.Effect<void, CloneError>
  /** Another clone, in the same state. */
  readonly clone: Effect.Effect<WorldClone, CloneError>
  readonly close: Effect.Effect<void>
}

/** Whether a step ended an agent's episode. */
export const isLast = ({ terminated, truncated }: Pick<StepResult, "terminated" | "truncated">): boolean =>
  terminated || truncated
