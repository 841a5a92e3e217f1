/** The plugins of a new task, imported, named or active, with their scenarios and consents. */

import { Effect } from "effect"
import { Kernel } from "../../kernel/Kernel.ts"
import { manifestOf } from "../../kernel/registry/Registry.ts"
import * as Grants from "../../plugins/manifest/Grants.ts"
import { worldOf } from "../../plugins/manifest/world.ts"
import type { PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import * as Output from "../command/Output.ts"
import * as ImportPage from "../pages/plugins/ImportPage.ts"
import { GrantsMissing } from "../plugin/GrantsMissing.ts"
import * as PluginConsent from "../plugin/PluginConsent.ts"
import { importAndCompare } from "../plugin/PluginImport.ts"
import * as Scenario from "./Scenario.ts"
import * as WaitingPlugins from "./WaitingPlugins.ts"

export interface TypedPlugins {
  /** Directories. */
  readonly plugin: ReadonlyArray<string>
  readonly scenario: ReadonlyArray<string>
  readonly json: boolean
}

/**
 * Imports the typed plugins; without any, takes all active ones. Returns the options that open a task with them, the
 * scenario to play, and the maximum episode length of their worlds. Asks the user for each missing consent, unless the
 * output is JSON.
 */
export const prepare = ({ plugin, scenario, json }: TypedPlugins) =>
  Effect.gen(function* () {
    const kernel = yield* Kernel
    const imported = yield* Effect.forEach(plugin, (directory) => importPlugin(directory, json))
    const registry = yield* kernel.plugins.state
    const active = Object.keys(registry).filter((name) => registry[name]?.active === true)
    const plugins = imported.length === 0 ? active : imported.map(({ manifest }) => manifest.name)
    const { environment, played } = yield* Scenario.load(scenario, plugins)
    if (plugins.length === 0) yield* Output.note(yield* WaitingPlugins.warning(registry))
    else if (imported.length === 0) {
      yield* Effect.forEach(yield* WaitingPlugins.ungranted(registry), Output.note, { discard: true })
    }
    if (!json) yield* askConsents(plugins)
    const opening = { plugins, ...(scenario.length === 0 ? {} : { environment }) }
    return { opening, played, episodeSteps: episodeStepsIn(registry, plugins) }
  })

const MOST_STEPS = 1_000_000_000

/** The steps of the longest episode of the plugins' worlds; undefined if no world has a limit. */
const episodeStepsIn = (registry: PluginRegistry, plugins: ReadonlyArray<string>): number | undefined => {
  const limits = plugins.flatMap((name) => {
    const found = SafeRecord.get(registry, name)
    return found === undefined ? [] : (worldOf(manifestOf(found))?.maxSteps ?? [])
  })
  return limits.length === 0 ? undefined : Math.min(Math.max(...limits), MOST_STEPS)
}

/** Imports a plugin and prints what changed. `run` has no grant options, so nobody grants a permission in passing. */
export const importPlugin = (directory: string, json: boolean) =>
  Effect.gen(function* () {
    const change = yield* importAndCompare(directory).pipe(
      Effect.catchTag("GrantRefused", ({ message: refused, refusals }) => {
        const add = ["hindcast plugin add", quoteWord(directory), ...Grants.remedies(refusals).flags].join(" ")
        const remedy = `Import it with these grants by \`${add}\`; a run without --plugin then has it.`
        return new GrantsMissing({ refused, remedy })
      }),
    )
    if (!json && !ImportPage.isUnchanged(change)) {
      const lines = [...ImportPage.lines(Output.styleOf(process.stdout), change), ""]
      yield* Effect.forEach(lines, Output.write, { discard: true })
    }
    return change.imported
  })

export const askConsents = (plugins: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const kernel = yield* Kernel
    for (const missing of yield* kernel.unconsented(plugins)) {
      const { manifest, digest } = yield* kernel.plugins.manifest(missing.plugin)
      const version = { plugin: missing.plugin, version: manifest.version, digest }
      if (!(yield* PluginConsent.ask(missing, version))) return yield* missing
    }
  })
