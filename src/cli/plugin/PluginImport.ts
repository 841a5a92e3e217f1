/** The command `hindcast plugin add`: imports or updates a plugin. */
import { Args, Command } from "@effect/cli"
import { Effect } from "effect"
import { Registry, type UpdateHeld } from "../../kernel/registry/Registry.ts"
import type { ImportOptions } from "../../kernel/registry/RegistryOptions.ts"
import * as Grants from "../../plugins/manifest/Grants.ts"
import type { PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { common, flag } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as ImportPage from "../pages/plugins/ImportPage.ts"
import * as PluginPage from "../pages/plugins/PluginPage.ts"
import * as LapsedGrants from "./LapsedGrants.ts"
import * as PluginConsent from "./PluginConsent.ts"
import { importing, importOptions, keepGrants, SOURCE, sandbox } from "./PluginOptions.ts"
import * as ServerImport from "./ServerImport.ts"

const noActivate = flag("no-activate", "Import it without activating it")

const words = Args.text({ name: "source" }).pipe(Args.withDescription(SOURCE), Args.repeated)

export const add = Command.make(
  "add",
  { ...common, words, ...importing, keepGrants, noActivate, sandbox, ...ServerImport.options },
  ({ log, json, words, keepGrants, noActivate, workspace, sandbox, mcp, url, header, callTimeout, ...options }) =>
    Effect.gen(function* () {
      const activate = !noActivate
      const { source, grants, leftOut } = yield* ServerImport.sourceOf({
        mcp,
        url,
        env: options.env,
        net: options.net,
        header,
        callTimeout,
        words,
        log,
        workspace,
      })
      for (const line of leftOut) yield* Output.note(`left out: ${line}`)
      const before = yield* (yield* Registry).state
      const typed = importOptions(options)
      const importing = { ...typed, grants: Grants.merge(typed.grants, grants), keepGrants, activate }
      const change = yield* importAndCompare(source, importing).pipe(
        Effect.catchTag("UpdateHeld", (held) =>
          Effect.gen(function* () {
            // The consent applies to this version even if a later grant installs it.
            if (sandbox === "flags") yield* PluginConsent.give(held)
            const imported = yield* LapsedGrants.ask(held, { json, activate })
            if (imported !== undefined) return yield* compare(before, imported)
            yield* showHeld(json, held)
            return yield* held
          }),
        ),
      )
      const { imported } = change
      const { origin, directory, changes } = imported
      const active = change.after?.active ?? false
      const missing = yield* PluginConsent.settle(imported, sandbox === "flags")
      const document = {
        ...PluginPage.described(imported),
        status: "installed",
        active,
        origin,
        directory,
        consentMissing: missing !== undefined,
        ...(changes === undefined ? {} : { changes: ImportPage.changesDocument(changes) }),
      }
      yield* Output.show(json, document, (style) => ImportPage.lines(style, change))
      if (missing !== undefined && !json) yield* PluginConsent.askOrTell(missing, imported)
    }).pipe(Effect.provide(OpenLog.orCreate(log, workspace))),
).pipe(Command.withDescription("Import or update a plugin, and show the permissions that it asks for and has"))

export const importAndCompare = (source: string, options?: ImportOptions) =>
  Effect.gen(function* () {
    const registry = yield* Registry
    const before = yield* registry.state
    return yield* compare(before, yield* registry.import(source, options))
  })

const compare = (before: PluginRegistry, imported: ImportPage.Import["imported"]) =>
  Effect.map(
    Effect.flatMap(Registry, (registry) => registry.state),
    (after): ImportPage.Import => ({
      imported,
      before: SafeRecord.get(before, imported.manifest.name),
      after: SafeRecord.get(after, imported.manifest.name),
    }),
  )

/** Prints the held update as JSON. For people, the failure that follows describes it. */
const showHeld = (json: boolean, { plugin, version, digest, installed, missing, command, changes }: UpdateHeld) =>
  json
    ? Output.show(
        json,
        {
          name: plugin,
          version,
          digest,
          status: "held",
          installed,
          missing,
          command,
          changes: ImportPage.changesDocument(changes),
        },
        () => [],
      )
    : Effect.void
