/** What a world is, until `hindcast/plugin` says it: types only. */
import type { Generator, Json, JsonObject, Plugin as OtherPlugin, PluginContext, Space } from "hindcast/plugin"

export type { Json, JsonObject } from "hindcast/plugin"

export interface Plugin extends Omit<OtherPlugin, "environment"> {
  readonly environment: World
}

/** Which observations and actions there are. */
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
  readonly reset: (context: WorldContext, options: JsonObject) => void | { readonly info?: JsonObject }
  readonly observe: (context: WorldContext) => Json | Promise<Json>
  // biome-ignore lint/suspicious/noExplicitAny: an author names what the action space promises.
  readonly step: (context: WorldContext, action: any) => Step | Promise<Step>
  readonly mask?: (context: WorldContext) => Json | Promise<Json>
  readonly state: () => JsonObject
  readonly restore?: (context: WorldContext, options: JsonObject, state: JsonObject) => void | Promise<void>
}
