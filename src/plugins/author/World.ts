/** Environments with a state, and worlds: environments with steps. */

import type { Json, JsonObject } from "./Json.ts"
import type { Generator } from "./Numbers.ts"
import type { PluginContext } from "./PluginContext.ts"
import type { Space } from "./Space.ts"

/** An environment with state of its own. By default, its process serves one task; the manifest can change that. */
export interface Environment {
  /**
   * Puts the environment into its first state. `options` configure it, for example with a scenario. Throw to refuse
   * them.
   */
  readonly reset: (context: PluginContext, options: JsonObject) => void | Promise<void>
  /** The whole state as one JSON document. The host calls it after each reset and each command. */
  readonly state: () => Json
  /**
   * Restores a state that `state` returned earlier, given the options of that earlier reset. A manifest with `snapshot`
   * in `rewind` requires it. It runs in a new process, and afterwards `state` must return an equal document.
   */
  readonly restore?: (context: PluginContext, options: JsonObject, state: Json) => void | Promise<void>
}

/** The spaces of a world: its possible observations and actions. */
export interface Spaces {
  readonly observation: Space
  readonly action: Space
}

/** The first argument of a world's functions. */
export interface WorldContext extends PluginContext {
  /**
   * The agent that observes or acts. In a world for one agent, it is `"agent"`. In other calls, the first of `agents`.
   */
  readonly agent: string
  /** The agents that take part, sorted by name. */
  readonly agents: ReadonlyArray<string>
  /**
   * The episode's random numbers: numpy's `Generator(PCG64(SeedSequence(seed)))`. Draw all random numbers from it.
   * Hindcast keeps its state in the world's document, so a restored world draws the same numbers.
   */
  readonly rng: Generator
}

/** An agent's result of one step. */
export interface Step {
  /** A finite number, or several named ones whose sum is the reward. */
  readonly reward: number | { readonly [name: string]: number }
  /** Whether the episode ended by the world's own rules. Default: false. */
  readonly terminated?: boolean
  /** Whether an outside limit, such as a number of steps, ended the episode. Default: false. */
  readonly truncated?: boolean
  /** The outcome of the agent's task if the episode terminated. Default: `achieved`. */
  readonly outcome?: "achieved" | "failed"
  /** Anything else worth recording, such as metrics. */
  readonly info?: JsonObject
}

/** A value, or a promise of it. */
type Eventually<Value> = Value | Promise<Value>

/** The members that both kinds of world share. */
interface CommonWorld {
  /** Begins an episode and returns its first `info`. Throw to refuse the options. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most functions return nothing.
  readonly reset: (context: WorldContext, options: JsonObject) => Eventually<void | { readonly info?: JsonObject }>
  /** The observation of `context.agent`, in the observation space. It must depend on the state alone. */
  readonly observe: (context: WorldContext) => Eventually<Json>
  /**
   * The legal actions of `context.agent`: 1 or 0 in the shape of Gymnasium's mask for the action space, or null for
   * all. A mask of another shape fails the reading (`MaskOutsideSpace`). Declare `mask: true` in the manifest if the
   * world refuses illegal actions, or `"advice"` if it accepts them.
   */
  readonly mask?: (context: WorldContext) => Eventually<Json>
  /** The whole state as one JSON object. Hindcast owns its key `episode`. */
  readonly state: () => JsonObject
  /** Restores a state, as `Environment.restore` does. */
  readonly restore?: (context: WorldContext, options: JsonObject, state: JsonObject) => Eventually<void>
}

/** A world for one agent: an environment with steps, as in reinforcement learning. */
export interface World extends CommonWorld {
  readonly mode?: undefined
  /** The spaces, if the options change those of the manifest; otherwise undefined. */
  readonly spaces?: (options: JsonObject) => Spaces | undefined
  /** Takes one action. To refuse it, throw before changing anything. */
  // biome-ignore lint/suspicious/noExplicitAny: an author names the actions that the action space promises.
  readonly step: (context: WorldContext, action: any) => Eventually<Step>
}

/** A world for several agents. */
export interface MultiAgentWorld extends CommonWorld {
  /** `parallel`: all agents act in each round. `turn-based`: one agent acts in each step. */
  readonly mode: "parallel" | "turn-based"
  /** The spaces of one agent, if the options change those of the manifest; otherwise undefined. */
  readonly spaces?: (options: JsonObject, agent: string) => Spaces | undefined
  /**
   * Takes actions by agent: of all agents (fewer if some were late), or of the one whose turn it is. Returns the
   * results of each agent that acted, and of others if they get any, in the order of their names.
   */
  readonly step: (
    context: WorldContext,
    // biome-ignore lint/suspicious/noExplicitAny: an author names the actions that the action space promises.
    actions: { readonly [agent: string]: any },
  ) => Eventually<{ readonly [agent: string]: Step }>
  /**
   * Turn-based only: the agent whose turn it is, or null for none. The turn of an agent that has left or finished goes
   * to the next agent by name.
   */
  readonly turn?: () => string | null
  /** Adds an agent in the middle of an episode. Throw to refuse it. */
  readonly join?: (context: WorldContext, agent: string) => Eventually<void>
  /** Removes an agent. */
  readonly leave?: (context: WorldContext, agent: string) => Eventually<void>
  /**
   * Moves the world on by some milliseconds of its own time. Returns results by agent: Hindcast records their rewards,
   * and an ended episode ends the agent's run. Agents learn of other changes by observing.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most functions return nothing.
  readonly tick?: (context: WorldContext, milliseconds: number) => Eventually<void | { readonly [agent: string]: Step }>
}
