import { Effect } from "effect"
import { Registry } from "../../kernel/registry/Registry.ts"
import type { PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import * as CommandHints from "../command/CommandHints.ts"
import * as GrantPage from "../pages/plugins/GrantPage.ts"

/** What a run says where no plugin takes part, with what would let those take part that are installed. */
export const warning = (plugins: PluginRegistry) =>
  Effect.map(remedies(plugins), (all) => {
    const others = "Name one with --plugin DIR, or import one by `hindcast plugin add DIR`."
    const lines = [`${NO_PLUGIN} ${all.length === 0 ? others : ""}`.trimEnd(), ...all.map(({ text }) => text)]
    return CommandHints.inText(lines.join("\n  "))
  })

const NO_PLUGIN = "warning: no plugin takes part: the agent senses nothing, and whatever it does is denied."

/** What a run says of plugins that would take part if they were granted what they ask for; one line each. */
export const ungranted = (plugins: PluginRegistry) =>
  Effect.map(remedies(plugins), (all) =>
    all.flatMap(({ waits, text }) => (waits ? [CommandHints.inText(`warning: ${text}`)] : [])),
  )

/** What would let each plugin take part that does not. */
const remedies = (plugins: PluginRegistry) =>
  Effect.gen(function* () {
    const registry = yield* Registry
    const inactive = Object.entries(plugins).filter(([, { active }]) => !active)
    return yield* Effect.forEach(inactive, ([name, plugin]) =>
      Effect.map(registry.missing(name, plugin), (missing) => {
        const activate = `\`hindcast plugin activate ${name}\``
        const text =
          missing.length === 0
            ? `${name} is deactivated: ${activate} lets it take part.`
            : `${name} waits for a grant: \`${GrantPage.command(name, missing)}\`, then ${activate}.`
        return { waits: missing.length > 0, text }
      }),
    )
  })
