/** Loads the environment options that `--scenario` names. */
import { Effect, Schema } from "effect"
import { Registry } from "../../kernel/registry/Registry.ts"
import * as Rubric from "../../kernel/rules/Rubric.ts"
import { JsonObject } from "../../values/Json.ts"
import { BadInput } from "../command/BadInput.ts"

/**
 * The options of each plugin's environment. `FILE` is for the only plugin that has an environment; otherwise
 * `plugin=FILE`.
 *
 * @param plugins the plugins that take part
 */
export const load = (scenarios: ReadonlyArray<string>, plugins: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    if (scenarios.length === 0) return {}
    const withEnvironment = yield* environments(plugins)
    const options: Record<string, JsonObject> = {}
    for (const scenario of scenarios) {
      const { plugin, file } = yield* assign(scenario, withEnvironment)
      if (Object.hasOwn(options, plugin)) {
        return yield* new BadInput({ input: "--scenario", expected: `one for ${plugin}`, found: "several" })
      }
      options[plugin] = yield* readOptions(file)
    }
    return options
  })

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

const readOptions = (file: string) =>
  Effect.flatMap(Rubric.readYaml(file), (value) =>
    Schema.is(JsonObject)(value)
      ? Effect.succeed(value)
      : new Rubric.FileUnreadable({ file, reason: "expected a mapping of options, found another value" }),
  )
