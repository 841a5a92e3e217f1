/**
 * A world as the conformance checks drive it: reset, stepped and closed, with plain data in and out. What a check is
 * about, such as a reward, is any JSON here: the checks say whether it is what it should be.
 */

import type { Effect, Scope } from "effect"
import type { Json, JsonObject } from "../../values/Json.ts"

/** What is known of a world before it runs. */
export interface WorldFacts {
  readonly name: string
  /** Who acts when: one agent; all agents of a round at once; or one after another. */
  readonly mode: "single" | "parallel" | "turn-based"
  readonly maxAgents: number
  /** The step at which an episode is truncated; null if there is none. */
  readonly maxEpisodeSteps: number | null
  /** Whether the world says that an episode may go on without end. */
  readonly endless: boolean
  /** Whether the world says which actions are legal. */
  readonly mask: boolean
  /** Whether it takes the actions that its mask leaves out, too. */
  readonly advice: boolean
}

/** The spaces of an agent. They are spaces if the checks 1 to 10 find no fault. */
export interface DrivenSpaces {
  readonly observation: unknown
  readonly action: unknown
}

/** What an agent has after a reset. `mask` is null if the world has none. */
export interface AgentStart {
  readonly spaces: DrivenSpaces
  readonly observation: Json
  readonly info: Json
  readonly mask: Json
}

/** The answer to a reset. */
export interface Start {
  readonly agents: { readonly [agent: string]: AgentStart }
  /** Whose turn it is; null if everyone acts. */
  readonly turn: string | null
  /** The world's document, as the log has it: its state, and `episode`. */
  readonly document: Json
}

/** The answer to a step. */
export interface Stepped {
  /** For each agent that got something: `reward`, `terminated`, `truncated`, `info`. */
  readonly results: { readonly [agent: string]: JsonObject }
  readonly observations: { readonly [agent: string]: Json }
  readonly masks: { readonly [agent: string]: Json }
  readonly turn: string | null
  readonly document: Json
  /** The agents that the world's own answer names, in its order. Undefined if that is not known. */
  readonly named?: ReadonlyArray<string> | undefined
}

/** A call that the world, or what runs it, did not carry out. */
export interface Refusal {
  readonly code: string
  readonly message: string
  /** Whether the world cannot be called any more: it ended, or does not answer. Default: false. */
  readonly ended?: boolean
  /** Whether the world's step threw it: it refused the action, or is broken. Default: false. */
  readonly byStep?: boolean
}

/** What is shown of a world between two steps. */
export type Shown = Pick<Stepped, "observations" | "masks">

/** A running world for one task at a time. */
export interface DrivenWorld {
  readonly facts: WorldFacts
  /** Begins an episode. Without options, the world has its default ones. */
  readonly reset: (seed: number, options?: JsonObject) => Effect.Effect<Start, Refusal>
  /** Steps the world by the actions of the named agents. */
  readonly step: (actions: { readonly [agent: string]: Json }) => Effect.Effect<Stepped, Refusal>
  /** Reads what every agent is shown now. */
  readonly observe: Effect.Effect<Shown, Refusal>
  /** The world's document now, without reading anything else. */
  readonly document: Effect.Effect<Json, Refusal>
  /** Makes the world that a document was of, and returns the document that it then has. Absent if the world cannot. */
  readonly restore?: (document: Json) => Effect.Effect<Json, Refusal>
  /** Ends the world. */
  readonly close: Effect.Effect<void, Refusal>
}

/** Starts a copy of a world, which ends with the scope. */
export type OpenWorld = Effect.Effect<DrivenWorld, Refusal, Scope.Scope>
