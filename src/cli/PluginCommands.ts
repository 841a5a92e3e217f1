import { Args, Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { Registry } from "../kernel/Registry.ts"
import * as Keyed from "../projections/Keyed.ts"
import type { Plugin } from "../projections/PluginRegistry.ts"
import { common, workspace } from "./CommonOptions.ts"
import * as OpenLog from "./OpenLog.ts"
import * as Output from "./Output.ts"
import { meta, priority } from "./PluginSettings.ts"
import * as PluginPage from "./render/PluginPage.ts"
import * as Scratch from "./Scratch.ts"

const directory = Args.text({ name: "dir" }).pipe(
  Args.withDescription("The plugin's directory, with looper-plugin.json in it"),
)

const importing = {
  workspace,
  lenient: Options.boolean("lenient").pipe(
    Options.withDescription("Accept unknown fields and measures without rewards, with a warning each"),
  ),
  read: Options.text("grant-read").pipe(Options.withDescription("A directory it may read"), Options.repeated),
  write: Options.text("grant-write").pipe(Options.withDescription("A directory it may write"), Options.repeated),
  net: Options.text("grant-net").pipe(Options.withDescription("A host it may connect to"), Options.repeated),
  env: Options.text("grant-env").pipe(Options.withDescription("A variable it may read"), Options.repeated),
  runAny: Options.boolean("grant-run-any").pipe(Options.withDescription("Let it have any command run for it")),
}

interface Importing {
  readonly lenient: boolean
  readonly read: ReadonlyArray<string>
  readonly write: ReadonlyArray<string>
  readonly net: ReadonlyArray<string>
  readonly env: ReadonlyArray<string>
  readonly runAny: boolean
}

const importOptions = ({ lenient, ...grants }: Importing) => ({ lenient, grants })

const check = Command.make("check", { ...common, directory, ...importing }, ({ log, json, directory, ...options }) =>
  Effect.gen(function* () {
    const checked = yield* (yield* Registry).check(directory, importOptions(options))
    yield* Output.show(json, PluginPage.described(checked), (style) => PluginPage.checked(style, checked))
  }).pipe(Effect.provide(Scratch.registry(log, options.workspace))),
).pipe(Command.withDescription("Check a plugin's directory without importing it"))

const noActivate = Options.boolean("no-activate").pipe(
  Options.withDescription("Import it without letting it take part yet"),
)

const add = Command.make(
  "add",
  { ...common, directory, ...importing, noActivate },
  ({ log, json, directory, noActivate, ...options }) =>
    Effect.gen(function* () {
      const registry = yield* Registry
      const before = yield* registry.state
      const imported = yield* registry.import(directory, { ...importOptions(options), activate: !noActivate })
      const { name } = imported.manifest
      const after = Keyed.get(yield* registry.state, name)
      const active = after?.active ?? false
      const done = isSame(Keyed.get(before, name), after) ? "Already imported, unchanged" : "Imported"
      const document = { ...PluginPage.described(imported), active, directory: imported.directory }
      yield* Output.show(json, document, (style) => [
        ...PluginPage.checked(style, imported),
        active
          ? style.good(`${done}; it takes part.`)
          : style.warn(`${done}; it does not take part until it is activated.`),
      ])
    }).pipe(Effect.provide(OpenLog.orCreate(log, options.workspace))),
).pipe(Command.withDescription("Import a plugin, or update it; show what it asks for and what it is granted"))

/** Whether an import changed nothing: neither the plugin nor whether it takes part. */
const isSame = (before: Plugin | undefined, after: Plugin | undefined): boolean =>
  before !== undefined && before.importedAt === after?.importedAt && before.active === after.active

const name = Args.text({ name: "plugin" }).pipe(Args.withDescription("The plugin's name"))

const target = Args.text({ name: "target" }).pipe(Args.withDescription("A plugin, or a component: plugin/component"))

const remove = Command.make("remove", { ...common, name }, ({ log, json, name }) =>
  Effect.gen(function* () {
    yield* (yield* Registry).remove(name)
    yield* Output.show(json, { removed: name }, () => [`Removed ${name}. What it did stays in the log.`])
  }).pipe(Effect.provide(OpenLog.forWriting(log))),
).pipe(Command.withDescription("Take a plugin out of the registry"))

const list = Command.make("list", common, ({ log, json }) =>
  Effect.gen(function* () {
    const plugins = Object.entries(yield* (yield* Registry).state)
    const document = plugins.map(([name, plugin]) => PluginPage.listed(name, plugin))
    yield* Output.show(json, { plugins: document }, (style) => PluginPage.list(style, plugins))
  }).pipe(Effect.provide(OpenLog.forReading(log))),
).pipe(Command.withDescription("List plugins and their components, active or not, by priority"))

const show = Command.make("show", { ...common, name }, ({ log, json, name }) =>
  Effect.gen(function* () {
    const registry = yield* Registry
    const { manifest } = yield* registry.manifest(name)
    const plugin = (yield* registry.state)[name]
    if (plugin === undefined) return yield* Effect.dieMessage(`${name} has a manifest and no registration`)
    yield* Output.show(json, { name, ...plugin }, (style) => PluginPage.show(style, manifest, plugin))
  }).pipe(Effect.provide(OpenLog.forReading(log))),
).pipe(Command.withDescription("Show one plugin: what it declares, was granted, and what people set"))

const activation = (word: "activate" | "deactivate") =>
  Command.make(word, { ...common, target }, ({ log, json, target }) =>
    Effect.gen(function* () {
      yield* (yield* Registry)[word](target)
      const active = word === "activate"
      yield* Output.show(json, { target, active }, () => [
        active ? `${target} takes part from the next turn on.` : `${target} takes no part from the next turn on.`,
      ])
    }).pipe(Effect.provide(OpenLog.forWriting(log))),
  )

/** `hindcast plugin check|add|remove|list|show|activate|deactivate|priority|meta` */
export const plugin = Command.make("plugin").pipe(
  Command.withDescription("Which plugins and components there are, and which take part"),
  Command.withSubcommands([
    check,
    add,
    remove,
    list,
    show,
    activation("activate").pipe(Command.withDescription("Let a plugin or a component take part again")),
    activation("deactivate").pipe(Command.withDescription("Let a plugin or a component take no part")),
    priority,
    meta,
  ]),
)
