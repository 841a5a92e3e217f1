/** What a world is, until `hindcast/plugin` says it: types only. */
import type { Generator, Json, JsonObject, PluginContext, Space } from "hindcast/plugin"

export interface Spaces {
  readonly observation: Space
  readonly action: Space
}

export interface WorldContext extends PluginContext {
  readonly agent: string
  readonly agents: ReadonlyArray<string>
  readonly rng: Generator
}

export interface Step {
  readonly reward: number | { readonly [name: string]: number }
  readonly terminated?: boolean
  readonly truncated?: boolean
  readonly outcome?: "achieved" | "failed"
  readonly info?: JsonObject
}

export interface World {
  readonly spaces?: (options: JsonObject) => Spaces
  readonly reset: (context: WorldContext, options: JsonObject) => unknown
  readonly observe: (context: WorldContext) => Json
  // biome-ignore lint/suspicious/noExplicitAny: an author names what the action space promises.
  readonly step: (context: WorldContext, action: any) => Step
  readonly mask?: (context: WorldContext) => Json
  readonly state: () => JsonObject
  readonly restore?: (context: WorldContext, options: JsonObject, state: JsonObject) => void
}

export interface MultiAgentWorld extends Omit<World, "step" | "spaces"> {
  readonly mode: "parallel" | "turn-based"
  readonly spaces?: (options: JsonObject, agent: string) => Spaces
  readonly step: (
    context: WorldContext,
    // biome-ignore lint/suspicious/noExplicitAny: an author names what the action space promises.
    actions: { readonly [agent: string]: any },
  ) => { readonly [agent: string]: Step }
  readonly turn?: () => string | null
  readonly join?: (context: WorldContext, agent: string) => void
  readonly leave?: (context: WorldContext, agent: string) => void
  readonly tick?: (context: WorldContext, milliseconds: number) => void
}
