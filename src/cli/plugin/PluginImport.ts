/** The command `hindcast plugin add`: imports or updates a plugin. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import { Registry, type UpdateHeld } from "../../kernel/registry/Registry.ts"
import type { ImportOptions } from "../../kernel/registry/RegistryOptions.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { common, flag } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as ImportPage from "../pages/plugins/ImportPage.ts"
import * as PluginPage from "../pages/plugins/PluginPage.ts"
import * as PluginConsent from "./PluginConsent.ts"
import { importing, importOptions, sandbox, source } from "./PluginOptions.ts"

const noActivate = flag("no-activate", "Import it without letting it take part yet")

/** `hindcast plugin add SOURCE` */
export const add = Command.make(
  "add",
  { ...common, source, ...importing, noActivate, sandbox },
  ({ log, json, source, noActivate, workspace, sandbox, ...options }) =>
    Effect.gen(function* () {
      const change = yield* importAndCompare(source, { ...importOptions(options), activate: !noActivate }).pipe(
        Effect.tapErrorTag("UpdateHeld", (held) =>
          // The consent applies to this version even if a later grant installs it.
          Effect.zipRight(sandbox === "flags" ? PluginConsent.give(held) : Effect.void, showHeld(json, held)),
        ),
      )
      const { imported } = change
      const { origin, directory } = imported
      const active = change.after?.active ?? false
      const missing = yield* PluginConsent.settle(imported, sandbox === "flags")
      const document = {
        ...PluginPage.described(imported),
        ...{ status: "installed", active, origin, directory, consentMissing: missing !== undefined },
      }
      yield* Output.show(json, document, (style) => ImportPage.lines(style, change))
      if (missing !== undefined && !json) yield* PluginConsent.askOrTell(missing, imported)
    }).pipe(Effect.provide(OpenLog.orCreate(log, workspace))),
).pipe(Command.withDescription("Import a plugin, or update it; show what it asks for and what it is granted"))

/** Imports a plugin, and tells its registry entry before and after. */
export const importAndCompare = (source: string, options?: ImportOptions) =>
  Effect.gen(function* () {
    const registry = yield* Registry
    const before = yield* registry.state
    const imported = yield* registry.import(source, options)
    const { name } = imported.manifest
    return {
      imported,
      before: SafeRecord.get(before, name),
      after: SafeRecord.get(yield* registry.state, name),
    } satisfies ImportPage.Import
  })

/** Prints the held update as JSON. For people, the failure that follows describes it. */
const showHeld = (json: boolean, { plugin, version, digest, installed, missing, command }: UpdateHeld) =>
  json
    ? Output.show(json, { name: plugin, version, digest, status: "held", installed, missing, command }, () => [])
    : Effect.void
