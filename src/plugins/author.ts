/**
 * The types for plugin authors: `import type { Plugin } from "hindcast/plugin"`.
 *
 * They exist at compile time only: an entry default-exports a plain object and needs nothing of Hindcast at run time.
 * These modules import nothing else, so Deno and editors read them without the package.
 *
 * @module hindcast/plugin
 */

import type { Json } from "./author/Json.ts"
import type { Judge } from "./author/Judge.ts"
import type { PluginContext } from "./author/PluginContext.ts"
import type { Environment, MultiAgentWorld, World } from "./author/World.ts"

export type * from "./author/Json.ts"
export type * from "./author/Judge.ts"
export type * from "./author/Numbers.ts"
export type * from "./author/PluginContext.ts"
export type * from "./author/Space.ts"
export type * from "./author/World.ts"

/**
 * The default export of the module that the manifest's `precomputed` names. It returns at most 64 MiB, the same bytes
 * on every machine and in every run. It runs in the plugin's sandbox without grants. The log takes what it prints,
 * which is not part of the bytes.
 */
export type Precompute = () => Uint8Array | Promise<Uint8Array>

/** Returns a reading. */
export type Sensor = (context: PluginContext) => Json | Promise<Json>

/**
 * Carries out a command and returns its result. To refuse a command, throw: the error's message and its `code`, if that
 * is a string, become the command's failure.
 */
// biome-ignore lint/suspicious/noExplicitAny: an author names the arguments that the manifest's `args` schema promises.
export type Actuator = (context: PluginContext, args: any) => Json | Promise<Json>

/** How a command ended, as far as the world shows it. */
export type Settled =
  | { readonly status: "succeeded"; readonly result: Json }
  | { readonly status: "failed"; readonly error: { readonly code: string; readonly message: string } }
  | { readonly status: "unknown"; readonly reason?: string }

/**
 * Finds out how a command ended whose kernel was killed before the log had its outcome. It runs in a new process, must
 * change nothing (`context.writeFile` refuses), and may run again. If it cannot tell, it returns `unknown`.
 */
export type Settle = (
  context: PluginContext,
  commandId: string,
  // biome-ignore lint/suspicious/noExplicitAny: an author names the arguments that the manifest's `args` schema promises.
  args: any,
) => Settled | Promise<Settled>

/** The default export of a plugin's entry: exactly the components that the manifest declares. */
export interface Plugin {
  readonly sensors?: { readonly [name: string]: Sensor }
  readonly actuators?: { readonly [name: string]: Actuator }
  readonly environment?: Environment
  /** By actuator: finds out how commands ended that a crash left in doubt. */
  readonly settle?: { readonly [actuator: string]: Settle }
  /** By measure: one function for each measure with `"critic": "plugin"` in the manifest. */
  readonly measures?: { readonly [name: string]: Judge }
}

/**
 * The default export of an entry whose manifest declares the spaces of its environment. Hindcast derives the sensor
 * `observation` and the actuator `step`; the entry does not export them.
 */
export interface WorldPlugin extends Omit<Plugin, "environment"> {
  readonly environment: World | MultiAgentWorld
}
