/** Warnings of `hindcast run` about inactive plugins, each with the command that activates it. */
import { Effect } from "effect"
import { Registry } from "../../kernel/registry/Registry.ts"
import type { PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import * as CommandHints from "../command/CommandHints.ts"
import * as GrantPage from "../pages/plugins/GrantPage.ts"

export const warning = (plugins: PluginRegistry) =>
  Effect.map(remedies(plugins), (all) => {
    const others = "Name one with --plugin DIR, or import one by `hindcast plugin add DIR`."
    const lines = [`${NO_PLUGIN} ${all.length === 0 ? others : ""}`.trimEnd(), ...all.map(({ text }) => text)]
    return CommandHints.inText(lines.join("\n  "))
  })

const NO_PLUGIN = "warning: no plugin is active. The agent gets no readings, and all of its commands are denied."

export const ungranted = (plugins: PluginRegistry) =>
  Effect.map(remedies(plugins), (all) =>
    all.flatMap(({ waits, text }) => (waits ? [CommandHints.inText(`warning: ${text}`)] : [])),
  )

const remedies = (plugins: PluginRegistry) =>
  Effect.gen(function* () {
    const registry = yield* Registry
    const inactive = Object.entries(plugins).filter(([, { active }]) => !active)
    return yield* Effect.forEach(inactive, ([name, plugin]) =>
      Effect.map(registry.missing(name, plugin), (missing) => {
        const activate = `\`hindcast plugin activate ${quoteWord(name)}\``
        const text =
          missing.length === 0
            ? `${name} is inactive: ${activate} activates it.`
            : `${name} waits for a grant: \`${GrantPage.command(name, missing)}\`, then ${activate}.`
        return { waits: missing.length > 0, text }
      }),
    )
  })
