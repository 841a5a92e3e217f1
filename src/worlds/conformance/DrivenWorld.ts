/**
 * The interface of a world under test: reset, step and close, with plain data in and out. A value under test, such as a
 * reward, is any JSON; the checks judge it.
 */

import type { Effect, Scope } from "effect"
import type { Json, JsonObject } from "../../values/Json.ts"

/** Properties of a world that are known before it runs. */
export interface WorldFacts {
  readonly name: string
  /** One agent; all agents of a round at once; or one agent after another. */
  readonly mode: "single" | "parallel" | "turn-based"
  readonly maxAgents: number
  /** The step at which an episode is truncated; null without a limit. */
  readonly maxEpisodeSteps: number | null
  /** Whether the world declares that an episode may never end. */
  readonly endless: boolean
  readonly mask: boolean
  /** Whether the masks only advise: the world accepts the actions that they exclude. */
  readonly advice: boolean
}

/** An agent's declared spaces. Checks 1 to 10 decide whether they are valid. */
export interface DrivenSpaces {
  readonly observation: unknown
  readonly action: unknown
}

/** An agent's state after a reset. `mask` is null if the world has none. */
export interface AgentStart {
  readonly spaces: DrivenSpaces
  readonly observation: Json
  readonly info: Json
  readonly mask: Json
}

/** The answer to a reset. */
export interface Start {
  readonly agents: { readonly [agent: string]: AgentStart }
  /** The agent whose turn it is; null if all act. */
  readonly turn: string | null
  /** The world's document, as the log records it: its state, and `episode`. */
  readonly document: Json
}

/** The answer to a step. */
export interface Stepped {
  /** `reward`, `terminated`, `truncated` and `info`, by agent. */
  readonly results: { readonly [agent: string]: JsonObject }
  readonly observations: { readonly [agent: string]: Json }
  readonly masks: { readonly [agent: string]: Json }
  readonly turn: string | null
  readonly document: Json
  /** The agents that the world's own answer names, in its order; undefined if unknown. */
  readonly named?: ReadonlyArray<string> | undefined
}

/** A call that the world, or its runner, refused or failed. */
export interface Refusal {
  readonly code: string
  readonly message: string
  /** Whether the world accepts no more calls: it ended, or does not answer. Default: false. */
  readonly ended?: boolean
  /** Whether the world's `step` threw it: the world refused the action, or is broken. Default: false. */
  readonly byStep?: boolean
}

/** Observations and masks between two steps. */
export type Shown = Pick<Stepped, "observations" | "masks">

/** A running world, for one task at a time. */
export interface DrivenWorld {
  readonly facts: WorldFacts
  /** Begins an episode. Default: the world's default options. */
  readonly reset: (seed: number, options?: JsonObject) => Effect.Effect<Start, Refusal>
  readonly step: (actions: { readonly [agent: string]: Json }) => Effect.Effect<Stepped, Refusal>
  /** Reads the current observations and masks of all agents. */
  readonly observe: Effect.Effect<Shown, Refusal>
  /** The current document, without a reading. */
  readonly document: Effect.Effect<Json, Refusal>
  /** Restores the state of a document and returns the resulting document. Absent if the world cannot restore. */
  readonly restore?: (document: Json) => Effect.Effect<Json, Refusal>
  readonly close: Effect.Effect<void, Refusal>
}

/** Starts a copy of a world, which ends with the scope. */
export type OpenWorld = Effect.Effect<DrivenWorld, Refusal, Scope.Scope>
