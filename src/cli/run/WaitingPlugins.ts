import { Effect } from "effect"
import { Registry } from "../../kernel/Registry.ts"
import type { PluginRegistry } from "../../projections/PluginRegistry.ts"
import * as AsTyped from "../AsTyped.ts"
import * as GrantPage from "../render/GrantPage.ts"

/** What a run says where no plugin takes part, with what would let those take part that are installed. */
export const warning = (plugins: PluginRegistry) =>
  Effect.gen(function* () {
    const registry = yield* Registry
    const installed = Object.entries(plugins)
    const remedies = yield* Effect.forEach(installed, ([name, plugin]) =>
      Effect.map(registry.missing(name, plugin), (missing) => {
        const activate = `\`hindcast plugin activate ${name}\``
        return missing.length === 0
          ? `${name} is deactivated: ${activate} lets it take part.`
          : `${name} waits for a grant: \`${GrantPage.command(name, missing)}\`, then ${activate}.`
      }),
    )
    const others = "Name one with --plugin DIR, or import one by `hindcast plugin add DIR`."
    const lines = [`${NO_PLUGIN} ${remedies.length === 0 ? others : ""}`.trimEnd(), ...remedies]
    return AsTyped.inText(lines.join("\n  "))
  })

const NO_PLUGIN = "warning: no plugin takes part: the agent senses nothing, and whatever it does is denied."
