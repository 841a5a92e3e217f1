/** The plugin of a program that declares its tools while tasks are open: a recorded one. */

import { Context, Either } from "effect"
import * as Options from "../../values/Options.ts"
import { type ProgramPlugin, pluginOf } from "./Program.ts"
import { ToolOptions, toolsByName } from "./ProgramOptions.ts"
import type { Tool, Tools } from "./Tool.ts"

/** A plugin to which tools are added. */
export interface GrowingProgram extends ProgramPlugin {
  /**
   * Adds a tool. It can be called once the plugin is declared again. `ComponentSchemas.load` must have been run.
   *
   * @param of the function that the options belong to, for messages
   */
  readonly add: (of: string, name: string, tool: Tool) => Either.Either<void, Options.InvalidOptions>
}

/** A plugin without tools. */
export const make = (): GrowingProgram => {
  let tools: Tools = {}
  let plugin = pluginOf([], [], Context.empty())
  return {
    get manifest() {
      return plugin.manifest
    },
    get digest() {
      return plugin.digest
    },
    get functions() {
      return plugin.functions
    },
    services: Context.empty(),
    grows: true,
    add: (of, name, tool) =>
      Either.map(Options.decode(of, ToolOptions, { [name]: tool }), (decoded) => {
        tools = { ...tools, ...decoded }
        plugin = pluginOf(toolsByName(tools), [], Context.empty())
      }),
  }
}
