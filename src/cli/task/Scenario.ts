/** Loads what `--scenario` names: a scenario to play, or options of an environment. */
import { Effect, Either, Schema } from "effect"
import { Registry } from "../../kernel/registry/Registry.ts"
import * as Rubric from "../../kernel/rules/Rubric.ts"
import { JsonObject } from "../../values/Json.ts"
import * as Scenarios from "../../worlds/scenario/Scenario.ts"
import { BadInput } from "../command/BadInput.ts"

/** What `--scenario` came to. */
export interface LoadedScenarios {
  /** The options of each plugin's environment. */
  readonly environment: { readonly [plugin: string]: JsonObject }
  /** The scenario that is played; undefined if there are only options. */
  readonly played: Scenarios.Played | undefined
}

/**
 * The options of each plugin's environment, and the scenario that is played. A `FILE` with `scenario_name` and
 * `environment_type` is a scenario, and finds its world by itself. Any other `FILE` has the options of the only plugin
 * that has an environment; `plugin=FILE` always has those of a plugin.
 *
 * @param plugins the plugins that take part
 */
export const load = (scenarios: ReadonlyArray<string>, plugins: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const options: Record<string, JsonObject> = {}
    let played: Scenarios.Played | undefined
    if (scenarios.length === 0) return { environment: options, played } satisfies LoadedScenarios
    const withEnvironment = yield* environments(plugins)
    for (const scenario of scenarios) {
      if (yield* isPlayed(scenario, withEnvironment)) {
        if (played !== undefined) {
          return yield* new BadInput({ input: "--scenario", expected: "one scenario to play", found: "several" })
        }
        const registry = yield* (yield* Registry).state
        played = yield* Scenarios.inWorld(yield* Scenarios.load(scenario), registry, plugins)
        continue
      }
      const { plugin, file } = yield* assign(scenario, withEnvironment)
      if (Object.hasOwn(options, plugin)) {
        return yield* new BadInput({ input: "--scenario", expected: `one for ${plugin}`, found: "several" })
      }
      options[plugin] = yield* readOptions(file)
    }
    return { environment: { ...options, ...played?.environment }, played } satisfies LoadedScenarios
  })

/** Whether a file is a scenario with metadata of its own, and not the options of a plugin that is named. */
const isPlayed = (scenario: string, withEnvironment: ReadonlyArray<string>) => {
  const named = scenario.slice(0, Math.max(0, scenario.indexOf("=")))
  if (withEnvironment.length === 0 || withEnvironment.includes(named)) return Effect.succeed(false)
  // What is wrong with the file is said when it is read as what it is.
  return Effect.map(
    Effect.either(Rubric.readYaml(scenario)),
    (read) =>
      Either.isRight(read) &&
      Schema.is(JsonObject)(read.right) &&
      "scenario_name" in read.right &&
      "environment_type" in read.right,
  )
}

const environments = (plugins: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const registry = yield* Registry
    const manifests = yield* Effect.forEach(plugins, (plugin) => registry.manifest(plugin))
    return manifests.flatMap(({ manifest }) => (manifest.peas.environment === undefined ? [] : [manifest.name]))
  })

/**
 * The plugin and the file of one `--scenario`. A file name may contain "=", so a prefix counts only if it is a plugin's
 * name.
 */
const assign = (scenario: string, withEnvironment: ReadonlyArray<string>) => {
  const equals = scenario.indexOf("=")
  const named = scenario.slice(0, Math.max(0, equals))
  if (withEnvironment.includes(named)) return Effect.succeed({ plugin: named, file: scenario.slice(equals + 1) })
  const [only, ...others] = withEnvironment
  if (only !== undefined && others.length === 0) return Effect.succeed({ plugin: only, file: scenario })
  const several = `one plugin with an environment, or --scenario plugin=FILE`
  const found = only === undefined ? "none with an environment" : `several: ${withEnvironment.join(", ")}`
  return new BadInput({ input: `--scenario ${scenario}`, expected: several, found })
}

/** The options of an environment in a YAML or JSON file. */
export const readOptions = (file: string) =>
  Effect.flatMap(Rubric.readYaml(file), (value) =>
    Schema.is(JsonObject)(value)
      ? Effect.succeed(value)
      : new Rubric.FileUnreadable({ file, reason: "expected a mapping of options, found another value" }),
  )
