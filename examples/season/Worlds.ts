/** The environments of the season's tasks, and the plugins that implement them. */
import { Effect } from "effect"
import { type Json, type JsonObject, Rubric } from "hindcast"
import { inPackage } from "../PackageFiles.ts"

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

export const SOURCES: ReadonlyArray<string> = [
  inPackage("plugins", "text-room"),
  inPackage("plugins", "workspace"),
  inPackage("examples", "plugins", "boiler"),
]

export const load = Effect.gen(function* () {
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

/** The plugin's schema checks these options. */
const scenario = (name: string) =>
  Rubric.readYaml(inPackage("plugins", "text-room", "scenarios", `${name}.yaml`)).pipe(
    Effect.filterOrDieMessage(isObject, `${name}: expected a mapping of options`),
    Effect.map((options) => ({ "text-room": options })),
  )

const isObject = (options: Json): options is JsonObject =>
  typeof options === "object" && options !== null && !Array.isArray(options)
