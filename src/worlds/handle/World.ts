/** What a world is to a program: the typed handle that adapters and wrappers are written against. */

import type { Effect } from "effect"
import type { Spaces } from "../../plugins/author.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { ActionRefused, WorldError } from "./WorldError.ts"

/** The name of the agent in a world for one. */
export const AGENT = "agent"

export type { Spaces } from "../../plugins/author.ts"

/** How time passes in a world. */
export type TimeModel = "discrete_steps" | "simulated_time" | "real_time_ms"

/** Who acts when. `single`: one agent. `parallel`: all at once. `turn-based`: one after another. */
export type Mode = "single" | "parallel" | "turn-based"

/** What a world says of itself. */
export interface WorldInfo {
  /** The name that people read, such as `Cart pole`. */
  readonly name: string
  readonly description: string
  readonly version: string
  readonly rules: ReadonlyArray<string>
  readonly conventions: ReadonlyArray<string>
  readonly maxAgents: number
  readonly timeModel: TimeModel
  /** The step at which an episode is truncated; null if there is none. */
  readonly maxEpisodeSteps: number | null
}

/** What an agent is shown at a moment. */
export interface Shown {
  readonly observation: Json
  readonly info: JsonObject
}

/** What a reset shows: `observation` and `info` are those of the first agent, `agents` has those of every agent. */
export interface Reset extends Shown {
  readonly agents: { readonly [agent: string]: Shown }
}

/** What a step gives an agent. `reward` is the sum of `rewards`, where these have names. */
export interface StepResult extends Shown {
  readonly reward: number
  readonly rewards: { readonly [name: string]: number }
  /** The episode came to an end of its own: nothing follows from its last state. */
  readonly terminated: boolean
  /** The episode was cut off, for example by a limit of steps: its last state has a value. */
  readonly truncated: boolean
  /** Why the agent's action was not carried out, although others' of the round were. Absent if it was. */
  readonly refused?: ActionRefused
}

/** The results of a step that several agents took together, by agent. */
export interface StepResults {
  readonly [agent: string]: StepResult
}

/** Where an agent is in its episode. `left`: it takes part no longer. */
export type Status = "active" | "terminated" | "truncated" | "left"

/** Options of `reset`. */
export interface ResetOptions {
  /** Default: drawn by the world. */
  readonly seed?: number
  /** Options of the episode, for example a map. Default: those that the world was opened with. */
  readonly options?: JsonObject
  /** The names of the agents that take part. Default: those that the world was opened with. */
  readonly agents?: ReadonlyArray<string>
}

/**
 * A world, one episode at a time. Where a function takes an agent, the default is the first one. A function that needs
 * an episode fails with `NoEpisode` before the first `reset` and after `close`. What begins while the world is being reset
 * waits for that; a step that is under way when it begins fails with `EpisodeReplaced`.
 */
export interface World {
  /** The plugin's name. */
  readonly name: string
  readonly info: WorldInfo
  /** Who takes part in the episode; before the first reset, who would. */
  readonly agents: () => ReadonlyArray<string>
  /** Before the first reset, a world for several agents is taken to be of mode `parallel`. */
  readonly mode: () => Mode
  /** The spaces of an agent, which the options of an episode can change. */
  readonly spaces: (agent?: string) => Spaces
  /** Begins an episode. The episode before it, if it is not over, ends as truncated. */
  readonly reset: (options?: ResetOptions) => Effect.Effect<Reset, WorldError>
  /** Acts as one agent. In a world of mode `parallel` with several agents it is a round in which only that agent acts. */
  readonly step: (action: Json, agent?: string) => Effect.Effect<StepResult, WorldError>
  /**
   * Acts as several agents in one round. It answers with a result for each agent that took part in the round: where an
   * action is refused and others are carried out, its result says so (`refused`). It fails, and nobody has acted, if an
   * action is no action at all (`ActionOutsideSpace`, `NoSuchAgent`), or if every one is refused.
   */
  readonly stepTogether: (actions: { readonly [agent: string]: Json }) => Effect.Effect<StepResults, WorldError>
  /**
   * Lets time pass in a world that moves by itself. It answers with a result for each agent that got something meanwhile. No action of the
   * handle lets time pass by itself. Fails with `EnvironmentRefused` in a world that stands still between actions.
   */
  readonly tick: (milliseconds: number) => Effect.Effect<StepResults, WorldError>
  /** What the agent is shown now. */
  readonly observe: (agent?: string) => Effect.Effect<Json, WorldError>
  /** Which actions are legal now, in the shape of the action space; null if the world does not say. */
  readonly mask: (agent?: string) => Effect.Effect<Json | null, WorldError>
  /** The whole state as one document, which agents are not shown. */
  readonly state: Effect.Effect<JsonObject, WorldError>
  /** Whether an agent's episode goes on, and how it ended. Default: the first agent. */
  readonly status: (agent?: string) => Effect.Effect<Status, WorldError>
  /** Whose turn it is in a world of mode `turn-based`; null in other worlds and when the episode is over. */
  readonly turn: Effect.Effect<string | null, WorldError>
  /** Ends the episode. Closing a world that has none does nothing. */
  readonly close: Effect.Effect<void, WorldError>
}

/** Whether an episode is over for an agent after a step. */
export const isLast = ({ terminated, truncated }: Pick<StepResult, "terminated" | "truncated">): boolean =>
  terminated || truncated
