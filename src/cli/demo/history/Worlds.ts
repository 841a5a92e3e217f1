/** The environments of the history's tasks, and the plugins that implement them. */
import { Effect } from "effect"
import type { JsonObject } from "../../../values/Json.ts"
import { inPackage } from "../../command/PackageFiles.ts"
import * as Scenario from "../../task/Scenario.ts"

/** The plugin of each environment. */
const PLUGINS = {
  "the-lost-key": "text-room",
  "the-greenhouse": "text-room",
  "the-signal-house": "text-room",
  "the-empty-desk": "text-room",
  "warm-boiler": "boiler",
  "cold-boiler": "boiler",
  "stuck-boiler": "boiler",
  files: "workspace",
} as const

export type WorldName = keyof typeof PLUGINS

/** The plugins and options of a task in an environment. */
export interface World {
  readonly plugins: ReadonlyArray<string>
  /** Absent for a plugin's default environment. */
  readonly environment?: { readonly [plugin: string]: JsonObject }
}

/** The directories of the plugins. */
export const SOURCES: ReadonlyArray<string> = [
  inPackage("plugins", "text-room"),
  inPackage("plugins", "workspace"),
  inPackage("examples", "plugins", "boiler"),
]

/** Loads the scenarios. The plugins must be imported before. */
export const load = Effect.gen(function* () {
  const scenario = (name: string) =>
    Scenario.load([`text-room=${inPackage("plugins", "text-room", "scenarios", `${name}.yaml`)}`], ["text-room"])
  const environments: { readonly [name in WorldName]?: NonNullable<World["environment"]> } = {
    "the-greenhouse": yield* scenario("the-greenhouse"),
    "the-signal-house": yield* scenario("the-signal-house"),
    "the-empty-desk": yield* scenario("the-empty-desk"),
    "cold-boiler": { boiler: { celsius: 15 } },
    "stuck-boiler": { boiler: { valve: "stuck" } },
  }
  return (name: WorldName): World => {
    const environment = environments[name]
    return { plugins: [PLUGINS[name]], ...(environment === undefined ? {} : { environment }) }
  }
})
