/** Options for opening a plugin's environment. */

import { Schema } from "effect"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"

/** Options of `open`. */
export interface PluginEnvironmentOptions {
  /** The plugin with the environment. It must be active in the registry. */
  readonly plugin: string
  /** The goal of each task. Default: `Act in <the environment's name>`. */
  readonly goal?: string
  /** The person whose personal data the tasks hold, as in `tasks.open`. Default: none. */
  readonly subject?: string
  /** The names of the agents that take part. Default: only `agent`. */
  readonly agents?: ReadonlyArray<string>
  /** Default options of each reset. Default: the scenario that the manifest names. */
  readonly options?: JsonObject
  /**
   * Returns the outcome of an episode from the environment's state, or null if it has not ended. Worlds do not need it.
   * Without it, the episode of another environment lasts until its task is closed.
   */
  readonly ended?: (state: JsonObject) => TaskOutcome | null
}

/** One or more distinct names of agents. */
export const AgentNames = Schema.Array(Options.Name).pipe(
  Schema.filter((names) => names.length > 0 && new Set(names).size === names.length, {
    description: "one or more names that differ",
  }),
)

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
