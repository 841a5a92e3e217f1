/** What a world is, until `hindcast/plugin` says it: types only. */
import type { Json, JsonObject, PluginContext } from "hindcast/plugin"

/** A space, as Minari writes it. */
export type Space =
  | {
      readonly type: "Box"
      readonly dtype: string
      readonly shape: ReadonlyArray<number>
      readonly low: Nested
      readonly high: Nested
    }
  | { readonly type: "Discrete"; readonly n: number; readonly start?: number; readonly dtype?: string }
  | { readonly type: "MultiDiscrete"; readonly nvec: Nested; readonly dtype?: string }
  | { readonly type: "MultiBinary"; readonly n: number | ReadonlyArray<number> }
  | { readonly type: "Tuple"; readonly subspaces: ReadonlyArray<Space> }
  | { readonly type: "Dict"; readonly subspaces: { readonly [key: string]: Space } }
  | { readonly type: "Text"; readonly min_length?: number; readonly max_length: number; readonly charset?: string }

export type Nested = number | string | ReadonlyArray<Nested>

export interface Spaces {
  readonly observation: Space
  readonly action: Space
}

export interface Generator {
  random(): number
  random(count: number): ReadonlyArray<number>
  uniform(low: number, high: number): number
  uniform(low: number, high: number, count: number): ReadonlyArray<number>
  integers(low: number, high?: number): number
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
  readonly reset: (context: WorldContext, options: JsonObject) => void | { readonly info?: JsonObject }
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
