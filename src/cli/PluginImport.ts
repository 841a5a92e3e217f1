import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { Registry, type UpdateHeld } from "../kernel/Registry.ts"
import * as Keyed from "../projections/Keyed.ts"
import type { Plugin } from "../projections/PluginRegistry.ts"
import { common } from "./CommonOptions.ts"
import * as OpenLog from "./OpenLog.ts"
import * as Output from "./Output.ts"
import { importing, importOptions, source } from "./PluginOptions.ts"
import * as GrantPage from "./render/GrantPage.ts"
import * as PluginPage from "./render/PluginPage.ts"
import { oneLine } from "./render/Text.ts"

const noActivate = Options.boolean("no-activate").pipe(
  Options.withDescription("Import it without letting it take part yet"),
)

/** `hindcast plugin add SOURCE` */
export const add = Command.make(
  "add",
  { ...common, source, ...importing, noActivate },
  ({ log, json, source, noActivate, workspace, ...options }) =>
    Effect.gen(function* () {
      const registry = yield* Registry
      const before = yield* registry.state
      const imported = yield* registry
        .import(source, { ...importOptions(options), activate: !noActivate })
        .pipe(Effect.tapErrorTag("UpdateHeld", (held) => showHeld(json, held)))
      const { name } = imported.manifest
      const after = Keyed.get(yield* registry.state, name)
      const active = after?.active ?? false
      const { origin, directory } = imported
      const document = { ...PluginPage.described(imported), status: "installed", active, origin, directory }
      const done = whatWasDone(Keyed.get(before, name), after)
      yield* Output.show(json, document, (style) => [
        ...PluginPage.checked(style, imported),
        `  from ${GrantPage.origin(origin)}`,
        active
          ? style.good(`${done}; it takes part.`)
          : style.warn(`${done}; it does not take part until it is activated.`),
      ])
    }).pipe(Effect.provide(OpenLog.orCreate(log, workspace))),
).pipe(Command.withDescription("Import a plugin, or update it; show what it asks for and what it is granted"))

const whatWasDone = (before: Plugin | undefined, after: Plugin | undefined): string => {
  if (before === undefined || after === undefined) return "Imported"
  if (before.digest !== after.digest) return `Updated from ${oneLine(before.version)}`
  return before.importedAt === after.importedAt && before.active === after.active
    ? "Already imported, unchanged"
    : "Imported"
}

/** What programs learn of an update that waits; people learn it by the failure that follows. */
const showHeld = (json: boolean, { plugin, version, digest, installed, missing, command }: UpdateHeld) =>
  json
    ? Output.show(json, { name: plugin, version, digest, status: "held", installed, missing, command }, () => [])
    : Effect.void
