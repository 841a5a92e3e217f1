/** The options by which the environment of a plugin is opened. */

import { Schema } from "effect"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"

/** Options of `open`. */
export interface PluginEnvironmentOptions {
  /** The plugin that has the environment. It is active in the registry. */
  readonly plugin: string
  /** The goal of each task. Default: `Act in <the environment's name>`. */
  readonly goal?: string
  /** The person whose personal data the tasks hold, as in `tasks.open`. Default: none. */
  readonly subject?: string
  /** The names of the agents that take part. Default: `agent` alone. */
  readonly agents?: ReadonlyArray<string>
  /** Options of each reset, unless the reset has its own. Default: the scenario that the manifest names. */
  readonly options?: JsonObject
  /**
   * How an episode ended, from the environment's state; null while it goes on. A world says so by itself; any other
   * environment goes on until its task is closed, unless this function is given.
   */
  readonly ended?: (state: JsonObject) => TaskOutcome | null
}

/** The names of agents: at least one, and no two the same. */
export const AgentNames = Schema.Array(Options.Name).pipe(
  Schema.filter((names) => names.length > 0 && new Set(names).size === names.length, {
    description: "one or more names that differ",
  }),
)

/** Schema of `PluginEnvironmentOptions`. */
export const PluginEnvironmentOptions = Options.of<PluginEnvironmentOptions>({
  required: { plugin: Options.Text },
  optional: {
    goal: Options.Text,
    subject: Options.Name,
    agents: AgentNames,
    options: JsonObject,
    ended: Options.callable(),
  },
})
